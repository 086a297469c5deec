#!/bin/sh
# Building spaces: hone against Kernel Tuner on the spaces of HONE_TEST_DATA/spaces.
#
#   tests/bench/space_speed.sh [BUILD] [RUNS]     BUILD: with hone built; RUNS of each, 15 by default
#
# Needs Kernel Tuner (pip install kernel-tuner==1.4.0); exit status 77 without. See space_speed.py for
# what is measured. Exit status 1 when a count is wrong.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-test}
runs=${2:-15}
: "${HONE_TEST_DATA:?is not set: the folder with spaces/expected.json}"
python3 -c 'import kernel_tuner.searchspace' 2>/dev/null || {
    echo "skipped: Kernel Tuner is not installed"
    exit 77
}
exec python3 "$root/tests/bench/space_speed.py" "$build/hone" "$HONE_TEST_DATA/spaces" "$runs"
