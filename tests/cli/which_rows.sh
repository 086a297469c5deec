#!/bin/sh
# which_rows.sh HONE SCRATCH: which of the stored results an answer is taken from: rankings of a part beside those of the
# whole, cold inputs beside warm ones. The kernel is in C and takes nine times as long with A=3 as with A=1: what the
# answers have to be does not depend on the machine.
set -u
hone=$1 scratch=$2
failures=0
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
# expect STATUS PATTERN COMMAND...: its exit status, and a pattern in what it says ("!PATTERN": that is not there).
expect() {
    status=$1 pattern=$2
    shift 2
    said=$("$@" 2>&1)
    got=$?
    [ $got -eq "$status" ] || fail "$* exits with $got: $said"
    case $pattern in
    !*) ! printf '%s\n' "$said" | grep -qE -- "${pattern#!}" || fail "$*: '${pattern#!}' is in: $said" ;;
    *) printf '%s\n' "$said" | grep -qE -- "$pattern" || fail "$*: no '$pattern' in: $said" ;;
    esac
}
cat >fill.c <<'END_OF_KERNEL'
void fill(volatile float *y, int n)
{
    for (int r = 0; r < 4 * A * A; r++)
        for (int i = 0; i < n; i++)
            y[i] = i;
}
END_OF_KERNEL
cat >fill.json <<'END_OF_SPEC'
{"kernel": "fill.c", "constants": {"N": 1000}, "parameters": {"A": [3, 1, 2]}, "global": [1],
 "arguments": {"y": {"size": "N", "expect": "i"}, "n": "N"}}
END_OF_SPEC
# Few launches: a cold one first writes as much as the last-level cache holds, which may be half a GiB. All take part in the
# ranking, whose medians a busy machine disturbs less than the one launch before.
few='--rule rounds=8 --rule settled=1 --rule resolution=1 --rule repeats=0 --rule hopeless=1e6 --rule certain=1e6 --rule near=1e6'
tune() { expect 0 'Best: ' "$hone" tune fill.json $few "$@"; }

# ---- cold beside warm ---------------------------------------------------------------------------
tune --store cold.sqlite
tune --store cold.sqlite --cold --where 'A > 1'
expect 0 'Configuration: A=1' "$hone" best fill.json --store cold.sqlite
expect 0 'Measured: .* with warm inputs' "$hone" best fill.json --store cold.sqlite
expect 0 '"cold":false' "$hone" best fill.json --store cold.sqlite --json
expect 0 'Configuration: A=2' "$hone" best fill.json --store cold.sqlite --where 'A > 1'
expect 0 'A=1' "$hone" sweep fill.json --set N=1000,2000 --store cold.sqlite --known
tune --store other.sqlite --where 'A > 1'
tune --store other.sqlite --cold
expect 0 'Measured: .* with cold inputs' "$hone" best fill.json --store other.sqlite

# ---- a part beside the whole, and a table of them -----------------------------------------------
deploy() { "$hone" deploy fill.json --known "$@"; }
tune --store part.sqlite
tune --store part.sqlite --where 'A > 1' --fresh
expect 0 'A=1$' deploy --set N=1000 --store part.sqlite
expect 0 '([6-9]|1[0-9])\.[0-9]+ times as fast as the default' deploy --set N=1000 --store part.sqlite
expect 0 '!only a part' deploy --set N=1000 --store part.sqlite
expect 0 '^A=1$' "$hone" best fill.json --set N=1100 --nearest --store part.sqlite
expect 0 'Configurations:|A=2' deploy --set N=1000 --where 'A > 1' --store part.sqlite
expect 0 '!A=1' deploy --set N=1000 --where 'A > 1' --store part.sqlite
expect 0 '!A=1' deploy --set N=1000 --config A=2 --store part.sqlite
expect 2 'nonsense' deploy --set N=1000 --where 'nonsense +' --store part.sqlite
expect 2 'is chosen by the time' deploy --set N=1000 --objective max:time --store part.sqlite
expect 2 'known and --budget exclude' deploy --set N=1000 --budget 3 --store part.sqlite
expect 2 'known and --on exclude' deploy --set N=1000 --on local --store part.sqlite
expect 1 'nothing is known at 777: no table' deploy --set N=1000,777 --store part.sqlite -o table.json
[ ! -e table.json ] || fail 'a table that leaves out a size'
expect 1 'no table' deploy --set N=777 --store part.sqlite
tune --store alone.sqlite --where 'A > 1'
expect 0 "At 1000 only a part of the space is ranked: --where 'A > 1'" deploy --set N=1000 --store alone.sqlite
expect 0 "within a part of the space only: --where 'A > 1'" "$hone" best fill.json --set N=1100 --nearest --store alone.sqlite
expect 0 '' deploy --set N=1000 --store part.sqlite -o table.json
expect 2 'check and --output exclude' "$hone" deploy --check table.json -o other.json
expect 2 'check and --format exclude' "$hone" deploy --check table.json --format json
expect 2 'check and --set exclude' "$hone" deploy --check table.json --set N=5
expect 0 '' "$hone" deploy --check table.json

# ---- what a tune says of itself -----------------------------------------------------------------
expect 0 'Next: hone best fill.json --store share.sqlite --config' "$hone" tune fill.json $few --part 1/2 --store share.sqlite
tune --store two.sqlite
expect 0 '!earlier rankings' "$hone" tune fill.json $few --store two.sqlite
expect 0 'from earlier rankings; times of different rankings cannot be compared' "$hone" tune fill.json $few --store two.sqlite --unranked
expect 0 'over the default: [0-9.]+ \[' "$hone" tune fill.json $few --store two.sqlite --unranked
tune --store two.sqlite --where 'A < 3' --fresh
expect 0 'over the default: not known \(not measured together' "$hone" tune fill.json $few --store two.sqlite --unranked
"$hone" export fill.json --store two.sqlite --format csv >recorded.csv 2>/dev/null
expect 0 'over the default: not known \(a recording names no default' "$hone" tune --replay recorded.csv
expect 0 'over the default: [0-9]' "$hone" tune fill.json --replay recorded.csv

# ---- the end ----------------------------------------------------------------------------------
[ $failures -eq 0 ] && echo "all as it should be"
[ $failures -eq 0 ]
