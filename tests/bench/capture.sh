#!/bin/bash
# What the layer of hone capture and hone with costs, and what an unmodified program gains.
#
#   tests/bench/capture.sh cost BUILD [TIMES]                      ns an argument and a launch, in turn: without, captured, with a table
#   tests/bench/capture.sh gain BUILD FOLDER SECONDS TURNS KERNEL... -- PROGRAM [ARGUMENTS]
#       captures PROGRAM into FOLDER, tunes these kernels for SECONDS each, and runs PROGRAM TURNS times with the table and without;
#   tests/bench/capture.sh empty BUILD TURNS [PROGRAM...]          what a table that replaces nothing costs clpeak, clblast, pyopencl, opencv
#   tests/bench/capture.sh check BUILD FOLDER                      which specs of a capture pass hone check as they are
#
#   OPENCV_OPENCL_DEVICE=:CPU: OPENCV_OPENCL_CACHE_ENABLE=0 tests/bench/capture.sh gain build-test /tmp/opencv 20 20 \
#     bilateral boxFilter -- venv/bin/python tests/capture/programs/opencv.py 512 4
set -eu
what=$1 hone=$2/hone build=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target hone capture_cost >/dev/null
cost=$build/tests/bench/capture_cost

# A table of capture_cost, whose kernel no other program has.
cost_table() {
  "$hone" capture -o "$work/cost" -- "$cost" | head -1
  "$hone" tune "$work/cost/scale.json" --budget 2 >"$work/out" 2>&1
  "$hone" deploy --for-program "$work/cost" -o "$work/cost.hone" >"$work/out" 2>&1
}

echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
case $what in
cost)
  echo "captured: $(cost_table)"
  for _ in $(seq "${1-3}"); do
    echo "without: $("$cost")"
    echo "with a table: $("$hone" with "$work/cost.hone" -- "$cost" 2>&1 | paste -sd' ')"
  done
  ;;
check)
  passed=0 all=0
  for spec in "$1"/*.json; do
    last=$("$hone" check "$spec" --sample 6 2>&1 | tail -1) || :
    echo "$(basename "$spec"): $last"
    all=$((all + 1))
    case $last in OK*) passed=$((passed + 1)) ;; esac
  done
  echo "$passed of $all pass"
  ;;
gain)
  folder=$1 seconds=$2 turns=$3
  shift 3
  kernels=
  while [ "$1" != -- ]; do
    kernels="$kernels $1"
    shift
  done
  shift
  "$hone" capture -o "$folder" -- "$@"
  for kernel in $kernels; do
    "$hone" tune "$folder/$kernel.json" --budget "$seconds" | grep -E '^Speed-up|^Best' || :
  done
  "$hone" deploy --for-program "$folder" -o "$work/app.hone"
  "$hone" with "$work/app.hone" --repeats "$turns" -- "$@"
  ;;
# CPU time, in pairs: it can be told on a machine that does other work, too; the wall time only on an idle one.
empty)
  turns=$1
  shift
  cost_table >/dev/null
  here=$(cd "$(dirname "$0")/.." && pwd) layer=$(realpath "$build/libhone-capture.so") python=${HONE_CAPTURE_PYTHON:-/usr/bin/python3}
  mkdir "$work/with"
  cp "$work/cost/counts" "$work/with/counts"
  export OPENCV_OPENCL_DEVICE=:CPU: OPENCV_OPENCL_CACHE_ENABLE=0 PYOPENCL_NO_CACHE=1 PYOPENCL_CTX=0 PYTHONWARNINGS=ignore
  for name in ${*:-clpeak clblast pyopencl opencv}; do
    case $name in
    clpeak) set -- clpeak --kernel-latency ;;
    clblast) set -- clblast_tuner_xaxpy -n 1048576 -runs 1 -fraction 16 ;;
    pyopencl) set -- "$python" "$here/capture/programs/pyopencl_arrays.py" ;;
    opencv) set -- "$python" "$here/capture/programs/opencv.py" 256 4 ;;
    *) exit 2 ;;
    esac
    echo "$name: $*"
    (cd "$work" && python3 "$here/bench/pairs.py" "$turns" "HONE_CAPTURE_FOLDER=$work/with" "HONE_WITH_TABLES=$work/cost.hone" HONE_WITH_VERIFY=0 \
      "OPENCL_LAYERS=$layer" "LD_PRELOAD=$layer" -- "$@") || :
  done
  ;;
esac
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
