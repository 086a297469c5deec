#!/bin/bash
# What an application does with a deployed table, on a machine with a GPU, in less than a minute and unattended:
#
#   tests/bench/deployed.sh [BUILD]
#
# BUILD (default build) has hone. In turn, each with its seconds; the exit status is 1 where one failed:
#
#   deploy    SPEC (default kernels_cl/matmul_tensor.json) at SIZES (1024,4096; M, N and K alike), BUDGET (4s) each, as a header
#             with the kernel's text, and in CUDA with its compiled programs (BINARIES=--with binaries: in NVIDIA's OpenCL, too)
#   compile   the header by nvcc, gcc, clang, g++ and clang++ as there are, C99 and C++11, each warning an error; a program that
#             links two of such files
#   run       the application of src/doc/examples in this language at SIZES and at two others: right, and its time beside
#             the one that hone measured
#   bench     hone bench against a baseline of its own: no loss; and against one that is half as long: exit status 1
#
# In the environment: LANGUAGE (default cuda; opencl), DEVICE, SPEC, SIZES, BUDGET, SLOWER: how many times hone's time
# the application's may be (default 1.5). Needs cc and python3.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
spec=${SPEC:-$root/kernels_cl/matmul_tensor.json}
language=${LANGUAGE:-cuda}
sizes=${SIZES:-1024,4096}
out=$build/deployed
rm -rf "$out"
mkdir -p "$out"
cd "$out"
hone=$build/hone
where=(--language "$language" --store "$out/results.sqlite" ${DEVICE:+--device "$DEVICE"})
failed=0
started=$SECONDS
begin() {
    SECONDS_BEFORE=$SECONDS
    echo "== $1"
}
end() { echo "   $((SECONDS - SECONDS_BEFORE)) s"; }
fail() {
    failed=1
    echo "FAILED: $*"
}

begin deploy
[ "$language" != cuda ] || BINARIES=${BINARIES---with binaries}
# shellcheck disable=SC2086 # none, or a word
"$hone" deploy "$spec" "${where[@]}" --set "M=$sizes" --set N=M --set K=M --budget "${BUDGET:-4s}" \
    --format header --with source ${BINARIES:-} --name matmul -o matmul_deployed.h 2>&1 || fail deploy
"$hone" deploy --check matmul_deployed.h || fail deploy --check
end

begin compile
cat >one.c <<'END'
#include "matmul_deployed.h"
int from_one(void);
int from_one(void)
{
    return (int)matmul_default()->launch_count;
}
END
cat >two.c <<'END'
#include "matmul_deployed.h"
#include <stdio.h>
#ifdef __cplusplus
extern "C"
#endif
int from_one(void);
int main(void)
{
    char why[300];
    const matmul_configuration *c = matmul_best("no such device", 1000, 1000, 1000);
    matmul_why("no such device", 1000, 1000, 1000, why, sizeof why);
    puts(why);
    return c ? from_one() != (int)matmul_default()->launch_count : 1;
}
END
sed 's/^int from_one(void);/extern "C" int from_one(void);/' one.c >one.cc
cp one.cc one.cu
cp two.c two.cc
cp two.c two.cu
compile() { # COMPILER ENDING OPTION...
    local compiler=$1 ending=$2
    shift 2
    if ! command -v "$compiler" >/dev/null; then
        echo "$compiler: not here"
    elif "$compiler" "$@" "one.$ending" "two.$ending" -o "two-$compiler" >"$compiler.log" 2>&1 && "./two-$compiler" >said; then
        [ -s "$compiler.log" ] && fail "$compiler warns: $(head -n 5 "$compiler.log")"
        echo "$compiler: $("$compiler" --version | grep -m 1 -E '[0-9]\.[0-9]'), without a warning; $(cat said)"
    else
        fail "$compiler: $(head -n 20 "$compiler.log")"
    fi
}
compile gcc c -std=c99 -Wall -Wextra -Werror -pedantic
compile clang c -std=c99 -Wall -Wextra -Werror -pedantic
compile g++ cc -std=c++11 -Wall -Wextra -Werror -pedantic
compile clang++ cc -std=c++11 -Wall -Wextra -Werror -pedantic
standard=-std=c++11 # a compiler that has only later ones takes its own
! command -v nvcc >/dev/null || nvcc "$standard" -x cu -c /dev/null -o nothing.o >nothing.log 2>&1 && [ ! -s nothing.log ] || standard=
compile nvcc cu ${standard:+"$standard"} -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror
end

begin run
example=$root/src/doc/examples/matmul_$language
shapes=() between=()
for size in ${sizes//,/ }; do shapes+=("$size" "$size" "$size") between+=($((size * 3 / 4)) "$size" $((size / 2))); done
library=-ldl
[ "$language" != opencl ] || library=-lOpenCL
if cc -std=c99 -O2 -I. "$example.c" -o application "$library" -lm; then
    "./application" "${shapes[@]}" "${between[@]}" >said 2>&1 || fail "the application: $(tail -n 3 said)"
    cat said
    for size in ${sizes//,/ }; do
        "$hone" best "$spec" "${where[@]}" --set "M=$size" --set "N=$size" --set "K=$size" --json >"best-$size.json" || fail "best"
    done
    python3 - "${SLOWER:-1.5}" "$sizes" said <<'END' || fail "the application is slower than what hone measured"
import json, re, sys
most, sizes, said = float(sys.argv[1]), sys.argv[2].split(","), open(sys.argv[3]).read()
bad = False
for size in sizes:
    found = re.search(rf"^{size} x {size} x {size}: measured here\n(?:  .*\n)*?  ([0-9.e+]+) us, ([0-9.]+) times", said, re.M)
    best = json.load(open(f"best-{size}.json"))["median_ns"] / 1e3
    if not found:
        print(f"{size}: the default, or not measured here")
        continue
    ratio = float(found[1]) / best
    bad = bad or ratio > most
    print(f"{size}: the application {float(found[1]):.4g} us, hone {best:.4g} us: {ratio:.3f} times; {found[2]} times as fast as the default")
sys.exit(bad)
END
else
    fail "$example.c does not compile"
fi
end

begin bench
size=${sizes##*,}
at=(--set "M=$size" --set "N=$size" --set "K=$size")
"$hone" bench "$spec" "${where[@]}" "${at[@]}" --repeats 4 --rounds 4 --output base.json 2>&1 || fail "bench: no baseline"
"$hone" bench "$spec" "${where[@]}" --repeats 4 --rounds 4 --baseline base.json --fail-if 10% || fail "bench: a loss against itself"
python3 - <<'END'
import json
base = json.load(open("base.json"))
def halve(value, key=""):
    if isinstance(value, dict):
        return {k: halve(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [halve(v, key) for v in value]
    if key.endswith("samples_ns"):
        return max(1, value // 2)
    return value / 2 if key.endswith("_ns") and isinstance(value, (int, float)) else value
json.dump(halve(base), open("half.json", "w"))
END
status=0
"$hone" bench "$spec" "${where[@]}" --repeats 4 --rounds 4 --baseline half.json --fail-if 3% >said 2>&1 || status=$?
tail -n 5 said
[ $status = 1 ] || fail "bench: exit status $status against a baseline that is half as long"
end

echo "== $((SECONDS - started)) s in all; $([ $failed = 0 ] && echo all of it works || echo some of it failed)"
exit $failed
