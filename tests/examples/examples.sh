#!/bin/bash
# examples.sh BUILD SOURCE SCRATCH help|help-1|help-2|DOCUMENT.md [gpu]: runs what a document, or the help of all
# commands, tells the reader to type, one after the other in one shell, in a folder that has the kernels and some files
# (files/). Each must exit with 0. help-1 is the help before `hone sweep`, help-2 the rest, which needs nothing of what
# help-1 leaves.
#
# Of a document it takes the lines of ```sh blocks and those behind "$ " in ```text blocks; a line that ends in \ goes on.
# A comment in front of a block says otherwise:
#   <!-- file: NAME -->      the block is this file, whatever its language
#   <!-- needs: GPU -->      only with gpu, on a machine with an NVIDIA GPU (tests/bench/examples.sh)
#   <!-- exits: 1 -->        with which status
#   <!-- not run: WHY -->
# Without gpu, searches that have no end of their own are short, and large sizes are halved: the wrapper of hone below
# says how. 77: no device.
set -u
build=$1 source=$2 scratch=$3 document=$4 machine=${5:-cpu}
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/home" "$scratch/folder" "$scratch/temporary"

# ---- what is to be run: lines "STATUS COMMAND", "gpu STATUS COMMAND"; files are written ----

extract_document() {
    awk -v folder="$scratch/folder/" '
    function finish() {
        if (command != "" && !skipped)
            print (gpu ? "gpu " : "") status " " command
        command = ""
    }
    !inside && /^<!-- file: / { file = $3; next }
    !inside && /^<!-- needs: GPU/ { gpu = 1; next }
    !inside && /^<!-- exits: / { status = $3; next }
    !inside && /^<!-- not run: / { skipped = 1; next }
    !inside && /^ *```/ {
        inside = 1
        kind = $0
        gsub(/[ `]/, "", kind)
        if (status == "")
            status = 0
        next
    }
    inside && /^ *```/ {
        finish()
        inside = gpu = skipped = 0
        file = status = ""
        next
    }
    inside && file != "" { print > (folder file); next }
    inside && command ~ /\\$/ { sub(/\\$/, "", command); command = command $0; next }
    inside && kind == "sh" { finish(); if ($0 !~ /^ *(#|$)/) command = $0; next }
    inside && /^\$ / { finish(); command = substr($0, 3); next }
    inside { finish() }
    !inside && !/^ *$/ { gpu = skipped = 0; file = status = "" }
    ' "$1"
}

extract_help() {
    "$build/hone" help examples | awk -v wanted="${document#help}" '
    BEGIN { part = "-1" }
    /^  hone sweep / { part = "-2" }
    /^  hone / { command = wanted == "" || wanted == part ? substr($0, 3) : ""; next }
    command != "" { print ($0 ~ /on an NVIDIA GPU: / ? "gpu " : "") (command ~ /^hone space .* --why/ ? "1 " : "0 ") command; command = "" }'
}

# ---- the folder ----

cp -r "$source/kernels_cl" "$source/kernels_cu" "$scratch/folder"
cp "$here"/files/* "$scratch/folder"
ln -s "$source/tests" "$scratch/folder/tests"
ln -s "$source/include" "$scratch/folder/include"
ln -s "$source/src" "$scratch/folder/src"
ln -s "$build" "$scratch/folder/build"
cat >"$scratch/bin/hone" <<END
#!/bin/bash
words=" \$* " short=()
[[ \$words == *" --replay"* ]] || for word; do
    case \$word in
    60s | 10m) word=4 ;;
    WIDTH=256..1024) word=WIDTH=64..256 ;; # a CPU takes seconds for a product of 1024
    WIDTH=64..512) word=WIDTH=64..256 ;;
    N=250,500,1000) word=N=60,120,240 ;;
    WIDTH=256,512) word=WIDTH=128,256 ;;
    48) word=6 ;; # rounds
    esac
    short+=("\$word")
done
[ \${#short[@]} = 0 ] || set -- "\${short[@]}"
case \${1:-} in
tune | sweep)
    [[ \$words == *" -b"* || \$words == *" --budget"* || \$words == *" --replay"* ]] || set -- "\$@" --budget 3
    [[ \$words == *" --replay"* ]] || set -- "\$@" --rule rounds=4 --rule repeats=0
    ;;
compare)
    [[ \$words == *" --sample"* || \$words == *.json*.json* || \$words == *" --against"* ]] ||
        set -- "\$@" --sample 2
    set -- "\$@" --rule rounds=4 --rule repeats=0
    [[ \$words == *" --rounds"* ]] || set -- "\$@" --rounds 6
    [[ \$words != *naive.json*tiled.json* ]] || set -- "\$@" --where 'block_size_x == 16' # of the spaces, which are tuned first
    ;;
peak) exit 0 ;; # it takes both cores for a quarter of a minute, beside other tests for minutes: peak_on_a_device runs it
bench) set -- "\$@" --repeats 4 --rounds 2 ;;
selftest) shift && set -- selftest kernels_cl/examples/saxpy.json kernels_cl/examples/scan.json "\$@" ;; # of the gallery, which has tests
score) [[ \$words != *exec:* ]] || set -- "\$@" --repeats 2 ;;
check) [[ \$words == *" --sample"* || \$words == *" -n"* || \$words == *" --known"* ]] || set -- "\$@" --sample 3 ;;
report) [[ \$words != *" --watch"* ]] || { set -- "\${@/#--watch/--watch=stdin}" && exec </dev/null; } ;;
esac
[[ \${1:-} != sweep || \$words == *" --rounds"* || \$words != *" --against"* ]] || set -- "\$@" --rounds 4
exec timeout 600 "$build/hone" "\$@"
END
chmod +x "$scratch/bin/hone"
[ "$machine" = gpu ] || export PATH="$scratch/bin:$PATH"
[ "$machine" != gpu ] || export PATH="$build:$PATH"
python3 -c 'import numpy' 2>/dev/null || { ln -s /usr/bin/python3 "$scratch/bin/python3"; hash -r; } # the distribution's, which has it
export HOME="$scratch/home" TMPDIR="$scratch/temporary" HONE_LOCKS="$scratch/temporary" LC_ALL=C.UTF-8
unset XDG_DATA_HOME HONE_DEVICE HONE_ALSO || :
cd "$scratch/folder" || exit 1

hone devices >devices.text 2>&1 || {
    echo "skipped: there is no device"
    exit 77
}
case $document in
help*) extract_help ;;
*) extract_document "$source/$document" ;;
esac >"$scratch/list"
rm devices.text

# What is there already in the folder of whom the help or a page speaks to: a small kernel's spec, stores of others, recorded spaces.
prepare_spec() {
    sed 's/"WIDTH": 256/"WIDTH": 64/' kernels_cl/matmul_tiled.json >spec.json
    cp kernels_cl/matmul_naive.json other.json
    cp kernels_cl/matmul_*.cl .
    ln -s folder/kernels_cu ../kernels_cu
    hone tune spec.json --budget 4 &&
        hone tune spec.json --budget 4 --store node1.sqlite --unranked --fresh &&
        cp node1.sqlite node2.sqlite && cp node1.sqlite results.sqlite && cp node1.sqlite h200.sqlite && cp node1.sqlite pocl.sqlite &&
        hone store export spec.json --format t4 --output recorded.json &&
        gzip recorded.json && mv recorded.json.gz gemm_T4.json.gz
}
prepare_report() { # with what the comments behind its commands make
    prepare_spec && hone score gemm_T4.json.gz --json >scores.json && hone tune spec.json --json >tune.json &&
        hone deploy spec.json --set WIDTH=32,64 --budget 2 --format json -o table.json
}
saxpy_alone() { # the gallery's, in OpenCL only
    cp kernels_cl/examples/saxpy.cl . && sed 's/"kernel": .*/"kernel": "saxpy.cl",/' kernels_cl/examples/saxpy.json >saxpy.json
}
prepare_store() {
    saxpy_alone && hone tune saxpy.json --budget 3 && hone tune saxpy.json --budget 3 --store node1.sqlite &&
        for other in node2 team a100 h200; do cp node1.sqlite $other.sqlite; done
}
prepare_tables() {
    mkdir -p kernels/results && cp kernels_cl/matmul_tiled.cl kernels/ && cp kernels_cl/matmul_tiled.json kernels/gemm.json &&
        printf 'WIDTH,weight\n32,1\n64,3\n' >kernels/gemm.csv && hone tune kernels/gemm.json --budget 4 &&
        hone bench kernels/gemm.json --output kernels/gemm_base.json
}
prepare_capture() {
    cc -O1 -DCL_TARGET_OPENCL_VERSION=120 -o my_program "$here/my_program.c" -lOpenCL
}
prepare_nodes() { # in C, which one node may build for another
    export PATH="$here/launchers:$PATH" SLURM_JOB_NODELIST='n[1-2]' &&
        printf '%s\n' '#define STEP 1' 'void add(float *y, const float *x) { for (int i = 0; i < N; i += STEP)' \
            'for (int k = i; k < i + STEP; k++) y[k] = x[k] + 1; }' >add.c &&
        echo '{"kernel": "add.c", "constants": {"N": 4096}, "parameters": {"STEP": [1, 2, 4, 8, 16, 32, 64, 128]},
              "arguments": {"y": {"size": "N", "expect": "x[i] + 1"}, "x": {"size": "N"}}}' >spec.json
}
prepare_security() {
    cp kernels_cl/matmul_tiled.cl . && cp kernels_cl/matmul_tiled.json theirs.json
}
prepare_strategy() {
    saxpy_alone && mv saxpy.json kernel.json && hone tune kernel.json --budget 4 && hone store export kernel.json --format t4 --output gemm_T4.json && gzip gemm_T4.json &&
        chmod +x neighbours.py && cp neighbours.py 'my search.py'
}
case $document in
help*) prepare=prepare_spec ;;
*/report.md | */store.md | */tables.md | */capture.md | */nodes.md | */security.md) prepare=prepare_$(basename "$document" .md) ;;
*/strategy-of-your-own.md) prepare=prepare_strategy ;;
*/spec.md) prepare=saxpy_alone ;;
*) prepare=: ;;
esac
$prepare >"$scratch/out" 2>&1 || {
    cat "$scratch/out"
    echo "the files of the examples could not be made"
    exit 1
}

# ---- running ----

# What the machine lacks for this command; nothing: it can be run.
missing() { # command
    case $1 in
    *--races*) command -v oclgrind >/dev/null || echo "Oclgrind is not installed" ;;
    *--arch*) [ -n "${CUDA_HOME:-}" ] || ldconfig -p 2>/dev/null | grep -q libnvrtc || echo "NVRTC is not installed" ;;
    *reference-by*) python3 -c 'import numpy' 2>/dev/null || echo "NumPy is not installed" ;;
    *openblas*) ldconfig -p 2>/dev/null | grep -q libopenblas || echo "OpenBLAS is not installed" ;;
    *clblast*) ldconfig -p 2>/dev/null | grep -q libclblast || echo "CLBlast is not installed" ;;
    *"man -l"*) command -v man >/dev/null || echo "man is not installed" ;;
    esac
}

ran=0 failed=0
while IFS= read -r line <&3; do
    if [ "${line#gpu }" != "$line" ]; then
        line=${line#gpu }
        [ "$machine" = gpu ] || {
            echo "skipped (needs a GPU): ${line#* }"
            continue
        }
    fi
    expected=${line%% *} command=${line#* }
    why=$(missing "$command")
    [ -z "$why" ] || {
        echo "skipped ($why): $command"
        continue
    }
    SECONDS=0 status=0
    eval "$command" >"$scratch/out" 2>&1 </dev/null || status=$?
    ran=$((ran + 1))
    if [ "$status" = "$expected" ]; then
        echo "$SECONDS s: $command"
    else
        failed=$((failed + 1))
        echo "FAILED with $status, not $expected: $command"
        sed 's/^/    /' "$scratch/out" | tail -n 20
    fi
done 3<"$scratch/list"
echo "$ran examples of $document were run, $failed failed"
[ "$failed" = 0 ] || exit 1
[ "$ran" -gt 0 ] || exit 77 # a machine without a GPU has nothing to run
