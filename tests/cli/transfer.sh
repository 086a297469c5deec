#!/bin/sh
# transfer.sh HONE SCRATCH: what a user sees of a tune that knows the space from elsewhere. The kernel is in C, so that no
# driver is needed but the compiler; its time is by far the least at A = 3, B = 2, whatever N is, and no two configurations are near
# each other, so that their order is the same at each size and on a machine that is busy.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/spec"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*" >&2
    cat out >&2
    exit 1
}
cat >spec/slow.c <<'END_OF_KERNEL'
void slow(volatile float *y, int n)
{
    int d = ((A + 3) % 6) * 5 + (B + 3) % 5, rounds = 8;
    for (int k = 0; k < d; k++)
        rounds += k == 0 ? rounds * 2 : rounds / 4;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            y[i] = i + A + B - A - B;
}
END_OF_KERNEL
cat >spec/slow.json <<'END_OF_SPEC'
{"kernel": "slow.c", "constants": {"N": 1000}, "parameters": {"A": [0, 1, 2, 3, 4, 5], "B": [0, 1, 2, 3, 4]}, "global": [1],
 "arguments": {"y": {"size": "N", "expect": "i"}, "n": "N"}}
END_OF_SPEC

# Nothing is known of it anywhere.
"$hone" tune spec/slow.json --budget 2 --iterations 1 --unranked --store other.sqlite >out 2>&1 || fail "tune"
! grep -q '^From ' out || fail "nothing is known"
# All of it at one size; then some of it at another.
"$hone" tune spec/slow.json --iterations 3 --unranked --store one.sqlite >out 2>&1 || fail "tune of all"
grep -q 'A=3, B=2' out || fail "the best is another"
known() {
    "$hone" tune spec/slow.json -s N=1500 --budget 14 --jobs 1 --iterations 3 --unranked "$@" >out 2>&1 || fail "tune $*"
}
known --also one.sqlite --store two.sqlite
grep -q '^From .* (c), N=1000: 30 results, used (orders [0-9]* % of pairs as they are ordered here); its best is the best here' out ||
    fail "the source is not told"
known --also one.sqlite --store three.sqlite --json
grep -q '"sources":\[{"name":"[^"]*N=1000","results":30,"parameters":2,"outcome":"used","agrees":[01].[0-9]*,"best_ratio":1.0,"best_ratio_basis":"[a-z]*"}\]' out ||
    fail "the source is not in JSON"
grep -q '"type":"result","configuration":{"A": *3,"B": *2}' out || grep -q '"type":"result","configuration":{"A": 3, "B": 2}' out ||
    fail "the source's best was not asked for"
known --also one.sqlite --store four.sqlite --no-transfer
! grep -q '^From ' out || fail "--no-transfer"
# Once more, from the store: the same questions, though all answers are there at once.
known --also one.sqlite --store four.sqlite --no-transfer
grep -q '^14 of 30 configurations (14 known already)' out || fail "a repeated tune asks others"
known --also one.sqlite --store two.sqlite
grep -q '^14 of 30 configurations (14 known already)' out || fail "a repeated tune with a source asks others"
# Where all failed there is nothing to hear; that is said.
mkdir wrong
cp spec/slow.c wrong
sed 's/"expect": "i"/"expect": "i + 1"/' spec/slow.json >wrong/slow.json
"$hone" tune wrong/slow.json -s N=700 --budget 5 --iterations 1 --unranked --store failed.sqlite >out 2>&1 && fail "wrong"
# Another time: these are results of the same five.
"$hone" tune wrong/slow.json -s N=700 --budget 5 --iterations 1 --unranked --fresh --store failed.sqlite >out 2>&1 && fail "wrong again"
known --also failed.sqlite --store eight.sqlite
grep -q '^From .* (c), N=700: 5 results, none correct$' out || fail "results that all failed are not told"
known --also one.sqlite --also failed.sqlite --store nine.sqlite --json
grep -q '"outcome":"used",.*{"name":"[^"]*N=700","results":5,"parameters":null,"outcome":"none correct","agrees":null,"best_ratio":null,' out ||
    fail "results that all failed are not in JSON"
# Beside the spec, imported.
"$hone" import --best --store spec/known.sqlite one.sqlite >out 2>&1 || fail "import"
known --store five.sqlite
# Of this very size, too: what ships with a spec answers no question, but guides the search.
rm spec/known.sqlite
"$hone" import --store spec/known.sqlite one.sqlite >out 2>&1 || fail "import of all"
here() {
    "$hone" tune spec/slow.json --jobs 1 --iterations 3 --unranked "$@" >out 2>&1 || fail "tune $* beside what is known"
}
here --budget 14 --store six.sqlite
grep -q '^From .* (c), N=1000: 30 results, used' out || fail "what is known of this size"
# Where all is tried it is no input, whatever the strategy.
here --budget 30 --strategy surrogate --store seven.sqlite
! grep -q '^From ' out || fail "all is tried"
echo "transfer: all as it should be"
