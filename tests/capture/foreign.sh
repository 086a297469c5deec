#!/bin/bash
# Programs of others, as their packages install them, through hone capture, hone check, hone tune and hone with.
#   foreign.sh HONE FOLDER NAME      NAME: opencv, pyopencl, reikna, clfft, clblast, clpeak, ffmpeg
# Its output is what it is without the layer; of its launches and of the device's time at least 90 % replay; of its specs with
# something to tune at least 8 of 10 pass `hone check` as they are. What is not installed is skipped (77).
# HONE_CAPTURE_PYTHON is a Python that has OpenCV and reikna (cmake/test.sh --capture makes one).
set -u
hone=$1 folder=$2/$3 name=$3
here=$(cd "$(dirname "$0")" && pwd)
python=${HONE_CAPTURE_PYTHON:-python3}
rm -rf "$folder"
mkdir -p "$folder/tmp"
cd "$folder" || exit 1
export TMPDIR=$folder/tmp HONE_LOCKS=$folder/tmp XDG_DATA_HOME=$folder/data XDG_CACHE_HOME=$folder/cache
export OPENCV_OPENCL_DEVICE=:CPU: OPENCV_OPENCL_CACHE_ENABLE=0 PYOPENCL_NO_CACHE=1 PYOPENCL_CTX=0 PYTHONWARNINGS=ignore
failed=0

fail() {
  echo "FAILED: $name: $*"
  failed=1
}

skip() {
  echo "skipped: $name: $*"
  exit 77
}

imports() {
  "$python" -c "import $1" 2>/dev/null || skip "$python has no $1"
}

words=cat # of its output, those that are the same in every run
case $name in
opencv)
  imports cv2
  set -- "$python" "$here/programs/opencv.py" 128 1 GaussianBlur blur bilateralFilter medianBlur Sobel erode filter2D resize \
    warpAffine pyrDown cvtColor threshold add transpose
  ;;
pyopencl) imports pyopencl && set -- "$python" "$here/programs/pyopencl_arrays.py" ;;
reikna) imports reikna && set -- "$python" "$here/programs/reikna_algorithms.py" ;;
clfft) imports gpyfft && set -- "$python" "$here/programs/gpyfft_transforms.py" ;;
clblast)
  set -- clblast_tuner_xaxpy -n 1048576 -runs 1 -fraction 16
  words="grep -oE results.match|reference.OK"
  ;;
clpeak)
  set -- clpeak --kernel-latency
  words="grep -oE ^[^:]*:?"
  ;;
ffmpeg) # filters on images
  set -- ffmpeg -nostdin -hide_banner -loglevel error -init_hw_device opencl=ocl:0.0 -filter_hw_device ocl -f lavfi \
    -i testsrc2=size=160x120:rate=5 -frames:v 2 \
    -vf format=yuv420p,hwupload,avgblur_opencl=3,sobel_opencl,transpose_opencl,erosion_opencl,hwdownload,format=yuv420p -f md5 -
  ;;
*) exit 2 ;;
esac
command -v "$1" >/dev/null || skip "$1 is not installed"

"$@" 2>/dev/null | $words >plain
[ "${PIPESTATUS[0]}" -eq 0 ] || skip "it fails without hone, too"
"$hone" capture -o capture -- "$@" >captured 2>errors || fail "capture: $(cat errors)"
grep -E '^ *[0-9.]+ %  |^[0-9]+ kernels' captured
grep -vE '^ *[0-9.]+ %  |^ *time  launches|^[0-9]+ kernels|^Written: ' captured | $words | cmp -s - plain ||
  fail "another output: $(diff <($words <captured) plain | head -3)"
awk '/^[0-9]+ kernels/ { for (i = 2; i < NF; i++) if ($i == "%") { n++; if ($(i - 1) < 90) bad = 1 } }
  END { exit n < 2 || bad }' captured || fail "less than 90 % replay"

passed=0 all=0
tunable=$(sed -nE 's/^ *[0-9.]+ % .* ([A-Za-z0-9_.]+): tunes .*/\1/p' captured)
for title in $tunable; do
  all=$((all + 1))
  last=$("$hone" check "capture/$title.json" --sample 4 2>&1 | tail -1)
  case $last in OK*) passed=$((passed + 1)) ;; *) echo "$title: $last" ;; esac
done
echo "$name: $passed of $all specs with something to tune pass hone check"
[ $((10 * passed)) -ge $((8 * all)) ] || fail "$passed of $all specs pass"

# The first that can be tuned, and back into the program.
if [ -n "$tunable" ]; then
  "$hone" tune "capture/${tunable%%$'\n'*}.json" --budget 2 >tuned 2>&1 || fail "tune: $(tail -3 tuned)"
  "$hone" deploy --for-program capture -o app.hone >deployed 2>&1 || fail "deploy: $(cat deployed)"
  "$hone" with app.hone --verify 100% -- "$@" >with 2>with_errors || fail "with: $(tail -2 with_errors)"
  $words <with | cmp -s - plain || fail "with a table: another output"
  tail -1 with_errors
  grep -qE '^hone: [1-9]' with_errors || fail "nothing was replaced"
fi
exit $failed
