#!/bin/sh
# Checks of what was built. Each prints what it found and fails.
#
#   check_binaries.sh exports LIBHONE HEADER    the library exports what the header declares
#   check_binaries.sh links BINARY...           no driver is linked, directly or through another
set -eu
what=$1
shift

check_exports() {
    declared=$(mktemp)
    exported=$(mktemp)
    trap 'rm -f "$declared" "$exported"' EXIT
    sed -n '/^HONE_\(KNOWN_\)\{0,1\}API /,/(/p' "$2" | grep -oE '\bhone_[a-z0-9_]+\(' | tr -d '(' | LC_ALL=C sort -u >"$declared"
    # A sanitizer adds symbols of its own.
    nm -D --defined-only "$1" | awk '$3 !~ /^__(odr_)?[au]san/ { print $3 }' | LC_ALL=C sort -u >"$exported"
    [ -s "$exported" ]
    diff "$declared" "$exported" || {
        echo "< declared in $2 only, > exported by $1 only"
        exit 1
    }
}

check_links() {
    drivers='libOpenCL|libcuda|libnvrtc|libnvidia|libcublas|libpocl|libhip'
    for binary in "$@"; do
        found=$(readelf -d "$binary" | grep NEEDED | grep -E "$drivers" || :)
        found=$found$(ldd "$binary" 2>/dev/null | grep -E "$drivers" || :)
        [ -z "$found" ] || {
            printf '%s links a driver:\n%s\n' "$binary" "$found"
            exit 1
        }
    done
}

"check_$what" "$@"
