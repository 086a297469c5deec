#!/bin/bash
# Records whole spaces of kernels of the gallery with longer lists of values (tests/bench/spaces), each at two or three
# sizes, as compressed T4 files: what `hone score --also` and transfer_pairs.py learn from size to size, from language to
# language and from device to device.
#
#   tests/bench/record_spaces.sh BUILD OUT [KERNEL...]     KERNEL: convolution, stencil, histogram, nbody; default: all
#
# In the environment: LANGUAGES (default "opencl cuda"), SIZES (default "large medium small"; nbody has no medium one), DEVICE and
# NAME (what the files call it, default "here"), PASSES (default 5), LIMIT (seconds for a pass, default 300; what is not recorded
# by then is missing), JOBS, LAUNCHES (of each configuration in a pass, default 15). A tune launches most configurations once, and
# the best of thousands of single launches is the luckiest; and launches that follow each other share what the machine does just then.
# So each pass is a process of its own that builds, verifies and launches every configuration, in another order at random, and a
# time is the median of the passes' medians. Writes OUT/KERNEL_SIZE_NAME_LANGUAGE_T4.json.gz, with the passes' medians and the
# first one's costs, and a line for each with its count, its fastest and its median time, how far two passes are apart, and how long it
# took. The convolution is called filter: transfer_pairs.py takes files that begin alike for one kernel, and the benchmark hub's
# convolution is another. Needs python3.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
hone=$(cd "$1" && pwd)/hone
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- convolution stencil histogram nbody
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sizes_of() { # KERNEL large|medium|small: what --set is given; nothing: the kernel has no such size
    case $1-$2 in
    convolution-large) echo H=3840 W=3840 ;;
    convolution-medium) echo H=1920 W=1920 ;;
    convolution-small) echo H=960 W=960 ;;
    stencil-large) echo H=7680 W=7680 ;;
    stencil-medium) echo H=3840 W=3840 ;;
    stencil-small) echo H=1920 W=1920 ;;
    histogram-large) echo N=67108864 ;;
    histogram-medium) echo N=16777216 ;;
    histogram-small) echo N=4194304 ;;
    nbody-large) echo N=15360 ;;
    nbody-small) echo N=7680 ;;
    esac
}

record() { # KERNEL SIZE LANGUAGE
    local spec=$root/tests/bench/spaces/$1.json set=() sizes file pass started=$SECONDS
    sizes=$(sizes_of "$1" "$2")
    [ "$sizes" ] || return 0
    for constant in $sizes; do set+=(--set "$constant"); done
    set+=(--language "$3" ${DEVICE:+--device "$DEVICE"} --store "$work/store.sqlite")
    file=${1/convolution/filter}_${sizes##*=}_${NAME:-here}_$3_T4.json
    rm -f "$work"/pass-*
    for ((pass = 0; pass < ${PASSES:-5}; pass++)); do
        rm -f "$work"/store*
        timeout -s INT "${LIMIT:-300}" "$hone" tune "$spec" "${set[@]}" ${JOBS:+--jobs "$JOBS"} --strategy random --seed $pass \
            --budget 100% --iterations "${LAUNCHES:-15}" >"$work/said" 2>&1 || tail -n 3 "$work/said"
        "$hone" export "$spec" "${set[@]}" --format t4 --output "$work/pass-$pass" >"$work/said" 2>&1 ||
            { tail -n 3 "$work/said"; return; }
    done
    python3 "$root/tests/bench/merge_passes.py" "$work"/pass-* >"$work/$file" || return
    "$hone" score "$work/$file" --strategy random --repeats 1 | sed -n "1s|^$work/||p"
    echo "    in $((SECONDS - started)) s"
    gzip -9n <"$work/$file" >"$out/$file.gz"
}

for kernel; do
    for size in ${SIZES:-large medium small}; do
        for language in ${LANGUAGES:-opencl cuda}; do
            record "$kernel" "$size" "$language"
        done
    done
done
