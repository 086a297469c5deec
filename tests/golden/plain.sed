# What differs from run to run or from machine to machine, and what stands for it: applied to each line.
# ---- GPUs of this machine that lack a driver
/^hone: (NVIDIA|AMD|Intel)('s CUDA| GPU) /d
# ---- dates, version, host, random names, which keep their length where they stand in a table
s/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}(\.[0-9]+)?(Z|[+-][0-9:]{5})?/DATE/g
s/20[0-9]{2}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2})?/DATE/g
s/("hone":")[^"]*/\1VERSION/
s/\<(hone |version=)[0-9]+\.[0-9]+\.[0-9]+[^] ),;"]*/\1VERSION/
s/^(hone-known .* )"[0-9]+\.[0-9]+\.[0-9]+"/\1"VERSION"/
s/^(checksum )[0-9a-f]{16}$/\1SUM/
s/^(  hone: )[0-9]+\.[0-9]+\.[0-9]+$/\1VERSION/
s/("host":|hostname=)"[^"]*/\1"HOST/
s/^(  host: ).*/\1HOST/
s/\<[0-9a-f]{32}\>/ID/g
s/\<run [0-9a-f]{8}\>/run 0badcafe/g
s/^  [0-9a-f]{8}  DATE/  0badcafe  DATE/
s|(job_sha256"?: ?"?)[0-9a-f]{64}|\1KEY|g
# ---- the host's own time, in JSON, CSV and JUnit
s/("(startup|listing|opening|waiting|locked|loading|inputs|reference|verifying|measuring|ranking|storing|rest|kernel|build|builds|wall|elapsed)_ns":)[0-9.]+/\1TIME/
s/("(build|load|inputs|reference|verify|measure|rank)":)[0-9.]+/\1TIME/
s/^(  (times_ns\.[a-z]+|(compile|run|verify|framework)_ns|build time): ).*/\1TIME/
s/("(read|build)_seconds":)[0-9.e-]+/\1TIME/
s/("(compilation_time|benchmark|validation|framework|((compile|verification|benchmark|framework)_time))":)[0-9.]+/\1TIME/
s/(<test(suite|case) .*time=")[0-9.]+/\1TIME/
# ---- and in text
s/( in )[0-9.]+ (ns|us|ms|s|min)\>/\1TIME/g
s/ in TIME: .*, ([0-9]+ launch)/ in TIME: \1/
s/(launches; )[0-9.]+ (ns|us|ms|s|min)\>/\1TIME/
s/^(Spent: ).*/\1TIMES/
s/[0-9.]+ (ns|us|ms|s) summed/TIME summed/
s/^(Where the time went, |Beside them: builds during )[0-9.]+ (ns|us|ms|s)\>/\1TIME/
# The parts of the time, of which those that took next to none are left out.
/^  [a-z-]+ +[0-9.]+ [num]?s +[0-9.]+ %/d
# ---- sizes of files and of memory, which follow lengths of paths and the machine
s/(: |takes |took |; )[0-9.]+ (B|KiB|MiB)( and|$| of memory)/\1SIZE\3/g
s/^[0-9.]+ (B|KiB|MiB)( were removed)/SIZE\2/
s/("(peak_memory_bytes|bytes|bytes_before|bytes_after)":)[0-9]+/\1SIZE/
# ---- the load of the machine, which baselines keep
s/("(baseline_)?load":)[0-9.]+/\1LOAD/g
s/^(Machine: ).*/\1LOAD, CLOCK/
s/^( *(baseline_)?load: )[0-9.]+$/\1LOAD/
