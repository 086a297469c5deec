#!/bin/sh
# What sharing a tune among equal cards brings, with the fake OpenCL driver: launches of 100 ms on 1 card
# and on N (8), screened alone; the slow card, found with its interval; the best, the same on both.
#   farm.sh BUILD [N]
set -eu
build=$(cd "$1" && pwd)
cards=${2:-8}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build/tests/fake_opencl/driver" XDG_CACHE_HOME="$work"
export FAKE_CL_KIND=card FAKE_CL_NOISE=2000 HONE_WORKER="$build/hone-worker"
cp "$here/../fake_opencl/data/forty.cl" "$here/../fake_opencl/data/ones.f32" "$work"
# So many configurations that the last of each card is a small part: 100 a card of 8.
sed -e 's/range(40)/range(800)/' -e 's/100000 + ID \* 7 % 40 \* 1000/100000000 + ID * 7 % 800 * 20000/' \
    "$here/../fake_opencl/data/forty.json" > "$work/spec.json"

value() { # KEY of the summary
    grep '"type":"summary"' "$work/out" | grep -o "\"$1\":[0-9.]*" | head -1 | cut -d: -f2
}

tune() { # SECONDS BEST, of a tune with these arguments
    "$build/hone" tune "$work/spec.json" --json --fresh --store "$work/store.sqlite" "$@" > "$work/out" 2> "$work/err"
}

tune --unranked
alone=$(value elapsed_ns)
FAKE_CL_DEVICES=$cards
export FAKE_CL_DEVICES
tune --unranked --on local
together=$(value elapsed_ns)
awk -v a="$alone" -v t="$together" -v n="$cards" 'BEGIN {
    printf "1 card: %.1f s; %d cards: %.1f s; %.2f times one\n", a / 1e9, n, t / 1e9, a / t }'

# The ranking, with one card 4 % slower, and one 25 %.
FAKE_CL_SPEED=100,104,125
export FAKE_CL_SPEED
tune --on local --budget 40
grep -h 'left out' "$work/err" || true
"$build/hone" tune "$work/spec.json" --on local --budget 40 --fresh --no-store --details 2> /dev/null | grep -A "$cards" 'shared the work'
