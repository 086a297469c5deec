#!/bin/bash
# What a deployed table loses against tuning each size by itself, at 12 sizes that were not measured for it.
#
#   tests/bench/deploy.sh [BUILD [SPEC]]
#
# BUILD (default build) has hone, SPEC is kernels_cl/matmul_tensor.json unless said otherwise. Two parts, each of which goes
# on where it was when it is started again, since one may be all that fits into a session:
#
#   deploy   hone deploy at POINTS (default: 256..8192), HOLD_OUT sizes between them (default 12), BUDGET each
#   judge    COUNT sizes (12), multiples of 8, drawn by DRAW (default SEED + 1) and not among the points: the table's
#            configuration, that of a tune of the size itself (TUNE, default 30s) and the default, ranked in interleaved rounds;
#            and the table's against a library (AGAINST, default cublas-tf32; "" for none) by hone compare. DEVICES, several
#            alike, take the sizes in turn
#
# In the environment: PART (deploy, judge; default both), DEVICE, DEVICES (default DEVICE; words that --device takes),
# LANGUAGE (default cuda), STORE (default: a file in the build folder), WITHIN (default 2%), COLUMNS (default "M N K", all
# with one size). Prints a row for each size; then the geometric means of the table's time over the tune's, of the default's
# over the table's and of the library's over the table's, each with its worst. Which configuration the table has for a size is
# asked of the deployed header. Needs python3 and cc.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
spec=${2:-$root/kernels_cl/matmul_tensor.json}
hone=$build/hone
columns=${COLUMNS:-M N K}
language=${LANGUAGE:-cuda}
against=${AGAINST-cublas-tf32}
read -ra devices <<<"${DEVICES:-${DEVICE:-}}"
place=(--language "$language" --store "${STORE:-$build/deploy-bench.sqlite}")
where=("${place[@]}" ${DEVICE:+--device "$DEVICE"})
points=${POINTS:-256..8192}
seed=${SEED:-17}
out=$build/deploy-bench
set_to() { # SIZE or a range: what --set is given, every column the same
    local first=
    for column in $columns; do
        echo "--set $column=${first:-$1}"
        first=${first:-$column}
    done
}
deploy() {
    # shellcheck disable=SC2046 # words of a list
    "$hone" deploy "$spec" "${where[@]}" $(set_to "$points") --budget "${BUDGET:-30s}" --within "${WITHIN:-2%}" \
        --hold-out "${HOLD_OUT:-12}" --seed "$seed" --name table "$@"
}
part=${PART:-both}
if [ "$part" != judge ]; then
    echo "== deploy: $(basename "$spec"), ${columns// /=}=$points"
    time deploy -o "$out.json"
fi
[ "$part" != deploy ] || exit 0
[ -s "$out.json" ] || deploy -o "$out.json"
deploy -o "$out.h" >"$out.log" 2>&1 || { # all of it is known by now
    cat "$out.log"
    exit 1
}

# Rows of another table do not count.
rows=$out.$(sha256sum "$out.h" | cut -c 1-12).rows
touch "$rows"
echo "== judge: ${COUNT:-12} sizes that are no points, each tuned ${TUNE:-30s}"
arguments=
for _ in $columns; do arguments="${arguments:+$arguments, }size"; done
cat >"$out.c" <<END
#include "deploy-bench.h"
#include <stdio.h>
#include <stdlib.h>

