#!/bin/bash
# What a deployed table loses against tuning each size by itself, at 12 sizes that were not measured for it.
#
#   tests/bench/deploy.sh [BUILD [SPEC]]
#
# BUILD (default build) has hone, SPEC is kernels_cl/matmul_tensor.json unless said otherwise. Two parts, each of which goes
# on where it was when it is started again, since one may be all that fits into a session:
#
#   deploy   hone deploy at POINTS (default: M=256..8192, square), HOLD_OUT sizes between them (default 12), BUDGET each
#   judge    12 sizes, drawn by SEED and not among the points: the table's configuration and that of a tune of the size itself
#            (TUNE, default 30s), ranked in interleaved rounds; and the better one against cuBLAS (AGAINST; "" for none) by hone compare
#
# In the environment: PART (deploy, judge; default both), DEVICE, LANGUAGE (default cuda), STORE (default: a file in the
# build folder), WITHIN (default 2%), COLUMNS (default "M N K", all with one size). Prints a row for each size, the geometric
# mean of the table's time over the tune's, and the worst. Needs python3.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
spec=${2:-$root/kernels_cl/matmul_tensor.json}
hone=$build/hone
store=${STORE:-$build/deploy-bench.sqlite}
columns=${COLUMNS:-M N K}
language=${LANGUAGE:-cuda}
against=${AGAINST-cublas-tf32}
where=(--language "$language" --store "$store" ${DEVICE:+--device "$DEVICE"})
points=${POINTS:-256..8192}
seed=${SEED:-17}
set_to() { # SIZE or a range: what --set is given, every column the same
    local first=
    for column in $columns; do
        if [ -z "$first" ]; then
            first=$column
            echo "--set $column=$1"
        else
            echo "--set $column=$first"
        fi
    done
}
set_all() { # SIZE: the same for a command that takes one size
    for column in $columns; do echo "--set $column=$1"; done
}
deploy() {
    # shellcheck disable=SC2046
    "$hone" deploy "$spec" "${where[@]}" $(set_to "$points") --budget "${BUDGET:-30s}" --within "${WITHIN:-2%}" \
        --hold-out "${HOLD_OUT:-12}" --seed "$seed" "$@"
}
part=${PART:-both}
if [ "$part" != judge ]; then
    echo "== deploy: $(basename "$spec"), ${columns// /=}=$points"
    time deploy -o "$build/deploy-bench.json"
fi
[ "$part" != deploy ] || exit 0
[ -s "$build/deploy-bench.json" ] || deploy -o "$build/deploy-bench.json"

echo "== judge: 12 sizes that are no points, each tuned ${TUNE:-30s}"
sizes=$(python3 - "$build/deploy-bench.json" "$seed" <<'END'
import json, math, random, sys
table = json.load(open(sys.argv[1]))
known = sorted(p["shape"][0] for p in table["devices"][0]["points"])
draw, sizes = random.Random(int(sys.argv[2]) + 1), []
low, high = math.log2(known[0]), math.log2(known[-1])
for _ in range(10000):
    size = round(2 ** draw.uniform(low, high) / 8) * 8
    if len(sizes) < 12 and known[0] < size < known[-1] and size not in known and size not in sizes:
        sizes.append(size)
print(*sorted(sizes))
END
)
rows=$build/deploy-bench.rows
: >"$rows"
for size in $sizes; do
    # shellcheck disable=SC2046
    "$hone" tune "$spec" "${where[@]}" $(set_all "$size") --budget "${TUNE:-30s}" >/dev/null 2>&1 || true
    # shellcheck disable=SC2046
    "$hone" best "$spec" "${where[@]}" $(set_all "$size") --json >"$build/deploy-bench.best" 2>/dev/null
    chosen=$(python3 - "$build/deploy-bench.json" "$size" <<'END'
import json, math, sys
table, size = json.load(open(sys.argv[1])), int(sys.argv[2])
log = lambda x: math.floor(math.log2(x) * 65536)
point = min(table["devices"][0]["points"], key=lambda p: sum((log(s) - log(size)) ** 2 for s in p["shape"]))
print(table["configurations"][point["configuration"]]["configuration"].replace(", ", ","))
END
)
    best=$(python3 -c 'import json, sys
found = json.load(open(sys.argv[1]))["configuration"]
print(",".join(f"{k}={v}" for k, v in found.items()))' "$build/deploy-bench.best")
    # Interleaved: both configurations in one ranking, three times as many rounds as usual.
    # shellcheck disable=SC2046
    "$hone" tune "$spec" "${where[@]}" $(set_all "$size") --config "$chosen" --config "$best" --json \
        >"$build/deploy-bench.ranked" 2>/dev/null || true
    library=
    if [ -n "$against" ]; then
        # shellcheck disable=SC2046
        library=$("$hone" compare "$spec" "${where[@]}" $(set_all "$size") --against "$against" --json 2>/dev/null | tail -n 1)
    fi
    python3 - "$build/deploy-bench.ranked" "$size" "$chosen" "$best" "$library" <<'END' | tee -a "$rows"
import json, sys
ranked, size, chosen, best, library = sys.argv[1:]
times = {}
for line in open(ranked):
    try:
        row = json.loads(line)
    except ValueError:
        continue
    if row.get("type") in ("result", "ranked") and row.get("median_ns"):
        times[",".join(f"{k}={v}" for k, v in row["configuration"].items())] = row["median_ns"]
ratio = times[chosen] / times[best] if chosen in times and best in times else float("nan")
times_as_fast = ""
try:
    ours, theirs = json.loads(library)["rows"][0]["sides"]
    times_as_fast = f"{theirs['median_ns'] / ours['median_ns']:.3f} times as fast as the library"
except (ValueError, LookupError, TypeError):
    pass
print(size, f"{ratio:.4f}", times.get(chosen, ""), times.get(best, ""), times_as_fast)
END
done
python3 - "$rows" <<'END'
import math, sys
rows = [line.split() for line in open(sys.argv[1])]
ratios = {int(r[0]): float(r[1]) for r in rows if r[1] != "nan"}
if not ratios:
    sys.exit("no size could be judged")
mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
worst = max(ratios, key=ratios.get)
print(f"{len(ratios)} sizes: {100 * (mean - 1):+.2f} % over a tune of the size (geometric mean), worst {100 * (ratios[worst] - 1):+.2f} % at {worst}")
END
