#!/bin/sh
# Two equal cards of a host against one of them:
#
#   two_cards.sh BUILD [PART...]
#
#   launches  a tune bound by launches, matmul_tiled at 8192, RUNS (3) of each in turn (the bar: 0.6 of the time)
#   builds    one bound by builds: COUNT (600) configurations of SPEC (the convolution), nothing compiled before, both cards
#             with all cores against one card with the first half of them (the bar: 1.9 times the configurations a second)
#   agree     SEEDS (20): how often two cards choose what one card chooses, or a configuration within 0.5 % of it, and how
#             often one card does so twice; and by how much the two cards' choice is slower, at most
#
# All parts by default. The cards are the kind of which most are there, the one card is the first of them; HONE_LANGUAGE is the
# language (cuda). With fewer than two of a kind it ends with status 77. With FAKE=y they are those of the fake OpenCL driver of
# the build's tests, which take the times that matmul_tiled takes on an H200, a tenth of them (TENTH=1: all of them), and
# whose driver starts, compiles and launches as slowly: where the time goes, and every fault of this script, shows without a card.
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
language=${HONE_LANGUAGE:-cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_WORKER="$build/hone-worker" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work" CUDA_CACHE_PATH="$work/cache/cuda"
cores=$(nproc)
on_half=
matmul="$here/kernels_cl/matmul_tiled.json --set WIDTH=8192"
smaller="$here/kernels_cl/matmul_tiled.json --set WIDTH=4096"
product=${SPEC:-$here/tests/bench/spaces/convolution.json}
count=${COUNT:-600}

# 44 configurations in ms: the fastest 31, the default 160, eight within 1.5 times the fastest.
fake_spec() { # FILE DIVISOR CONFIGURATIONS
    python3 - "$here/tests/fake_opencl/data" "$work" "$@" <<'END'
import json, shutil, sys
data, folder, name, divisor, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
near = [31.0, 31.4, 33.0, 34.8, 36.9, 39.5, 43.0, 46.0]
times = [160.0] + [near[i // 5] if i % 5 == 2 and i // 5 < len(near) else 50 + i * 37 % 131 for i in range(1, count)]
spec = json.load(open(data + "/forty.json"))
spec["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "list(range(%d))" % count
listed = "[" + ", ".join(str(int(1e6 * t / divisor)) for t in times) + "][ID]"
spec["ConfigurationSpace"]["Derived"] = [{"Name": "FAKE_NS", "Expression": listed}]
json.dump(spec, open("%s/%s" % (folder, name), "w"))
for file in "forty.cl", "ones.f32":
    shutil.copy("%s/%s" % (data, file), folder)
END
}

if [ -n "${FAKE:-}" ]; then
    export LD_LIBRARY_PATH="$build/tests/fake_opencl/driver" FAKE_CL_KIND=card FAKE_CL_DEVICES=2 FAKE_CL_NOISE=3000
    export FAKE_CL_TAKES="clGetPlatformIDs:60,clCreateContext:120,clBuildProgram:${COMPILE_MS:-60}"
    fake_spec matmul.json "${TENTH:-10}" 44
    fake_spec smaller.json $((8 * ${TENTH:-10})) 44
    fake_spec product.json 2000 "$count"
    matmul=$work/matmul.json smaller=$work/smaller.json product=$work/product.json language=opencl
fi

# The ids of the cards of the kind of which most are there, the first one first.
"$build/hone" devices --json >"$work/devices"
cards=$(python3 - "$language" "$work/devices" <<'END'
import collections, json, sys
ids = collections.defaultdict(list)
for d in json.load(open(sys.argv[2]))["devices"]:
    if d["language"] == sys.argv[1] and d["type"] == "gpu":
        ids[d["name"]].append(d["id"])
print(*max(ids.values(), key=len, default=[]), sep="\n")
END
)
[ "$(echo "$cards" | wc -l)" -gt 1 ] || { echo "there are no two equal cards that run $language" >&2; exit 77; }
first=$(echo "$cards" | sed -n 1p)
echo "$(echo "$cards" | wc -l) cards, the first $first; $cores cores, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%dT%H:%MZ)"
"$build/hone" devices | grep -F "${first##*/}" | head -1 || true

# A driver takes a second to take down the last tune's contexts, and the next one's would wait for that.
tune() { # NAME SPEC ARGUMENT...
    name=$1
    shift
    sleep "${PAUSE:-2}"
    # shellcheck disable=SC2068 # a spec with its sizes is several words
    ${on_half:+taskset -c 0-$((cores / 2 - 1))} ${TRACE:+env HONE_TRACE="$TRACE/$name.trace"} "$build/hone" tune $@ --language "$language" --device "$first" --json --fresh --no-store \
        >"$work/$name" 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
    [ -z "${TRACE:-}" ] || cp "$work/$name" "$TRACE/$name.json"
}

ratio() { # TITLE: of the runs in one.N and both.N
    python3 - "$work" "$1" <<'END'
import glob, json, statistics, sys
def rows(kind):
    for path in sorted(glob.glob("%s/%s.*" % (sys.argv[1], kind))):
        yield next(r for r in map(json.loads, open(path)) if r["type"] == "summary")
one, both = list(rows("one")), list(rows("both"))
def wall(r):
    return r["timing"]["wall_ns"]
times = [wall(b) / wall(a) for a, b in zip(one, both)]
pace = [b["done"] / wall(b) / (a["done"] / wall(a)) for a, b in zip(one, both)]
print("%s: one card %.2f s, both %.2f s: %.3f of the time (%.3f .. %.3f), %.3f times the configurations a second (%.3f .. %.3f), %d runs" % (
    sys.argv[2], statistics.median(map(wall, one)) / 1e9, statistics.median(map(wall, both)) / 1e9,
    statistics.median(times), min(times), max(times), statistics.median(pace), min(pace), max(pace), len(times)))
for name, r in ("one", one[0]), ("both", both[0]):
    print("  %s:" % name, json.dumps({k: r["ranking"].get(k) for k in ("contenders", "rounds", "tied", "launches", "elapsed_ns")}),
          "ms:", " ".join("%s %.0f" % (k[:-3], v / 1e6) for k, v in r["timing"].items() if k.endswith("_ns") and v > 2e6))
print("  cards:", json.dumps([[d["name"], d["state"], d["results"], d["rounds"], d.get("ratio")] for d in both[0].get("devices", [])]), flush=True)
END
    rm -f "$work"/one.* "$work"/both.*
}

launches() {
    tune warm "$matmul"
    for run in $(seq "${RUNS:-3}"); do
        tune one."$run" "$matmul" --seed "$run"
        tune both."$run" "$matmul" --seed "$run" --on local
    done
    ratio "matmul_tiled, 8192 (bar: 0.6)"
}

builds() {
    for run in $(seq "${RUNS:-3}"); do
        rm -rf "$work/cache"
        (
            on_half=y
            tune one."$run" "$product" --budget "$count" --seed "$run"
        )
        rm -rf "$work/cache"
        tune both."$run" "$product" --budget "$count" --seed "$run" --on local
    done
    ratio "$(basename "${product%% *}"), $count configurations, $((cores / 2)) cores and $cores (bar: 1.9 times a second)"
}

agree() {
    for seed in $(seq "${SEEDS:-20}"); do
        tune first."$seed" "$smaller" --seed "$seed"
        tune again."$seed" "$smaller" --seed $((seed + 1000))
        tune pair."$seed" "$smaller" --seed "$seed" --on local
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
    # How much slower than the first one's choice, by the first one's ranking; where that has it not, by the other's.
    loss = []
    for s in range(1, n + 1):
        (a, ranked), (b, other) = chosen("first", s), chosen(kind, s)
        loss.append(ranked[b] / ranked[a] if b in ranked else other[b] / other[a] if a in other else math.inf)
    same = sum(l <= 1.005 for l in loss)
    p, z = same / n, 1.96  # Wilson 1927
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    print("%s: within 0.5 %% in %d of %d [%.2f .. %.2f], the choice slower by %.2f %% at most" % (
        title, same, n, middle - half, middle + half, 100 * (max(loss) - 1)), flush=True)
END
}

for part in ${*:-launches builds agree}; do
    case $part in
    launches | builds | agree) "$part" ;;
    *) echo "two_cards.sh: '$part' is none of launches, builds, agree" >&2; exit 2 ;;
    esac
done
