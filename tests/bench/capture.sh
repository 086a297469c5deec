#!/bin/bash
# capture.sh HONE FOLDER -- PROGRAM [ARGUMENTS]: figures of hone capture on a program of others. Of every kernel with a spec: does
# `hone check` pass on six configurations without an edit? TUNE=SECONDS tunes those that can be, and COMPARE=N then runs the
# program N times with and without what was tuned. CASES is tests/capture's capture_program: what an argument and a launch cost.
#
#   OPENCV_OPENCL_CACHE_ENABLE=0 tests/bench/capture.sh build/hone /tmp/opencv -- venv/bin/python functions.py
#   TUNE=30 COMPARE=5 tests/bench/capture.sh build/hone /tmp/axpy -- clblast_tuner_xaxpy
set -eu
hone=$1 folder=$2
shift 3
rm -rf "$folder"
plain=$("$@" | sha256sum)
"$hone" capture -o "$folder" -- "$@" | tee "$folder.out" | tail -n +1
echo "output without: $plain"
passed=0 all=0
for spec in "$folder"/*.json; do
  [ -e "$spec" ] || continue
  all=$((all + 1))
  last=$("$hone" check "$spec" --sample 6 2>&1 | tail -1) || :
  echo "$(basename "$spec"): $last"
  case $last in OK*) passed=$((passed + 1)) ;; esac
  [ -z "${TUNE-}" ] || "$hone" tune "$spec" --budget "${TUNE}s" | grep -E '^Speed-up|^Best' || :
done
echo "specs that pass hone check: $passed of $all"
if [ -n "${TUNE-}" ]; then
  "$hone" deploy --for-program "$folder" -o "$folder.hone" >/dev/null
  "$hone" with "$folder.hone" --compare "${COMPARE-5}" -- "$@"
fi
if [ -n "${CASES-}" ]; then
  layer=$(dirname "$hone")/libhone-capture.so
  echo "without: $("$CASES" cost)"
  echo "with the layer: $(HONE_CAPTURE_FOLDER=$folder OPENCL_LAYERS=$layer "$CASES" cost)"
  [ ! -e "$folder.hone" ] ||
    echo "with a table: $(HONE_WITH_TABLES=$(realpath "$folder.hone") HONE_CAPTURE_FOLDER=$folder OPENCL_LAYERS=$layer "$CASES" cost)"
fi
