#!/bin/sh
# notebooks.sh SOURCE SCRATCH: runs the notebooks of src/doc/notebooks with the first Python that has nbclient, ipykernel and
# NumPy, with a store and caches of their own, and looks that what they put out is there. 77: no such Python, or no device.
set -eu
source=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache" HONE_LOCKS="$scratch" IPYTHONDIR="$scratch/ipython" PYTHONDONTWRITEBYTECODE=1
"$HONE_PROGRAM" devices --json 2>&1 | grep -qi '"opencl"' || {
    echo "skipped: no OpenCL device"
    exit 77
}
for python in ${HONE_TEST_PYTHON:-} python3 /usr/bin/python3; do
    "$python" -c 'import ipykernel, nbclient, numpy' 2>/dev/null || continue
    "$python" "$source/src/doc/notebooks/run.py" --into "$scratch/out"
    for notebook in "$source"/src/doc/notebooks/*.ipynb; do
        grep -q '"image/svg+xml"' "$scratch/out/${notebook##*/}" || {
            echo "${notebook##*/}: no picture"
            exit 1
        }
    done
    exit 0
done
echo "skipped: no python3 here has nbclient, ipykernel and NumPy (Debian: python3-nbclient, python3-ipykernel, python3-numpy)"
exit 77
