#!/bin/sh
# setup.sh PREFIX: installs what hone needs, and hone into PREFIX, unless BUILT is true. OCLGRIND=true: Oclgrind, too.
. "$(dirname "$0")/../../../cmake/setup.sh"
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${HONE_BUILD:-$root/build}

prefix=$1
[ "${OCLGRIND:-}" != true ] || extra='oclgrind:cmd:oclgrind'
prepare
[ "${BUILT:-}" = true ] && [ -x "$prefix/bin/hone" ] || {
    configure_and_build "$build" -DHONE_TESTS=OFF -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix"
    cmake --install "$build" >/dev/null
}
"$prefix/bin/hone" devices
