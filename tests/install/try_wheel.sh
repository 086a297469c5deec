#!/bin/sh
# Within a clean system (cmake/wheel.sh --clean): installs the wheel, and tunes a kernel with it, as somebody would who has no
# compiler, and at first no OpenCL.
set -eu
cd /packages
install() {
    apt-get install -y -qq --no-install-recommends "$@" >installed 2>&1 || {
        tail -n 20 installed
        exit 1
    }
}
expect() { # what, pattern, command...
    what=$1 pattern=$2
    shift 2
    "$@" >told 2>&1 || :
    grep -Eq "$pattern" told || {
        cat told
        echo "failed: $what: there is no '$pattern'"
        exit 1
    }
    echo "passed: $what"
}
no_compiler() {
    ! command -v cc && ! command -v gcc && ! command -v clang
}
apt-get update -qq
install python3-venv
no_compiler
python3 -m venv /venv
/venv/bin/pip install -q --no-index --disable-pip-version-check ./hone_tuner-*.whl
export PATH="/venv/bin:$PATH"
cat >tune.py <<'END'
import hone, pathlib
spec = pathlib.Path(hone.__file__).parent / "native/share/hone/kernels_cl/matmul_naive.json"
print(len(hone.space(spec)), "configurations")
result = hone.tune(spec, set={"WIDTH": 64}, budget=3, progress=False)
assert result.best is not None and result.best.verified
print("verified", result)
END
expect "version" '[0-9]+\.[0-9]+' hone version
expect "without any OpenCL: what to install is said" 'apt install pocl-opencl-icd ocl-icd-libopencl1' hone devices
expect "the same as an exception" 'DeviceError.*(install|OpenCL)' python3 tune.py
install pocl-opencl-icd ocl-icd-libopencl1
no_compiler
expect "devices" 'Portable Computing Language' hone devices
expect "a tune" 'verified <hone.Result' python3 tune.py
