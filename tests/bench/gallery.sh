#!/bin/bash
# Tunes each kernel of kernels_cl/examples in each language that the device has and prints the best beside the device's bound,
# as hone peak measures it: reading for what only reads, copying for what reads and writes, fp32 for arithmetic.
#
#   tests/bench/gallery.sh [BUILD [EXAMPLE...]]
#
# BUILD (default build) has hone; an EXAMPLE is a name such as saxpy; without any: all. In the environment: BUDGET of each
# tune (default 18s, of nbody 40s, which keeps sixteen of them below 8 minutes), DEVICE (any part of a name), LANGUAGES (default:
# opencl, and cuda where there is one). Sizes are such that data lies outside of the cache: SIZES=large for a GPU, medium for a CPU; small
# are those of the specs. STORE keeps the results; by default the store is the script's own. Of several measurements of the
# bound that it has, the highest counts. Needs python3.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
[ $# -eq 0 ] || shift
hone=$build/hone
examples=${*:-saxpy reduction transpose stencil convolution blur histogram scan nbody}
budget=${BUDGET:-18s}
device=(${DEVICE:+--device "$DEVICE"})
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
store=${STORE:-$scratch/gallery.sqlite}
"$hone" devices --json >"$scratch/devices.json" 2>/dev/null
languages=${LANGUAGES:-$(python3 - "$scratch/devices.json" <<'END'
import json, sys
has = open(sys.argv[1]).read()
print("opencl cuda" if '"language":"cuda"' in has else "opencl")
END
)}
case $languages in
*cuda*) sizes=${SIZES:-large} ;;
*) sizes=${SIZES:-medium} ;;
esac
constants() { # EXAMPLE: what --set is given
    case $sizes-$1 in
    small-*) ;;
    large-saxpy | large-reduction | large-histogram | large-scan) echo "--set N=67108864" ;;
    large-transpose | large-stencil) echo "--set H=8192 --set W=8192" ;;
    large-convolution | large-blur) echo "--set H=4096 --set W=4096" ;;
    large-nbody) echo "--set N=16384" ;;
    *-saxpy | *-reduction | *-scan) echo "--set N=16777216" ;;
    *-transpose | *-stencil) echo "--set H=4096 --set W=4096" ;;
    *-histogram) echo "--set N=4194304" ;;
    *-convolution | *-blur) echo "--set H=1024 --set W=1024" ;;
    *-nbody) echo "--set N=2048" ;;
    esac
}

date -u +"%Y-%m-%d, BUDGET=$budget"
uptime
printf '%-12s %-8s %10s  %-24s %-14s %-26s %5s  %s\n' kernel language median "95 % interval" best bound share configuration
for language in $languages; do
    "$hone" peak --language "$language" "${device[@]}" --store "$store" >/dev/null 2>"$scratch/err" ||
        { echo "hone peak --language $language: $(tail -n 1 "$scratch/err")"; continue; }
    for example in $examples; do
        # The expression of nbody takes N * N terms four times over, which counts as time of the tune.
        [ "$example" = nbody ] && time=${BUDGET:-40s} || time=$budget
        # shellcheck disable=SC2046
        "$hone" tune "$root/kernels_cl/examples/$example.json" --language "$language" "${device[@]}" --store "$store" \
            --budget "$time" $(constants "$example") --json >"$scratch/tune.json" 2>"$scratch/err" || :
        python3 - "$scratch/tune.json" "$example" "$language" <<'END' || tail -n 1 "$scratch/err"
import json, sys
path, example, language = sys.argv[1:]
lines = [json.loads(line) for line in open(path) if line.strip()]
summary = next((x for x in lines if x.get("type") == "summary"), None)
best = summary and summary["best"]
if not best:
    print(f"{example:12} {language:8} no correct configuration")
    sys.exit(1)
bounds = {"nbody": "fp32", "convolution": "fp32", "reduction": "memory_read", "histogram": "memory_read"}
titles = {"fp32": ("GFLOP/s", "fp32"), "memory_read": ("GB/s", "memory, read"), "memory_copy": ("GB/s", "memory, copied")}
bound = bounds.get(example, "memory_copy")
unit, title = titles[bound]
rate = best["metrics"][unit]
limit = ((summary.get("peak") or {}).get("limits") or {}).get(bound) or {}
peak = (limit.get("rate") or 0) / 1e9
share = f"{100 * rate / peak:.0f} %" if peak else "-"
where = ", ".join(f"{k}={v}" for k, v in best["configuration"].items())
time = best["median_ns"]
shown = f"{time / 1e6:.3f} ms" if time >= 1e6 else f"{time / 1e3:.2f} us"
spread = " .. ".join(f"{t / 1e3:.4g}" for t in best["interval_ns"]) + " us" if best["interval_ns"] else "-"
print(f"{example:12} {language:8} {shown:>10}  {spread:24} {rate:<6.4g} {unit:7} {f'{peak:.4g} ({title})':26} {share:>5}  {where}")
END
    done
done
