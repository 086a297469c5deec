#!/bin/sh
# Within a clean system (cmake/package.sh --try): installs the packages, and uses them as somebody would who has nothing else.
set -eu
cd /packages
expect() { # what, pattern, command...
    what=$1 pattern=$2
    shift 2
    "$@" >told 2>&1 || :
    grep -Eq "$pattern" told || {
        cat told
        echo "failed: $what: there is no '$pattern'"
        exit 1
    }
    echo "passed: $what"
}
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./hone_*.deb ./libhone0_*.deb ./hone-kernels_*.deb >installed 2>&1 || {
    tail -n 20 installed
    exit 1
}
specs=/usr/share/hone/kernels_cl
expect "version" '[0-9]+\.[0-9]+' hone version
expect "a space needs no driver" '[0-9]+ of [0-9]+ configurations are valid' hone space $specs/matmul_tiled.json
expect "without any OpenCL: what to install is said" 'libOpenCL|OpenCL.*(install|driver)' hone tune $specs/matmul_tiled.json --no-store
apt-get install -y -qq --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 >installed 2>&1
expect "devices" 'Portable Computing Language' hone devices
expect "a tune" 'best|Best' hone tune $specs/matmul_tiled.json --set WIDTH=64 --budget 3
expect "what is known" 'block_size' hone best $specs/matmul_tiled.json --set WIDTH=64
apt-get install -y -qq --no-install-recommends ./libhone-dev_*.deb ./libhone-known0_*.deb gcc libc6-dev pkg-config cmake make \
    >installed 2>&1 || {
    tail -n 20 installed
    exit 1
}
flags=$(pkg-config --cflags --libs hone)
# shellcheck disable=SC2086 # a list of options
cc -Wall -Werror -o devices devices.c $flags
expect "a program on libhone" 'Portable Computing Language|pthread|cpu' ./devices
mkdir -p project
printf 'cmake_minimum_required(VERSION 3.22)\nproject(p C)\nfind_package(hone REQUIRED)\nadd_executable(d ../devices.c)\ntarget_link_libraries(d PRIVATE hone::hone hone::known)\n' \
    >project/CMakeLists.txt
expect "find_package" 'Built target d' sh -c 'cmake -S project -B project/build && cmake --build project/build'
apt-get purge -y -qq hone libhone0 libhone-known0 libhone-dev hone-kernels >installed 2>&1
[ ! -e /usr/libexec/hone ] && [ ! -e /usr/share/hone ] || {
    echo "failed: something is left after purging"
    exit 1
}
echo "passed: nothing is left"
