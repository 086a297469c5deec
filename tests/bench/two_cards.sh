#!/bin/sh
# Two equal cards of a host against one of them, on real devices: a tune bound by launches (the bar: 0.6 of the
# time), one bound by builds with all cores against half of them, and the ratio of the cards.
#   two_cards.sh BUILD [SPEC_BOUND_BY_BUILDS]   (default: the register-tiled product, of whose space 300 are built)
# The device is that of --device in $DEVICE, such as H200; the language that in $HONE_LANGUAGE (cuda).
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
builds=${2:-$here/kernels_cl/matmul_register.json}
language=${HONE_LANGUAGE:-cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_WORKER="$build/hone-worker" XDG_CACHE_HOME="$work"
set -- --language "$language" ${DEVICE:+--device "$DEVICE"} --json --fresh --seed 1
cores=$(nproc)

value() { # KEY FILE
    grep '"type":"summary"' "$2" | grep -o "\"$1\":[0-9.]*" | head -1 | cut -d: -f2
}

compare() { # NAME ONE BOTH
    awk -v name="$1" -v a="$(value elapsed_ns "$2")" -v b="$(value elapsed_ns "$3")" \
        -v ra="$(value done "$2")" -v rb="$(value done "$3")" 'BEGIN {
        printf "%s: one card %.1f s (%d configurations), both %.1f s (%d): %.2f of the time\n", name, a / 1e9, ra, b / 1e9, rb, b / a }'
}

matmul=$here/kernels_cl/matmul_tiled.json
"$build/hone" tune "$matmul" --set WIDTH=8192 "$@" --store "$work/one.sqlite" > "$work/one"
"$build/hone" tune "$matmul" --set WIDTH=8192 "$@" --store "$work/both.sqlite" --on local > "$work/both"
compare "matmul_tiled, 8192 (bar: 0.6)" "$work/one" "$work/both"
for f in one both; do
    printf '%s: ' "$f"
    grep '"type":"summary"' "$work/$f" | grep -o '"ranking":{[^}]*}' | grep -o '"tied":[0-9]*\|"chosen":{[^}]*' | tr '\n' ' '
    echo
done
grep '"type":"summary"' "$work/both" | grep -o '"name":"card[^}]*' || echo "no cards are told: is there more than one of the kind?"

"$build/hone" tune "$builds" "$@" --budget 300 --jobs $((cores / 2)) --store "$work/b1.sqlite" > "$work/b1"
"$build/hone" tune "$builds" "$@" --budget 300 --jobs "$cores" --store "$work/b2.sqlite" --on local > "$work/b2"
compare "$(basename "$builds"), 300 configurations, --jobs $((cores / 2)) and $cores" "$work/b1" "$work/b2"
