#!/bin/bash
# deploy_binaries.sh HONE SOURCE SCRATCH: hone deploy --with binaries on a CUDA card and an OpenCL device that are fakes: the header
# hands out the program of a measured size, as it ran, with its digest, and none for another size; what is refused.
set -eu
hone=$1 source=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache"
export FAKE_CUDA_NAME="binaries-$$" FAKE_CUDA_STATE="$scratch/dead"

fail() {
    cat said 2>/dev/null || :
    echo "$*"
    exit 1
}

sed -e 's/"BenchmarkName": "forty"/"BenchmarkName": "sized"/' -e 's/list(range(40))/list(range(3))/' -e 's/100000 + ID \* 7 % 40/100000 + (ID - 1) ** 2/' \
    -e 's/"ConfigurationSpace"/"Constants": {"N": 64}, "ConfigurationSpace"/' \
    -e "s|\"../../fake_opencl|\"$source/tests/fake_opencl|" "$source/tests/fake_cuda/data/forty.json" >sized.json
cp "$source/tests/fake_cuda/data/forty.cu" .
"$hone" deploy sized.json --set N=64,128 --budget 3 --language cuda --with binaries -o sized.h >said 2>&1 || fail "hone deploy"
grep -q 'with 2 compiled programs for sm_90$' said || fail "it does not say how many programs there are"
grep -q '"sm_90", "cubin"' sized.h || fail "the header has no cubin for sm_90"

cat >program.c <<'END'
#include "sized.h"
#include <stdio.h>
int main(void)
{
    const sized_configuration *c = sized_best("NVIDIA Fake", 128);
    const sized_binary *b = sized_find_binary("sm_90", c, 128);
    if (!b || sized_find_binary("sm_90", c, 100) || sized_find_binary("sm_80", c, 128))
        return 1;
    fprintf(stderr, "%s\n", b->sha256);
    return fwrite(b->bytes, 1, b->length, stdout) != b->length;
}
END
for compiler in "cc -std=c99" "c++ -x c++ -std=c++11"; do
    $compiler -Wall -Wextra -Werror -pedantic program.c -o program >said 2>&1 || fail "$compiler"
    ./program >cubin 2>digest || fail "the program is not found"
    [ "$(sha256sum <cubin | cut -d ' ' -f 1)" = "$(cat digest)" ] || fail "the digest is not that of the bytes"
    grep -qa 'N=128' cubin || fail "the program is not that of the size"
done

# Typed again nothing is measured, and the same is written.
cp sized.h first.h
"$hone" deploy sized.json --set N=64,128 --budget 3 --language cuda --with binaries -o sized.h >said 2>&1 || fail "hone deploy, again"
cmp first.h sized.h || fail "another header"

refused() { # WORDS OPTION...
    local words=$1 status=0
    shift
    "$hone" deploy sized.json --set N=64,128 --budget 3 --with binaries "$@" >said 2>&1 || status=$?
    [ $status = 2 ] || fail "$*: exit status $status"
    grep -q -e "$words" said || fail "$*: it does not say: $words"
}
refused '--with binaries is for --format header' --language cuda -o sized.json.csv
refused '--known and --with binaries exclude each other' --language cuda --known -o sized.h
# Numbers are those of `hone devices`, whatever languages the spec has: 0 is the card, 1 the processor, in C.
refused "no device fits '1'" --language cuda --device 1 -o sized.h
"$hone" deploy sized.json --set N=64 --budget 3 --device 0 >said 2>&1 || fail "--device 0"
