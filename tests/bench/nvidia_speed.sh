#!/bin/sh
# Tuning speed on an NVIDIA GPU, against Kernel Tuner where it is installed:
#
#   tests/bench/nvidia_speed.sh BUILD [N] [PART ...]
#
# BUILD: configured with the tests. N: how often each is run, in turn (3). Parts, all by default:
#
#   cuda     matmul_tiled in CUDA, warm caches: hone against Kernel Tuner (CuPy)
#   opencl   the same in OpenCL, cold caches: hone against Kernel Tuner (pyopencl), or without it
#            against tests/bench/classic, which builds and verifies one configuration after the other
#   whole    hone alone over the whole space, which Kernel Tuner cannot run to its end
#   pool     144 variants built and nothing else, in OpenCL: all cores against one process
#   large    wall time after start-up over the larger of (kernels' time, verification included) and
#            (wall time of --build-only), matmul_register's 588 configurations, both languages
#   winner   hone's winner against the best of a search with 30 launches of each, launched in turn
#   script   one script (kernel_tuner_matmul.py) as whole processes, warm caches: under Kernel Tuner against
#            python -m hone.kernel_tuner; SCRIPT_LANGUAGE: cuda (CuPy) or opencl (pyopencl)
#   examples each Python script of the folder EXAMPLES under python -m hone.kernel_tuner: a line each, ok, refused
#            (with the reason) or failed. BUDGET: of each (30 s), LIMIT: after which it has failed (240 s), SCALE (1).
#            Not run where EXAMPLES is not given
#
# Both tuners measure the same 36 configurations (within 1,024 work-items and 48 KiB) of the same kernel
# text and verify each. hone's time is that of the whole process: start, inputs and reference included.
# Kernel Tuner's is given twice: of the whole process too, and of tune_kernel() alone, without Python's
# start, the inputs and the reference. Every run of hone's begins without stored
# results. HONE_DEVICE: a part of the device's name ("NVIDIA"); WIDTH: of the matrices (4096); PYTHON:
# an interpreter that has Kernel Tuner (python3); WHEELS: a folder of wheels that it lacks, installed for
# this run alone; JOBS: build workers (all cores). Prints what each run took, and at the end one line a figure, medians with min..max. Needs sh, sed, awk.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?the build folder}" && pwd)
runs=${2:-3}
[ $# -gt 2 ] && shift 2 && parts=$* || parts='cuda opencl whole pool large winner script examples'
hone=$build/hone
tiled=$root/kernels_cl/matmul_tiled.json
register=$root/kernels_cl/matmul_register.json
variants=$root/tests/bench/variants.json
device=${HONE_DEVICE:-NVIDIA}
width=${WIDTH:-4096}
python=${PYTHON:-python3}
jobs=${JOBS:-$(nproc)}
threads='block_size_x * block_size_y <= 1024'
memory='4 * block_size_x * (block_size_y * tile_size_y + block_size_x * tile_size_x) <= 49152'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/figures"
[ -z "${WHEELS:-}" ] || "$python" -m pip install -q --no-index --no-deps --no-compile --target "$work/site" "$WHEELS"/*.whl
export PYTHONPATH="$root/src/python:$root/src/extras/kernel_tuner:$work/site${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
export HONE_PROGRAM="$hone" HONE_WORKER="$build/hone-worker" HONE_LIBRARY="$build/libhone.so"

# ---- helpers -----------------------------------------------------------------------------------

seconds() {
    date +%s.%N
}

# Folders for what drivers and tools keep: fresh ones with "cold".
caches() {
    [ "$1" = cold ] && rm -rf "$work/cache"
    mkdir -p "$work/cache"
    export XDG_CACHE_HOME="$work/cache" CUDA_CACHE_PATH="$work/cache/cuda" CUPY_CACHE_DIR="$work/cache/cupy"
}

# A command's output into $work/out; its wall time in seconds into $took. Fails with its messages.
timed() {
    start=$(seconds)
    "$@" >"$work/out" 2>"$work/err" || {
        echo "failed: $*" >&2
        cat "$work/err" >&2
        exit 1
    }
    end=$(seconds)
    took=$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f", b - a }')
}

# hone tune LANGUAGE SPEC ...: JSON lines, nothing stored.
tune() {
    language=$1
    shift
    timed "$hone" tune "$@" --language "$language" --device "$device" --no-store --json
}

# The same, but nothing is run.
build() {
    language=$1
    shift
    timed "$hone" tune "$@" --language "$language" --device "$device" --build-only --json
}

# tune() of the 36 configurations.
tune_list() {
    language=$1
    shift
    tune "$language" "$tiled" --set WIDTH="$width" --where "$threads" --where "$memory" "$@"
}

# The first number of that name in the summary of a tune; part NAME: of its timing, in seconds.
summary() {
    sed -n '/"type": *"summary"/p' "$work/out" | tr ',{' '\n\n' |
        sed -n 's/^ *"'"$1"'": *\([0-9.e+-]*\).*/\1/p' | sed -n 1p
}

