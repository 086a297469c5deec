#!/bin/sh
# programs.sh HONE SCRATCH: programs as kernels from outside. A shell script stands for the program: its build copies it, and it
# prints what a mode asks of it.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/locks"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache" HONE_LOCKS="$scratch/locks"

fail() {
    cat said 2>/dev/null || :
    echo "$*"
    exit 1
}

has() {
    grep -qF -- "$1" said || fail "not said: $1"
}

has_not() {
    ! grep -qF -- "$1" said || fail "said: $1"
}

cat >work.sh <<'END'
#!/bin/sh
. ./part.sh
case $1 in
right) echo "{\"time_ns\": $((2000 + 100 * $2)), \"valid\": true}" ;;
silent) echo "{\"time_ns\": 2000}" ;;
wrong) echo '{"time_ns": 2000, "valid": false, "message": "C[7] is 3, not 4"}' ;;
fails) echo "no such device" >&2; exit 3 ;;
killed) kill -SEGV $$ ;;
nothing) echo "done" ;;
late) echo '{"time_ns": 9e18, "valid": true}' ;;
hangs) sleep 613.5 ;;
leaves) sleep 614.5 >/dev/null 2>&1 & echo '{"time_ns": 2000, "valid": true}' ;;
esac
END
chmod +x work.sh
echo : >part.sh

cat >spec.json <<'END'
{"kernel": {"build": ["sh", "-c", "[ $0 != 5 ] || { echo 'work.c:3: error: no' >&2; exit 1; }; cp work.sh $1", "{STEP}", "{program}"],
            "run": ["{program}", "{MODE}", "{STEP}"], "files": ["part.sh", "work.sh"]},
 "parameters": {"MODE": ["right"], "STEP": [1, 2, 5]}, "metrics": {"steps/s": "1e9 * STEP / time_ns"}}
END

# A tune: what is good is never called verified, and a build that fails says how it ended.
"$hone" tune spec.json >said 2>&1 || fail "tune"
has "Best: STEP=1"
has "2 configurations (not verified: valid by its own word)"
has "Failed: 1 compile"
has "the build command exited with status 1: work.c:3: error: no"
has_not " correct "
"$hone" tune spec.json >said 2>&1 || fail "the second tune"
has "(3 known already)"
"$hone" best spec.json >said 2>&1 || fail "best"
has "STEP=1"
has "not verified: valid by its own word"
"$hone" best spec.json --json >said 2>&1 || fail "best --json"
has '"verified":false'
has '"verification":"not verified: valid by its own word"'
# A file of which the program is made decides the key.
echo "# changed" >>part.sh
"$hone" tune spec.json >said 2>&1 || fail "the tune after a change"
has_not "known already"
# The folder does not.
mkdir moved && cp spec.json work.sh part.sh moved
"$hone" tune moved/spec.json >said 2>&1 || fail "the tune in another folder"
has "(3 known already)"

# What fails is told with the end of what it printed.
run() { # MODE STATUS
    sed "s/\"MODE\": \[\"right\"\]/\"MODE\": [\"$1\"]/" spec.json >mode.json
    status=0
    "$hone" run mode.json --config STEP=1 --no-store --timeout launch=3s >said 2>&1 || status=$?
    [ "$status" = "$2" ] || fail "$1 ended with $status"
}
run right 0
has "not verified"
run silent 0
has "not verified"
run wrong 1
has "the program says that its result is wrong: C[7] is 3, not 4"
run fails 1
has "the program exited with status 3; the last that it printed: no such device"
run killed 1
has "the program was killed by SIGSEGV"
run nothing 1
has "it gave no time: a line {\"time_ns\": 1234, \"valid\": true}"
run late 1
has "all of it ran for"
run hangs 1
has "timeout"
run leaves 0
! pgrep -f 'sleep 61[34]\.5' >/dev/null || fail "a process was left"

# A program that says nothing of its result.
sed 's/"MODE": \["right"\]/"MODE": ["silent"]/' spec.json >silent.json
"$hone" tune silent.json --no-store --budget 2 >said 2>&1 || fail "tune silent"
has "NOT VERIFIED: the program does not report its result"

# A benchmark's own JSON, in a file; nothing is built.
cat >google.sh <<'END'
echo '{"context": {}, "benchmarks": [{"name": "BM/8", "real_time": 2.0, "time_unit": "us"}, {"name": "BM/9", "real_time": 9.0, "time_unit": "us"}]}' >"$1"
END
cat >google.json <<'END'
{"kernel": {"run": ["sh", "google.sh", "{output}"], "benchmark": "BM/{SIZE}"}, "parameters": {"SIZE": [8, 9]}}
END
"$hone" tune google.json >said 2>&1 || fail "tune of a benchmark"
has "Best: SIZE=8"
has "2.000 us"
sed -i 's/, "benchmark": "BM.{SIZE}"//; s/"{output}"/"{output}", "{SIZE}"/' google.json
"$hone" run google.json --config SIZE=8 >said 2>&1 && fail "several benchmarks"
has "there are several benchmarks, BM/8, BM/9: say which by \"benchmark\""

# What is refused.
refused() { # SPEC TEXT
    echo "$1" >refused.json
    "$hone" tune refused.json --no-store >said 2>&1 && fail "not refused: $1"
    has "$2"
}
refused '{"kernel": {"build": ["make"], "run": ["./a"]}, "parameters": {"A": [1]}}' "no word has {program}"
refused '{"kernel": {"run": ["{program}"]}, "parameters": {"A": [1]}}' "{program} is what 'build' makes"
refused '{"kernel": {"build": ["cp", "a", "{program}"]}, "parameters": {"A": [1]}}' "kernel.run: is missing"
refused '{"kernel": {"run": ["./a", "{B}"]}, "parameters": {"A": [1]}}' "B"
refused '{"kernel": {"run": ["./none", "{A}"]}, "parameters": {"A": [1]}}' "No such file or directory"
refused '{"kernel": {"run": ["./a"]}, "parameters": {"A": [1]}, "arguments": {"x": {"size": 4, "type": "float"}}}' "a program has no arguments"
# A file of another tuner's runs nothing.
refused '{"ConfigurationSpace": {"TuningParameters": [{"Name": "A", "Type": "int", "Values": "[1]"}]}, "KernelSpecification": {"Language": "Program", "KernelName": "run", "KernelSource": "{\"run\": [\"touch\", \"ran\"]}"}}' \
    "from a spec in hone's short form alone"
[ ! -e ran ] || fail "a program of a T1 file was run"
"$hone" spec spec.json >said 2>&1 && fail "converted to T1"
has "a program has no T1 form"
exit 0
