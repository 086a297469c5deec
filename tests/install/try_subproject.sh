#!/bin/sh
# try_subproject.sh SOURCE SCRATCH: hone as a part of another project, built for real: by FetchContent, static, with OpenCL's headers
# alone. Its program finds the worker that was built with it; moved away, one beside it, or the one that it is told; without any
# it says so. install.sh configures such a project, and looks at what hone leaves in it.
set -eu
source=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/moved here"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE || :
export LC_ALL=C HOME="$scratch" POCL_CACHE_DIR="${POCL_CACHE_DIR:-$scratch/pocl}"
fail() {
    cat output
    echo "failed: $*"
    exit 1
}
cmake -S "$source/tests/install/subproject" -B build -DHONE_FOLDER="$source" -DHONE_BY_FETCH=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_OpenCL=ON >output 2>&1 || fail "it is not configured"
cmake --build build -j"$(nproc)" >output 2>&1 || fail "it does not build"
[ -z "$(find build -name 'test_*' -type f)" ] || fail "hone's tests are in it"
expect() { # what, pattern, command...
    what=$1 pattern=$2
    shift 2
    "$@" >output 2>&1 || :
    grep -Eq "$pattern" output || fail "$what: there is no '$pattern'"
    echo "passed: $what"
}
some='\((opencl|c)\)'
expect "static, by FetchContent, with its worker" "$some" build/devices
worker=$(find "$PWD/build" -name hone-worker)
cp build/devices "$worker" "moved here"
mv "$worker" away
expect "the worker beside the program" "$some" "moved here/devices"
expect "without a worker" 'hone-worker' build/devices
expect "a worker that is named" 'work-group' env HONE_WORKER="$PWD/away" "$(find "$PWD/build" -name hone -type f -perm -u+x | head -n 1)" devices
