#!/bin/sh
# Installs what is missing, builds hone, and runs the whole test suite.
#
#   cmake/test.sh              the suite: all but what follows
#   cmake/test.sh --all        the suite with the kernels, whole spaces of them instead of samples (long)
#   cmake/test.sh --sanitize   the suite under AddressSanitizer and UBSan
#   cmake/test.sh --tsan       only the tests that use threads, under ThreadSanitizer
#   cmake/test.sh --coverage   the suite, and how many lines of src/ it runs (cmake/coverage.sh)
#   cmake/test.sh --valgrind   only hone and libhone under valgrind
#   cmake/test.sh --others     only hone on further OpenCL implementations (cmake/others.sh)
#   cmake/test.sh --examples   only what the help and the documents tell the reader to type, and the notebooks
#   cmake/test.sh --browser    only report pages in a headless Chromium, judged by axe-core and html5lib
#   cmake/test.sh --capture    only hone capture and hone with on programs of others (OpenCV, pyopencl, CLBlast, ...)
#   cmake/test.sh --programs   only commands that are tried for long: deployed tables, benchmarks, kernels in C
#   cmake/test.sh --judge      only kernels that cheat, and honest ones of odd styles, before hone judge; the audits of the specs
#   cmake/test.sh --nvrtc      only the kernels in CUDA, built by NVRTC for several architectures
#   cmake/test.sh --long       only the longest tests: simulations, each failing allocation and call of SQLite, cheating kernels
#   cmake/test.sh --kernels    only further kernels and configurations, on a device and under Oclgrind
#   cmake/test.sh --python     only the long tests of the Python module: its tunes, and Kernel Tuner's scripts
#   cmake/test.sh --kernel-tuner  only Kernel Tuner's own tests over hone's interface, which come by pip (needs the network)
#   cmake/test.sh --slurm      only many nodes: a Slurm and an ssh server on this machine (cmake/slurm_rig.sh; needs root)
#   cmake/test.sh --stages     all from --valgrind to --slurm but --kernels, which CI runs in part (.ci/run)
#   cmake/test.sh --packages   only Debian's packages, tried on a clean system (cmake/package.sh; needs root)
#   cmake/test.sh --cross      only the compilation for 64-bit Arm (cmake/cross.sh)
#   cmake/test.sh --build ...  only what the suite, or what is named beside it, is built from
#
# Several of --valgrind, --examples, --browser, --capture, --programs, --judge, --nvrtc, --long, --kernels, --python, --kernel-tuner
# and --slurm run beside each other.
# HONE_TEST_JOBS=N runs N tests at a time; by default four more than there are cores, because many tests wait more than
# they compute, and two more where stages are named.
# HONE_TEST_DATA=FOLDER names further test data; what needs it is skipped otherwise.
. "$(dirname "$0")/setup.sh"

all=OFF
sanitize=OFF
tsan=OFF
coverage=no
others=no
build_alone=no
labels= # of the tests that are wanted alone, as a regular expression
werror=${CI:+ON}
for word in "$@"; do
    case $word in
    --all) all=ON ;;
    --sanitize) sanitize=ON ;;
    --tsan) tsan=ON ;;
    --coverage) coverage=yes ;;
    --others) others=yes ;;
    --build) build_alone=yes ;;
    --valgrind | --examples | --browser | --capture | --programs | --judge | --nvrtc | --long | --kernels | --python | --kernel-tuner | --slurm) labels="$labels${labels:+|}${word#--}" ;;
    --stages) labels='valgrind|examples|browser|capture|programs|judge|nvrtc|long|python|kernel-tuner|slurm' ;;
    --packages) exec "$(dirname "$0")/package.sh" --try ;;
    --cross) exec "$(dirname "$0")/cross.sh" ;;
    *)
        sed -n '2,31p' "$0" >&2
        exit 2
        ;;
    esac
done

extra='ninja-build:cmd:ninja
python3-pytest:file:/usr/lib/python3/dist-packages/pytest
python3-numpy:file:/usr/lib/python3/dist-packages/numpy
g++:cmd:g++
lld:cmd:ld.lld
oclgrind:cmd:oclgrind
libopenblas0:lib:libopenblas.so.0
libclblast1:lib:libclblast.so.1'
wanted() { # label
    case "|$labels|" in
    *"|$1|"*) ;;
    *) return 1 ;;
    esac
}
! wanted valgrind || extra="$extra
valgrind:cmd:valgrind"
! wanted examples || extra="$extra
python3-nbclient:file:/usr/lib/python3/dist-packages/nbclient
python3-ipykernel:file:/usr/lib/python3/dist-packages/ipykernel
python3-yaml:file:/usr/lib/python3/dist-packages/yaml"
! wanted kernel-tuner || extra="$extra
python3-venv:file:/usr/share/doc/python3-venv"
! wanted capture || extra="$extra
clblast-utils:cmd:clblast_tuner_xaxpy
clpeak:cmd:clpeak
ffmpeg:cmd:ffmpeg
python3-pyopencl:file:/usr/lib/python3/dist-packages/pyopencl
python3-gpyfft:file:/usr/lib/python3/dist-packages/gpyfft
python3-venv:file:/usr/share/doc/python3-venv"
! wanted browser || extra="$extra
chromium:cmd:chromium
librsvg2-bin:cmd:rsvg-convert
python3-venv:file:/usr/share/doc/python3-venv"
prepare

