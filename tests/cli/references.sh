#!/bin/sh
# references.sh HONE SCRATCH: what a user types to say what is right: Expect in the spec, a program of one's own, and the
# inputs as files. The kernel is in C, so that no driver is needed but the compiler.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# expect STATUS PART COMMAND...: the exit status, and what both outputs together contain.
expect() {
    status=$1 part=$2
    shift 2
    is=0
    "$@" >out 2>&1 || is=$?
    [ "$is" = "$status" ] || { cat out; fail "status $is, not $status: $*"; }
    grep -qF -- "$part" out || { cat out; fail "no '$part': $*"; }
}

cat >scale.c <<'END'
void scale(float *y, const float *in, float a, int n)
{
    for (int i = 0; i < n / STEP * STEP; i += STEP)
        for (int k = 0; k < STEP; k++)
            y[i + k] = a * in[i + k] + FAULT;
}
END
spec() {
    cat >"$1.json" <<END
{"Constants": {"N": 1000, "FAULT": 0},
 "ConfigurationSpace": {"TuningParameters": [{"Name": "STEP", "Type": "int", "Values": "[1, 4]"}]},
 "KernelSpecification": {"KernelName": "scale", "KernelFile": "scale.c", "GlobalSize": {"X": 1},
  "Arguments": [
   {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "N"$2},
   {"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": "N", "FillType": "Random"},
   {"Name": "a", "Type": "float", "MemoryType": "Scalar", "FillValue": $3},
   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillExpression": "N"}]}}
END
}
spec right ', "Expect": "a * in[i]"' 0.1
spec outside ', "Expect": "in[i + 1]"' 0.1
spec total ', "Verification": {"Method": "sum"}, "Expect": "a * sum(in)"' 0.1
spec file ', "Expect": "y.npy"' 1
spec plain '' 1

# In one line. The scalar is what the kernel gets: 0.1 as a float.
expect 0 'OK: 2 configurations are correct' "$hone" check right.json --no-store
expect 0 'verified against y[i] = a * in[i]' "$hone" check right.json --no-store
expect 0 'verified against sum of y = a * sum(in)' "$hone" check total.json --no-store
expect 1 'correctness' "$hone" check right.json --no-store --set FAULT=1
expect 1 'correctness' "$hone" check total.json --no-store --set FAULT=1
expect 2 "y: 'in[i + 1]': at i = 999: in[1000] is outside: in has 1000 elements" "$hone" check outside.json --no-store
# Stored results answer, also at another size, and not where the expression is another.
expect 0 '2 correct' "$hone" tune right.json
expect 0 '2 known from the store' "$hone" check right.json
sed 's/a \* in\[i\]/in[i] * a/' right.json >other.json
expect 0 'OK: 2 configurations are correct' "$hone" check other.json
! grep -q 'known from the store' out || fail "another expression took the results of the first"

# The inputs, as files, with what is needed to read them.
expect 0 'inputs: 1 input as .npy' "$hone" run plain.json --no-store --inputs inputs
[ "$(ls inputs | tr '\n' ' ')" = "arguments.json in.npy " ] || fail "other files: $(ls inputs)"
[ "$(wc -c <inputs/in.npy)" = 4128 ] || fail "in.npy is not 128 bytes and 1000 floats"
grep -q '"scalars":{"a":1.*,"n":1000}' inputs/arguments.json || fail "$(cat inputs/arguments.json)"
grep -q '"outputs":{"y":{"type":"float","count":1000}}' inputs/arguments.json || fail "$(cat inputs/arguments.json)"

# A file as reference: with a = 1 the outputs are the inputs.
cp inputs/in.npy y.npy
expect 0 'OK: 2 configurations are correct' "$hone" check file.json --no-store
head -c 4000 inputs/in.npy >y.npy
expect 2 'its header says 1000 elements of 4 bytes, but 3872 bytes follow' "$hone" run file.json --no-store

# A program: a copy is right with a = 1; it is asked once, and again when its text is another.
cat >ref.sh <<'END'
#!/bin/sh
echo run >>"$COUNT"
cp "$1/in.npy" "$1/y.npy"
END
chmod +x ref.sh
export COUNT="$scratch/count"
expect 0 'verified against ./ref.sh' "$hone" check plain.json --no-store --reference-by ./ref.sh
expect 0 '2 correct' "$hone" tune plain.json --reference-by ./ref.sh
[ "$(wc -l <count)" = 1 ] || fail "the program ran $(wc -l <count) times, not once"
expect 1 'correctness' "$hone" check plain.json --no-store --reference-by ./ref.sh --set FAULT=1
[ "$(wc -l <count)" = 2 ] || fail "a constant is another: it was to run again"
echo '# more' >>ref.sh
expect 0 'Status: correct' "$hone" run plain.json --no-store --reference-by ./ref.sh
[ "$(wc -l <count)" = 3 ] || fail "its text is another: it was to run again"
expect 0 '2 correct' "$hone" tune plain.json --reference-by ./ref.sh --fresh
[ "$(wc -l <count)" = 4 ] || fail "--fresh was to ask again"
ls cache/hone/references | grep -q '\.[0-9]*$' || fail "an outdated result was given up while it may be in use"

cat >short.json <<'END'
{"kernel": "scale.c", "constants": {"N": 1000, "FAULT": 0}, "parameters": {"STEP": [1, 4]}, "global": [1],
 "arguments": {"y": {"size": "N"}, "in": {"size": "N"}, "a": 1.0, "n": "N"}}
END
expect 0 'verified against ./ref.sh: 2 correct' "$hone" check short.json --no-store --reference-by ./ref.sh

# And what goes wrong with one.
program() {
    printf '#!/bin/sh\n%s\n' "$1" >bad.sh
    chmod +x bad.sh
}
asked() {
    expect "$1" "$2" "$hone" run plain.json --no-store --reference-by ./bad.sh
}
program 'echo my own words >&2; exit 3'
asked 2 'exited with status 3; it printed:'
grep -q 'my own words' out || fail "what it printed is missing"
program ':'
asked 2 './bad.sh did not write y.npy, which is an output'
program 'kill -SEGV $$'
asked 2 'was killed by SIGSEGV'
program 'head -c 100 /dev/zero >"$1/y.npy"'
asked 2 'y.npy: is no .npy file hone reads'
program 'head -c 4000 "$1/in.npy" >"$1/y.npy"'
asked 2 'but 3872 bytes follow'
program 'sed "s/<f4/<f8/" "$1/in.npy" >"$1/y.npy"'
asked 2 "holds elements of type f8, but float is f4"
program 'sed "s/False/True /" "$1/in.npy" >"$1/y.npy"'
asked 2 "save it with order='C'"
program 'mkdir "$1/y.npy"'
asked 2 'did not write y.npy'
program 'yes | head -c 10000000; cp "$1/in.npy" "$1/y.npy"' # more than a channel holds
asked 0 'Status: correct'
program 'true'
chmod -x bad.sh
asked 2 'bad.sh'
expect 2 'No such file' "$hone" run plain.json --no-store --reference-by ./missing
expect 2 'exclude each other' "$hone" check plain.json --no-store --reference-by ./ref.sh --smallest N
sed 's/"Size": "N", "FillType"/"Size": "N * STEP", "FillType"/' plain.json >tuned.json
expect 2 "argument 'in' depends on 'STEP', which is tuned" "$hone" run tuned.json --no-store --reference-by ./ref.sh
[ -z "$(ls cache/hone/references | grep 'by-.*\.[0-9]' | head -n 3 | sed -n 2p)" ] || fail "folders of failures are left"
program 'head -c 100 /dev/zero >"$1/y.npy"'
asked 2 'y.npy: is no .npy file hone reads'
asked 2 'y.npy: is no .npy file hone reads'
[ "$(ls -d cache/hone/references/by-* | wc -l)" -le 6 ] || fail "what is wrong was kept: $(ls cache/hone/references)"
echo "references: all as it should be"
