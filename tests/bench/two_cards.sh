#!/bin/sh
# Two equal cards of a host against one of them, on real devices:
#
#   two_cards.sh BUILD [PART...]
#
#   launches  a tune bound by launches, matmul_tiled at 8192, RUNS (3) of each in turn (the bar: 0.6 of the time)
#   builds    one bound by builds: 300 configurations of SPEC (the register-tiled product) with all cores against half of them
#             (the bar: 1.9 times the configurations a second)
#   agree     SEEDS (20): how often two cards choose what one card chooses, or a configuration within 0.5 % of it, and how
#             often one card does so twice
#
# All parts by default. The card is the kind of which most are there; DEVICE names another, HONE_LANGUAGE the language (cuda).
# With fewer than two of a kind it ends with status 77.
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
spec=${SPEC:-$here/kernels_cl/matmul_register.json}
matmul=$here/kernels_cl/matmul_tiled.json
language=${HONE_LANGUAGE:-cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_WORKER="$build/hone-worker" XDG_CACHE_HOME="$work" XDG_DATA_HOME="$work"
cores=$(nproc)

device=${DEVICE:-$("$build/hone" devices --json | python3 -c '
import collections, json, sys
cards = {(d["name"], d.get("pci") or d["id"]) for d in json.load(sys.stdin)["devices"] if d["language"] == sys.argv[1] and d["type"] == "gpu"}
(name, count), = collections.Counter(name for name, _ in cards).most_common(1) or [("", 0)]
print(name if count > 1 else "")' "$language")}
[ -n "$device" ] || { echo "there are no two equal cards that run $language" >&2; exit 77; }
echo "$device, $cores cores"

tune() { # NAME SPEC ARGUMENT...
    name=$1
    shift
    "$build/hone" tune "$@" --language "$language" --device "$device" --json --fresh --no-store >"$work/$name" 2>"$work/err" ||
        { cat "$work/err" >&2; exit 1; }
}

ratio() { # TITLE: of the runs in one.N and both.N
    python3 - "$work" "$1" <<'END'
import glob, json, statistics, sys
def rows(kind):
    for path in sorted(glob.glob("%s/%s.*" % (sys.argv[1], kind))):
        yield next(r for r in map(json.loads, open(path)) if r["type"] == "summary")
one, both = list(rows("one")), list(rows("both"))
times = [b["elapsed_ns"] / a["elapsed_ns"] for a, b in zip(one, both)]
pace = [b["done"] / b["elapsed_ns"] / (a["done"] / a["elapsed_ns"]) for a, b in zip(one, both)]
print("%s: one card %.2f s, both %.2f s: %.3f of the time (%.3f .. %.3f), %.3f times the configurations a second, %d runs" % (
    sys.argv[2], statistics.median(r["elapsed_ns"] for r in one) / 1e9, statistics.median(r["elapsed_ns"] for r in both) / 1e9,
    statistics.median(times), min(times), max(times), statistics.median(pace), len(times)))
print("  ranking of both:", json.dumps({k: both[0]["ranking"][k] for k in ("contenders", "rounds", "tied", "launches")}))
print("  cards:", json.dumps(both[0].get("devices")))
END
    rm -f "$work"/one.* "$work"/both.*
}

launches() {
    tune warm "$matmul" --set WIDTH=8192
    for run in $(seq "${RUNS:-3}"); do
        tune one."$run" "$matmul" --set WIDTH=8192 --seed "$run"
        tune both."$run" "$matmul" --set WIDTH=8192 --seed "$run" --on local
    done
    ratio "matmul_tiled, 8192 (bar: 0.6)"
}

builds() {
    rm -rf "$work"/hone
    tune one.1 "$spec" --budget 300 --jobs $((cores / 2))
    rm -rf "$work"/hone
    tune both.1 "$spec" --budget 300 --jobs "$cores" --on local
    ratio "$(basename "$spec"), 300 configurations, --jobs $((cores / 2)) and $cores (bar: 1.9 times a second)"
}

agree() {
    for seed in $(seq "${SEEDS:-20}"); do
        tune first."$seed" "$matmul" --set WIDTH=4096 --seed "$seed"
        tune again."$seed" "$matmul" --set WIDTH=4096 --seed $((seed + 1000))
        tune pair."$seed" "$matmul" --set WIDTH=4096 --seed "$seed" --on local
    done
    python3 - "$work" "${SEEDS:-20}" <<'END'
import json, math, sys
def chosen(kind, seed):
    ranked, best = {}, None
    for row in map(json.loads, open("%s/%s.%d" % (sys.argv[1], kind, seed))):
        if row["type"] == "ranked":
            ranked[json.dumps(row["configuration"])] = row["ratio"]
        elif row["type"] == "summary":
            best = json.dumps(row["best"]["configuration"])
    return best, ranked
n = int(sys.argv[2])
for kind, title in (("again", "one card twice"), ("pair", "two cards and one")):
    same = sum(chosen("first", s)[1].get(chosen(kind, s)[0], math.inf) <= 1.005 * chosen("first", s)[1][chosen("first", s)[0]]
               for s in range(1, n + 1))
    p, z = same / n, 1.96  # Wilson 1927
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    print("%s: within 0.5 %% in %d of %d [%.2f .. %.2f]" % (title, same, n, middle - half, middle + half))
END
}

for part in ${*:-launches builds agree}; do
    case $part in
    launches | builds | agree) "$part" ;;
    *) echo "two_cards.sh: '$part' is none of launches, builds, agree" >&2; exit 2 ;;
    esac
done
