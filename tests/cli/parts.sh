#!/bin/sh
# parts.sh HONE SCRATCH: a space in parts as a job array tunes it, each with a store of its own; united, they are the tune of
# the whole, of which nothing is measured again but the ranking. The kernel is in C: no driver is needed but the compiler.
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
cat >fill.c <<'END_OF_KERNEL'
void fill(volatile float *y, int n)
{
    volatile int name = 10 * A + B; // no two are built the same, and all take the same time
    for (int r = 0; r < 8; r++)
        for (int i = 0; i < n; i++)
            y[i] = i;
}
END_OF_KERNEL
cat >fill.json <<'END_OF_SPEC'
{"kernel": "fill.c", "constants": {"N": 1000}, "parameters": {"A": [0, 1, 2, 3], "B": [0, 1, 2]}, "global": [1],
 "arguments": {"y": {"size": "N", "expect": "i"}, "n": "N"}}
END_OF_SPEC

configurations() { # of a run's JSON
    grep '"type":"result"' "$1" | sed 's/.*"configuration":\({[^}]*}\).*/\1/' | LC_ALL=C sort
}
for part in 1 2 3; do
    "$hone" tune fill.json --part $part/3 --iterations 3 --store part$part.sqlite --json >out 2>&1 || fail "part $part"
    configurations out >>all
done
[ "$(wc -l <all)" = 12 ] && [ "$(LC_ALL=C sort -u all | wc -l)" = 12 ] || fail "not every configuration is in one part"
for part in 1 2 3; do
    "$hone" import --store united.sqlite part$part.sqlite >out 2>&1 || fail "import of part $part"
done
"$hone" tune fill.json --iterations 3 --store united.sqlite --json >out 2>&1 || fail "the whole"
[ "$(grep -c '"type":"result".*"reused":true' out)" = 12 ] || fail "united, something was measured again"

# A ranking of a part is none of the whole.
"$hone" tune fill.json --part 1/3 --store one.sqlite >out 2>&1 || fail "a part that is ranked"
grep -q 'are valid and in part 1/3' out || fail "what is tried is said to be all that is valid"
"$hone" best fill.json --store one.sqlite >out 2>&1 || fail "best of a part"
grep -q -- '--part 1/3' out || fail "the best is said to be that of the whole"

# What there is to refuse.
for wrong in 0/3 4/3 3 x/y 1/; do
    status=0
    "$hone" tune fill.json --part $wrong --no-store >out 2>&1 || status=$?
    [ $status = 2 ] && grep -q 'write I/N' out || fail "--part $wrong"
done
for part in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
    "$hone" check fill.json --part $part/14 --no-store >out 2>&1 || {
        grep -q "part $part of 14 is empty, as the whole has 12 configurations; take fewer parts" out || fail "empty parts"
        empty=yes
    }
done
[ "${empty:-no}" = yes ] || fail "14 parts of 12 configurations, and none is empty"
echo "parts: all as it should be"
