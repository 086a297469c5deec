#!/bin/sh
# How much of a tune the device is busy where builds do not bind: hone itself against a worker that builds at once and whose
# launches take their time, on a space like that of CLBlast's Xgemm (120,800 configurations).
#
#   tests/bench/busy.sh [BUILD] [CONFIGURATIONS] [MICROSECONDS] [HONE...]     BUILD: configured with the tests
#
# Prints for each HONE (default: the build's) the launches, their time, that of the whole tune, and the share.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
count=${2:-1000}
us=${3:-1000}
[ $# -gt 3 ] && shift 3 || set -- "$build/hone"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/tests/tune/data/many.cl" "$work"
cat >"$work/xgemm.json" <<'END_OF_SPEC'
{"name": "xgemm", "kernel": "many.cl", "function": "k", "language": "OpenCL", "constants": {"FAKE": "good"},
 "parameters": {"MWG": [16, 32, 64, 128], "NWG": [16, 32, 64, 128], "KWG": [16, 32], "MDIMC": [8, 16, 32], "NDIMC": [8, 16, 32],
  "MDIMA": [8, 16, 32], "NDIMB": [8, 16, 32], "VWM": [1, 2, 4, 8], "VWN": [1, 2, 4, 8], "STRM": [0, 1], "STRN": [0, 1],
  "SA": [0, 1], "SB": [0, 1]},
 "restrictions": ["KWG % 2 == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0", "MWG % (MDIMA * VWM) == 0",
  "NWG % (NDIMB * VWN) == 0", "KWG % ((MDIMC * NDIMC) // MDIMA) == 0", "KWG % ((MDIMC * NDIMC) // NDIMB) == 0"],
 "derived": {"NS": "1000000 + 1000 * ((MWG * 7 + NWG * 13 + KWG * 3 + MDIMC * 11 + NDIMC * 5 + MDIMA * 23 + NDIMB * 29 + VWM * 17 + VWN * 19 + SA * 31 + SB * 37 + STRM * 41 + STRN * 43) % 997)"},
 "global": [64], "local": [64], "arguments": {"y": {"size": 64, "access": "write"}}}
END_OF_SPEC
export HONE_WORKER="$build/tests/runner/fake_worker" XDG_CACHE_HOME="$work" FAKE_LAUNCH_US="$us"
for hone in "$@"; do
    "$hone" tune "$work/xgemm.json" --budget "$count" --strategy surrogate --no-store --unranked --jobs 15 --json >"$work/out" 2>"$work/err" || {
        cat "$work/err" >&2
        exit 1
    }
    tail -1 "$work/out" | python3 -c "
import json, sys
s = json.loads(sys.stdin.readline())
t = s['timing']
wall = (t['wall_ns'] - t['startup_ns']) / 1e9
busy = s['launches'] * $us / 1e6
print(f\"{'$hone'}: {s['done']} of {s['valid']} configurations, {s['launches']} launches of {busy:.2f} s in {wall:.2f} s: busy {100 * busy / wall:.0f} %\")"
done
