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
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data"

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
tune() { expect 0 'Best of' "$hone" tune fill.json "$@"; }

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

# ---- the end ----------------------------------------------------------------------------------
[ $failures -eq 0 ] && echo "all as it should be"
[ $failures -eq 0 ]
