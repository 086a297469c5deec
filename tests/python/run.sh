#!/bin/sh
# Runs one file of these tests with the first Python that has pytest; says so and ends with 77 where none has.
#
#   run.sh FILE...      HONE_TEST_PYTHON names another Python
set -eu
cd "$(dirname "$0")"
for python in ${HONE_TEST_PYTHON:-} python3 /usr/bin/python3; do
    if "$python" -c 'import sys, pytest; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
        "$python" -c 'import numpy' 2>/dev/null || echo "skipped: $python has no NumPy: what needs arrays is not tested"
        exec "$python" -B -m pytest -q -rs -p no:cacheprovider "$@"
    fi
done
echo "skipped: no python3 here has pytest (Debian: python3-pytest, python3-numpy)"
exit 77
