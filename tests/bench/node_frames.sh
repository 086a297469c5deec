#!/bin/sh
# What carrying frames over nodes costs: processor time of links and agents for each configuration, with
# 8 agents on this machine and workers that answer at once.
#
#   tests/bench/node_frames.sh [BUILD] [NODES] [CONFIGURATIONS] [RATE]
#
# BUILD is configured with the tests. RATE: so many configurations a second at most, else as many as there can be.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-test}
cmake --build "$build" --target hone-worker fake_worker node_frames >/dev/null
exec "$build/tests/bench/node_frames" "$build/hone-worker" "$build/tests/runner/fake_worker" "${2:-8}" "${3:-4000}" "${4:-0}"