part() {
    awk -v ns="$(summary "$1_ns")" 'BEGIN { printf "%.3f", ns / 1e9 }'
}

# "a=1,b=2" of the best of a tune.
best() {
    sed -n '/"type": *"summary"/{
        s/.*"best": *{"configuration": *{\([^}]*\)}.*/\1/
        s/"//g
        s/: */=/g
        s/, */,/g
        p
    }' "$work/out"
}

# A number of the other tuner's last line.
theirs() {
    sed -n '$p' "$work/out" | sed -n 's/.*"'"$1"'": *\([0-9.]*\).*/\1/p'
}

# note LIST NUMBER: remembers a number under a name; median LIST: "median (min..max)".
note() {
    echo "$2" >>"$work/list.$1"
}

median() {
    sort -n "$work/list.$1" | awk '{ v[NR] = $1 }
        END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
              printf "%.3f (%.3f..%.3f)", m, v[1], v[NR] }'
}

ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'
}

# figure TEXT LIST WANTED: a line of the table at the end.
figure() {
    printf '%s\t%s\t%s\n' "$1" "$(median "$2")" "$3" >>"$work/figures"
}

# ---- the parts ---------------------------------------------------------------------------------

# Is Kernel Tuner there, and what it needs for a language?
has() {
    "$python" -c "import kernel_tuner, $1" >"$work/out" 2>&1
}

# Kernel Tuner in one language: the time of the process into $whole, without what comes before the tuning
# into $took.
kernel_tuner() {
    timed "$python" "$root/tests/bench/kernel_tuner_matmul.py" "$1" --width "$width" --device "$device"
    whole=$took
    took=$(theirs seconds)
    echo "  Kernel Tuner: $took s, of them kernels $(theirs kernels), compiling $(theirs compiling), verifying $(theirs verifying); $(theirs correct) of $(theirs configurations) correct; inputs and reference before: $(theirs preparation) s"
}

classic() {
    timed "$build/tests/bench/classic" "$tiled" "$device" WIDTH="$width" where="$threads" where="$memory"
    whole=$took
    took=$(awk -v a="$(theirs seconds)" -v b="$(theirs preparation)" 'BEGIN { printf "%.3f", a - b }')
    echo "  classic: $took s; $(theirs correct) of $(theirs configurations) correct; inputs and reference: $(theirs preparation) s, not counted"
}

where_it_went() {
    printf '   '
    for name in startup opening waiting loading inputs reference verifying measuring ranking storing rest kernel; do
        printf ' %s %s' "$name" "$(part "$name")"
    done
    echo
}

ours() {
    echo "  hone: $took s; $(summary "done") configurations, $(summary launches) launches; best $(best)"
    where_it_went
}

part_cuda() {
    caches cold
    echo "cuda: matmul_tiled, WIDTH=$width, 36 configurations, warm caches (a first run of each is not counted)"
    tune_list cuda
    other=kernel_tuner
    has cupy || other=
    if [ -n "$other" ]; then
        $other cuda
    else
        echo "  Kernel Tuner with CuPy is not there: hone alone"
    fi
    for run in $(seq "$runs"); do
        tune_list cuda
        ours
        note cuda "$took"
        mine=$took
        [ -n "$other" ] || continue
        $other cuda
        note cuda_theirs "$took"
        note cuda_ratio "$(ratio "$took" "$mine")"
        note cuda_whole_ratio "$(ratio "$whole" "$mine")"
    done
    figure "CUDA, warm, 36 configurations: hone, s" cuda -
    [ -n "$other" ] || return 0
    figure "CUDA, warm, 36 configurations: Kernel Tuner, s" cuda_theirs -
    figure "CUDA, warm: Kernel Tuner over hone, whole processes" cuda_whole_ratio "at least 5, aim 10"
    figure "CUDA, warm: tune_kernel() alone over hone's whole process" cuda_ratio -
}