folder=$build-test
flags='-O2 -g1 -DNDEBUG' # traces name lines, and no more is built or linked
# What a sanitizer adds takes longer to optimise than its tests gain. What may be used uninitialized is found above: with less
# known of the flow the compiler warns of what is not.
sanitizer_flags='-Og -g1 -DNDEBUG -Wno-maybe-uninitialized'
if [ $sanitize = ON ]; then
    folder=$build-sanitize
    flags=$sanitizer_flags
elif [ $coverage = yes ]; then
    folder=$build-coverage
    flags='-O0 --coverage -DNDEBUG'
elif [ $tsan = ON ]; then
    . "$root/cmake/tsan.sh"
    folder=$build-tsan
    flags=$sanitizer_flags
    target=tests_with_threads
    # No test with threads is of an extra.
    without=$(sed -n 's/^set(extras \(.*\))$/\U\1/p' "$root/src/CMakeLists.txt" | sed 's/[A-Z_][A-Z_]*/-DHONE_EXTRA_&=OFF/g')
    find_tsan "$folder" || exit 0
fi
configure_and_build "$folder" -DHONE_TESTS=ON -DHONE_TEST_ALL=$all -DHONE_SANITIZE=$sanitize \
    -DHONE_TSAN=$tsan -DCMAKE_C_FLAGS_RELWITHDEBINFO="$flags" -DHONE_WERROR="${werror:-OFF}" \
    -DHONE_TEST_DATA="${HONE_TEST_DATA:-}" -DHONE_TEST_POCL_CACHE="$build-pocl" ${without:-}

[ $build_alone = no ] || exit 0

beside=4
[ -z "$labels" ] || beside=2
jobs=${HONE_TEST_JOBS:-$(($(nproc) + beside))}

if [ $others = yes ]; then
    "$root/cmake/others.sh" "$folder"
    exit
fi

# What judges pages is in pure Python: a folder of its own, whichever Python runs the tests.
find_judges() {
    judges=$folder/judges
    if [ ! -e "$judges/installed" ]; then
        rm -rf "$judges"
        { python3 -m venv "$judges" && "$judges/bin/pip" install -q axe-core-python html5lib && : >"$judges/installed"; } \
            >"$folder/out" 2>&1 || echo "    skipped: axe-core and html5lib cannot be installed with pip: $(tail -n 1 "$folder/out")"
    fi
    PYTHONPATH=$(echo "$judges"/lib/python3*/site-packages)
    export PYTHONPATH
}
! wanted browser || find_judges

# The Python of the distribution, for its pyopencl, with OpenCV and reikna beside it.
find_foreign() {
    foreign=$folder/foreign
    if [ ! -e "$foreign/installed" ]; then
        rm -rf "$foreign"
        { /usr/bin/python3 -m venv --system-site-packages "$foreign" &&
            "$foreign/bin/pip" install -q 'numpy<2' 'opencv-python-headless<4.12' reikna && : >"$foreign/installed"; } \
            >"$folder/out" 2>&1 || echo "    skipped: OpenCV and reikna cannot be installed with pip: $(tail -n 1 "$folder/out")"
    fi
    HONE_CAPTURE_PYTHON=$foreign/bin/python
    export HONE_CAPTURE_PYTHON
}
! wanted capture || find_foreign

say "testing"
# What workers leave that a test kills.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hone-testing-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export HONE_WORKER_SCRATCH="$scratch"
if [ $sanitize = ON ]; then
    # A death of the worker must look as it does without the sanitizer; what drivers keep is not ours. Of freed
    # memory 16 MB are held back: with the usual 256 each of thousands of processes has the kernel find it that.
    export ASAN_OPTIONS=handle_segv=0:handle_abort=0:handle_sigbus=0:detect_leaks=0:quarantine_size_mb=16
    export UBSAN_OPTIONS=print_stacktrace=1
fi
cd "$folder"

# A line that is renewed with each test that ends, where somebody looks at it.
progress=
[ ! -t 1 ] || progress=--progress
if [ $tsan = ON ]; then
    run_under_tsan "$root/cmake/run_tests.sh" $progress -L threads -j"$jobs"
elif [ -n "$labels" ]; then
    set -- "$root/cmake/run_tests.sh" $progress -L "$labels" -j"$jobs"
    if wanted slurm; then
        # Its tests wait more than they compute, and each kills what is its own alone. Without a rig they are skipped.
        status=0
        "$root/cmake/slurm_rig.sh" 4 "$@" || status=$?
        [ $status = 77 ] || exit $status
        [ "$labels" != slurm ] || exit 0
    fi
    "$@"
elif [ $sanitize = ON ]; then
    # What is labelled "plain" says why in its CMakeLists.txt. Tests that repeat arithmetic do so in part (SUITE_SANITIZED).
    "$root/cmake/run_tests.sh" $progress -LE 'plain|valgrind|browser|slurm|kernel-tuner|capture|programs|judge|nvrtc|kernels' -j"$jobs"
else
    elsewhere='valgrind|examples|browser|slurm|python|kernel-tuner|capture|programs|judge'
    [ $all = ON ] || elsewhere="$elsewhere|nvrtc|kernels"
    [ $all = ON ] || [ $coverage = yes ] || elsewhere="$elsewhere|long"
    [ $coverage = no ] || find . -name '*.gcda' -delete
    status=0
    "$root/cmake/run_tests.sh" $progress -LE "$elsewhere" -j"$jobs" || status=$?
    [ $coverage = no ] || "$root/cmake/coverage.sh" "$folder"
    exit $status
fi
