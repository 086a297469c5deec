#!/bin/sh
# generated.sh HONE SCRATCH: kernels whose text is another one for each configuration, by a command and by files. 77: no device.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/locks" "$scratch/cache"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/xdg" HONE_LOCKS="$scratch/locks"

fail() {
    cat said 2>/dev/null || :
    echo "$*"
    exit 1
}

has() {
    grep -qF -- "$1" said || fail "not said: $1"
}

"$hone" devices >said 2>&1 || :
grep -q OpenCL said || exit 77

# Prints a saxpy of $1 elements a work-item; every text is another one by $2. Counts its runs.
cat >gen.sh <<'END'
#!/bin/sh
echo "$1 $2" >>runs
[ "$2" != 13 ] || { echo "no pair of 13" >&2; exit 4; }
echo "// $2"
. ./body.sh "$1"
END
cat >body.sh <<'END'
echo "kernel void saxpy(global float *y, global const float *x, float a, int n) { int at = get_global_id(0) * $1;"
i=0
while [ $i -lt "$1" ]; do
    echo "y[at + $i] = a * x[at + $i] + y[at + $i];"
    i=$((i + 1))
done
echo "}"
END
chmod +x gen.sh
rest='"constants": {"n": 4096}, "global": ["n // TILE"], "local": [16],
 "arguments": {"y": {"size": "n", "expect": "a * x[i] + y[i]"}, "x": {"size": "n"}, "a": 2.0, "n": "n"}'
cat >gen.json <<END
{"kernel": {"exec": ["./gen.sh", "{TILE}", "{PAIR}"]}, "language": "OpenCL", "parameters": {"TILE": [1, 2, 4, 8], "PAIR": "range(250)"}, $rest}
END

# A thousand variants, of which few are made: those that are asked for. Looking at the space makes none.
"$hone" space gen.json >said 2>&1 || fail "space"
has "1000 of 1000 configurations are valid"
[ ! -e runs ] || fail "hone space ran the generator"
"$hone" tune gen.json --budget 3 --seed 3 >said 2>&1 || fail "tune"
has "3 correct configurations (verified against"
[ "$(sort -u runs | wc -l)" -le 8 ] || fail "the generator ran for $(sort -u runs | wc -l) configurations"
"$hone" tune gen.json --budget 3 --seed 3 >said 2>&1 || fail "the second tune"
has "(3 known already)"
# The text decides the key, not the command.
sed -i 's/y\[at + $i\];"/1.0f * y[at + $i];"/' body.sh
"$hone" tune gen.json --budget 3 --seed 3 >said 2>&1 || fail "the tune of other texts"
! grep -q 'known already' said || fail "other texts were known"
sed -i 's/1.0f \* y/y/' body.sh
"$hone" run gen.json --config TILE=2,PAIR=13 >said 2>&1 && fail "a generator that fails"
has "the generator './gen.sh' exited with status 4: no pair of 13"

# Generators run beside each other, as many as there are builders, and end with the tune.
cat >slow.sh <<'END'
#!/bin/sh
mkdir "at.$$"
ls -d at.* | wc -l >>together
[ "$2" = 0 ] || [ $(($2 % 2)) = 1 ] || sleep "${SLOW:-0.3}"
rmdir "at.$$"
echo "// $2"
. ./body.sh "$1"
END
chmod +x slow.sh
sed 's/gen.sh/slow.sh/' gen.json >slow.json
"$hone" tune slow.json --no-store --budget 10 >said 2>&1 || fail "slow generators"
has "10 correct configurations"
[ "$(sort -n together | tail -n 1)" -le $(($(nproc) + 1)) ] || fail "$(sort -n together | tail -n 1) generators at once"
[ "$(nproc)" = 1 ] || [ "$(sort -n together | tail -n 1)" -ge 2 ] || fail "one generator after the other"
SLOW=600 timeout 100 "$hone" tune slow.json --no-store --budget 1s >said 2>&1 || fail "generators that do not end"
for one in at.*; do
    left=20 # which it may take to die
    while [ -e "$one" ] && ps -o stat= -p "${one#at.}" | grep -q '^[^Z]'; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "a generator outlived the tune"
        sleep 0.5
    done
done
sed 's/"{PAIR}"/"{PAIR}", "{WIDE}"/' gen.json >wrong.json
"$hone" tune wrong.json >said 2>&1 && fail "a name that is not there"
has "WIDE"

sed 's/"language": "OpenCL", //' gen.json >wrong.json
"$hone" tune wrong.json >said 2>&1 && fail "no language"
has "language: is missing: a command prints the kernel's text"

# A file for each configuration.
for tile in 1 2 4 8; do sh body.sh $tile >cache/saxpy_$tile.cl; done
cat >files.json <<END
{"kernel": "cache/saxpy_{TILE}.cl", "parameters": {"TILE": [1, 4]}, $rest}
END
"$hone" tune files.json >said 2>&1 || fail "tune of files"
has "2 correct configurations"
rm cache/saxpy_4.cl
"$hone" tune files.json >said 2>&1 || fail "a file is missing"
has "cache/saxpy_4.cl"

# A file of another tuner's runs nothing, and none is written for one.
"$hone" spec gen.json >said 2>&1 && fail "converted to T1"
has "a generated kernel has no T1 form"
rm -f runs
cat >foreign.json <<'END'
{"ConfigurationSpace": {"TuningParameters": [{"Name": "TILE", "Type": "int", "Values": "[1]"}]},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "saxpy", "KernelCommand": ["./gen.sh", "1", "1"], "GlobalSize": {"X": "64"}}}
END
"$hone" tune foreign.json >said 2>&1 && fail "a command of a T1 file"
has "a command is run from a spec in hone's short form alone"
[ ! -e runs ] || fail "a command of a T1 file was run"
exit 0