/* DEVICE SIZE...: the size; the table's configuration; the default. */
int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const long size = atol(argv[i]);
        const table_configuration *best = table_best(argv[1], $arguments);
        if (best)
            printf("%ld;%s;%s\n", size, best->text, table_default()->text);
    }
    return 0;
}
END
cc -std=c99 -I "$build" "$out.c" -o "$out.ask"
mapfile -t drawn < <(python3 - "$out.json" "${DRAW:-$((seed + 1))}" "${COUNT:-12}" <<'END'
import json, math, random, sys
device = json.load(open(sys.argv[1]))["devices"][0]
known = sorted(p["shape"][0] for p in device["points"])
draw, count, sizes = random.Random(int(sys.argv[2])), int(sys.argv[3]), []
low, high = math.log2(known[0]), math.log2(known[-1])
for _ in range(10000):
    size = round(2 ** draw.uniform(low, high) / 8) * 8
    if len(sizes) < count and known[0] < size < known[-1] and size not in known and size not in sizes:
        sizes.append(size)
print(device["name"])
print(*sorted(sizes), sep="\n")
END
)
row() { # SIZE CONFIGURATION DEFAULT DEVICE
    local at chosen=${2//, /,} default=${3//, /,} best out=$out.$1 where=("${place[@]}" ${4:+--device "$4"})
    at=$(for column in $columns; do echo "--set $column=$1"; done)
    # shellcheck disable=SC2086
    "$hone" tune "$spec" "${where[@]}" $at --budget "${TUNE:-30s}" >"$out.log" 2>&1 || { tail -n 3 "$out.log"; return; }
    # shellcheck disable=SC2086
    "$hone" best "$spec" "${where[@]}" $at --json >"$out.best" 2>>"$out.log" || { tail -n 3 "$out.log"; return; }
    best=$(python3 -c 'import json, sys
print(",".join(f"{k}={v}" for k, v in json.load(open(sys.argv[1]))["configuration"].items()))' "$out.best")
    # All three in one ranking; a configuration that is twice in it is there once. Nothing that is known stands in.
    # shellcheck disable=SC2086
    "$hone" tune "$spec" "${where[@]}" $at --config "$chosen" --config "$best" --config "$default" --fresh --json \
        >"$out.ranked" 2>>"$out.log" || { tail -n 3 "$out.log"; return; }
    : >"$out.library"
    # shellcheck disable=SC2086
    [ -z "$against" ] || "$hone" compare "$spec" "${where[@]}" $at --config "$chosen" --against "$against" --json \
        >"$out.library" 2>>"$out.log" || tail -n 3 "$out.log"
    python3 - "$1" "$chosen" "$best" "$default" "$out.ranked" "$out.library" <<'END'
import json, sys
size, *names, ranked, library = sys.argv[1:]
found = {}  # by configuration: what was screened, then what was ranked
for line in open(ranked):
    row = json.loads(line)
    if row.get("type") in ("result", "ranked") and row.get("median_ns"):
        found[",".join(f"{k}={v}" for k, v in row["configuration"].items())] = row
table, best, default = (found.get(name) for name in names)
def ratio(a, b):  # of times; of rounds in turn where both were in them
    if not a or not b:
        return "-"
    if a["time_basis"] == b["time_basis"] == "ranked" and a.get("ratio") and b.get("ratio"):
        return f"{a['ratio'] / b['ratio']:.4f}"
    return f"{a['median_ns'] / b['median_ns']:.4f}"
beside = "-"
text = open(library).read().strip()
if text:
    sides = json.loads(text.splitlines()[-1])["rows"][0]["sides"]
    if all(side.get("ratio") for side in sides):
        beside = f"{sides[1]['ratio'] / sides[0]['ratio']:.4f}"
print(size, ratio(table, best), ratio(default, table), beside, f"{table['median_ns'] / 1e3:.2f}" if table else "-")
END
}

echo "size  table/tune  default/table  ${against:-library}/table  table, us"
"$out.ask" "${drawn[@]}" >"$out.asked"
grep . "$rows" || : # judged before: goes on with the others
of_device() { # FIRST DEVICE: of the sizes in turn, from that one on
    local number=0
    while IFS=';' read -r size chosen default <&3; do
        if [ $((number++ % count)) = "$1" ] && ! grep -q "^$size " "$rows"; then
            row "$size" "$chosen" "$default" "$2" | tee "$out.$size.row"
            grep "^$size " "$out.$size.row" >>"$rows" || :
        fi
    done 3<"$out.asked"
}
count=$((${#devices[@]} > 1 ? ${#devices[@]} : 1))
for ((i = 0; i < count; i++)); do
    of_device "$i" "${devices[i]:-}" &
done
wait
python3 - "$rows" "${against:-library}" <<'END'
import math, sys
rows = [line.split() for line in open(sys.argv[1])]
if not rows:
    sys.exit("no size could be judged")
def tell(what, column, worst_of):
    known = {row[0]: float(row[column]) for row in rows if row[column] != "-"}
    if known:
        mean = math.exp(sum(map(math.log, known.values())) / len(known))
        worst = worst_of(known, key=known.get)
        print(f"{what}: {mean:.4f} (geometric mean of {len(known)} sizes), worst {known[worst]:.4f} at {worst}")
tell("the table's time over that of a tune of the size", 1, max)
tell("the default's time over the table's", 2, min)
tell(f"that of {sys.argv[2]} over the table's", 3, min)
END