part_opencl() {
    other=kernel_tuner
    has pyopencl || other=classic
    [ "$other" = kernel_tuner ] || cmake --build "$build" --target classic >/dev/null
    echo "opencl: matmul_tiled, WIDTH=$width, 36 configurations, cold caches for each run; against $other"
    for run in $(seq "$runs"); do
        caches cold
        tune_list opencl
        ours
        note opencl "$took"
        mine=$took
        caches cold
        $other opencl
        note opencl_theirs "$took"
        note opencl_ratio "$(ratio "$took" "$mine")"
        note opencl_whole_ratio "$(ratio "$whole" "$mine")"
    done
    figure "OpenCL, cold, 36 configurations: hone, s" opencl -
    figure "OpenCL, cold, 36 configurations: $other, s" opencl_theirs -
    figure "OpenCL, cold: $other over hone, whole processes" opencl_whole_ratio "at least 5"
    figure "OpenCL, cold: $other without its preparation over hone's whole process" opencl_ratio -
}

part_whole() {
    echo "whole: matmul_tiled, WIDTH=$width, all its configurations, hone alone"
    for run in $(seq "$runs"); do
        caches cold
        tune opencl "$tiled" --set WIDTH="$width"
        ours
        note whole_opencl "$took"
        tune cuda "$tiled" --set WIDTH="$width"
        ours
        tune cuda "$tiled" --set WIDTH="$width"
        ours
        note whole_cuda "$took"
    done
    figure "CUDA, warm, whole space of 44: hone, s" whole_cuda -
    figure "OpenCL, cold, whole space of 44: hone, s" whole_opencl -
}

part_pool() {
    echo "pool: 144 variants of matmul_tiled, OpenCL, built only, cold caches"
    for run in $(seq "$runs"); do
        caches cold
        build opencl "$variants" --jobs "$jobs"
        echo "  $jobs processes: $took s (start-up $(part startup)), $(summary "done") built"
        note pool "$took"
    done
    caches cold
    build opencl "$variants" --jobs 1
    echo "  one process: $took s (start-up $(part startup)), $(summary "done") built"
    note one "$took"
    figure "OpenCL, 144 variants built by $jobs processes, s" pool "at most 6"
    figure "OpenCL, 144 variants built by one process, s (once)" one "35 s"
}

# All of matmul_register: builds alone, then the tune, both with cold caches.
large_once() {
    sizes="--set M=$width --set N=$width --set K=$width"
    caches cold
    # shellcheck disable=SC2086 # options
    build "$1" "$register" $sizes --budget 100%
    builds=$(awk -v wall="$(summary wall_ns)" -v start="$(summary startup_ns)" 'BEGIN { print (wall - start) / 1e9 }')
    caches cold
    # shellcheck disable=SC2086
    tune "$1" "$register" $sizes --budget 100%
    ours
    awk -v wall="$took" -v builds="$builds" -v start="$(part startup)" -v kernels="$(part kernel)" '
        BEGIN { floor = kernels > builds ? kernels : builds
                printf "    after start-up %.3f s; kernels %.3f, builds alone after start-up %.3f: %.3f\n",
                       wall - start, kernels, builds, (wall - start) / floor }' | tee "$work/line"
    note "large_$1" "$(sed 's/.*: //' "$work/line")"
}

part_large() {
    for language in cuda opencl; do
        echo "large: matmul_register, $width, $language"
        for run in $(seq "$runs"); do
            large_once "$language"
        done
        figure "$language, matmul_register: wall after start-up over the larger floor" "large_$language" "at most 1.2"
    done
}

