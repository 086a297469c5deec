#!/bin/sh
# start_with.sh HONE SCRATCH: what a user sees of a tune that is told what to try first, on the command line or by the spec.
# The kernel is in C, so that no driver is needed but the compiler; its time is by far the least at A = 3, B = 2.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*" >&2
    cat out >&2
    exit 1
}
cat >slow.c <<'END_OF_KERNEL'
void slow(volatile float *y, int n)
{
    for (int r = 0; r < 10 + 100 * (A != 3 || B != 2); r++)
        for (int i = 0; i < n; i++)
            y[i] = i + A + B - A - B;
}
END_OF_KERNEL
spec() {
    cat >slow.json <<END_OF_SPEC
{"kernel": "slow.c", "constants": {"N": 1000}, "defaults": {"A": 0}, "parameters": {"A": [0, 1, 2, 3, 4, 5], "B": [0, 1, 2, 3, 4]},
 "restrictions": ["A != B or A < 2"], "global": [1], "arguments": {"y": {"size": "N", "expect": "i"}, "n": "N"}$1}
END_OF_SPEC
}
tune() {
    "$hone" tune slow.json --jobs 1 --iterations 3 --unranked --no-store "$@" >out 2>&1
}

spec ''
tune --budget 2 || fail "tune"
! grep -q '^Started with' out || fail "nothing was said"
# They are tried in their order, then the default, and count; what is not named is the default's.
tune --budget 3 --start-with 'B=2, A=3' --start-with A=5 --start-with A=3,B=2 --json || fail "tune --start-with"
grep -o '"type":"result","configuration":{[^}]*}' out | tr -d ' ' | cut -d'{' -f2 >order
printf '"A":3,"B":2}\n"A":5,"B":0}\n"A":0,"B":0}\n' | cmp - order || fail "another order"
grep -q '"start_with":\[{"configuration":{"A": 3, "B": 2},"status":"correct","median_ns":[0-9.]*,"best_ratio":1.0,"best_ratio_basis":"screened"},{"configuration":{"A": 5, "B": 0},' out ||
    fail "JSON"
for strategy in random surrogate genetic anneal exhaustive; do
    tune --budget 4 --strategy $strategy --start-with A=5 --start-with A=3,B=2 || fail "$strategy"
    grep -q '^Started with A=5, B=0: .* times the best.s time (screened)$' out || fail "$strategy: the first"
    grep -q '^Started with A=3, B=2: .*, the best here$' out || fail "$strategy: the second"
done
tune --budget 1 --start-with A=5 --start-with A=3,B=2 || fail "a budget of one"
grep -q '^Started with A=3, B=2: not asked for$' out || fail "a budget of one: not told"
# Beside a ranking, too, where one that took no part in it is held against what the best took alone.
"$hone" tune slow.json --jobs 1 --no-store --budget 3 --start-with A=5 --start-with A=3,B=2 --where 'A > 2' >out 2>&1 || fail "a ranking"
grep -q '^Started with A=5, B=0: .* times the best.s time (screened)$' out || fail "one that was screened"
# Of a space in parts one of the tunes begins with it.
for part in 1/2 2/2; do
    tune --budget 2 --part $part --start-with A=3,B=2 || fail "part $part"
    cat out
done >both
[ "$(grep -c '^Started with A=3, B=2: .*, the best here$' both)" = 1 ] || fail "not one of the parts"
[ "$(grep -c "to start with 'A=3,B=2' is left to another part" both)" = 1 ] || fail "the other part does not say so"
# The spec's, which the command line overrides; in either form.
spec ', "start_with": ["A=3, B=2", "A=4"]'
for form in slow.json t1.json; do
    [ -e $form ] || "$hone" spec slow.json --to t1 >$form || fail "convert"
    "$hone" tune $form --jobs 1 --iterations 3 --unranked --no-store --budget 2 >out 2>&1 || fail "$form"
    [ "$(grep -c '^Started with' out)" = 2 ] || fail "$form: not both"
    "$hone" tune $form --jobs 1 --iterations 3 --unranked --no-store --budget 2 --start-with A=1 >out 2>&1 || fail "$form"
    [ "$(grep -c '^Started with' out)" = 1 ] || fail "$form: not overridden"
done
# A sweep and a score begin with it, too.
spec ', "start_with": "A=3, B=2"'
"$hone" sweep slow.json -s N=500,700 --budget 1 --iterations 3 --no-store >out 2>&1 || fail "sweep"
[ "$(grep -c 'A=3, B=2' out)" -ge 2 ] || fail "the sweep began elsewhere"
printf 'A,status,time_ns\n1,correct,40\n2,correct,30\n3,correct,20\n4,correct,10\n' >one.csv
"$hone" score one.csv --repeats 3 --json --start-with A=4 >out 2>&1 || fail "score"
grep -q '"start_with":\["A=4"\].*"to_95_percent":\[1,1,1\]' out || fail "the score began elsewhere"
echo "start-with: all as it should be"