# Median of one over the other, both launched in turn; 1 when they are the same.
winner_once() {
    tune_list "$1" --seed "$2"
    winner=$(best)
    tune_list "$1" --iterations 30
    brute=$(best)
    over=1
    if [ "$winner" != "$brute" ]; then
        tune "$1" "$tiled" --set WIDTH="$width" --config "$winner" --config "$brute" --rule near=1000
        over=$(sed -n 's/.*"type": *"ranked".*"configuration": *{\([^}]*\)}.*"median_ns": *\([0-9.]*\).*/\1 \2/p' \
            "$work/out" | sed 's/"//g; s/: */=/g; s/, */,/g' |
            awk -v w="$winner" -v b="$brute" '$1 == w { x = $2 } $1 == b { y = $2 } END { printf "%.4f", x / y }')
    fi
    echo "  winner $winner, brute force $brute: $over"
    note "winner_$1" "$over"
}

part_winner() {
    caches cold
    for language in cuda opencl; do
        echo "winner: $language, against 30 launches of each, both then launched in turn"
        for run in $(seq "$runs"); do
            winner_once "$language" "$run"
        done
        figure "$language: winner's time over that of brute force's" "winner_$language" "at most 1.01"
    done
}

# One process of the script: under Kernel Tuner (kernel_tuner), or under hone (-m hone.kernel_tuner).
script() {
    timed "$python" "$@" "$root/tests/bench/kernel_tuner_matmul.py" "$language" --width "$width" --device "$device"
    echo "  ${2:-Kernel Tuner}: $took s, of them tune_kernel() $(theirs seconds) s; $(theirs correct) of $(theirs configurations) correct; best $(sed -n '$s/.*"best": "\([^"]*\)".*/\1/p' "$work/out"), $(theirs best_ns) ns"
}

part_script() {
    language=${SCRIPT_LANGUAGE:-cuda}
    [ "$language" = cuda ] && needs=cupy || needs=pyopencl
    other=y
    has "$needs" || other=
    caches cold
    echo "script: kernel_tuner_matmul.py, WIDTH=$width, 36 configurations, $language, warm caches (a first run of each is not counted)"
    script -m hone.kernel_tuner --on "$device"
    if [ -n "$other" ]; then script; else echo "  Kernel Tuner with $needs is not there: hone alone"; fi
    for run in $(seq "$runs"); do
        script -m hone.kernel_tuner --on "$device"
        note script "$took"
        mine=$took
        [ -n "$other" ] || continue
        script
        note script_theirs "$took"
        note script_ratio "$(ratio "$took" "$mine")"
    done
    figure "Kernel Tuner's script, $language, warm: under hone, s" script -
    [ -n "$other" ] || return 0
    figure "Kernel Tuner's script, $language, warm: under Kernel Tuner, s" script_theirs -
    figure "Kernel Tuner's script: Kernel Tuner over hone, whole processes" script_ratio "at least 5"
}

part_examples() {
    [ -n "${EXAMPLES:-}" ] || return 0
    echo "examples: of $EXAMPLES, under python -m hone.kernel_tuner, ${BUDGET:-30} s each"
    cp -R "$EXAMPLES" "$work/examples"
    chmod -R u+w "$work/examples"
    for script in "$work"/examples/*.py; do
        start=$(seconds)
        code=0
        (cd "$work/examples" && timeout "${LIMIT:-240}" "$python" -m hone.kernel_tuner --on "$device" --budget "${BUDGET:-30}s" \
            --scale "${SCALE:-1}" "$script") >"$work/out" 2>"$work/err" </dev/null || code=$?
        case $code in
        0) said="ok" ;;
        2) said="refused: $(sed -n '$s/^[^:]*: //p' "$work/err")" ;;
        124) said="failed: not done after ${LIMIT:-240} s: $(tail -n 1 "$work/out")" ;;
        *) said="failed ($code): $(tail -n 1 "$work/err")" ;;
        esac
        printf '  %-34s %6.1f s  %s\n' "${script##*/}" "$(awk -v a="$start" -v b="$(seconds)" 'BEGIN { print b - a }')" "$said"
    done
}

"$hone" devices | sed -n "1p; /$device/p" | cut -c 1-120
echo "$(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%dT%H:%MZ)"
for part in $parts; do
    "part_$part"
done
echo
awk -F '\t' '{ printf "%-72s %-26s %s\n", $1, $2, $3 }' "$work/figures"
