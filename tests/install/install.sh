#!/bin/sh
# install.sh BUILD SOURCE SCRATCH: the tree that `cmake --install` makes.
#
# Installs the build into the scratch folder, moves it, and has programs of others (application/) find it there: three
# in C and C++, through pkg-config and through find_package(). They list devices, tune one of the installed specs with
# the installed worker, and ask the store for the best. Then hone as a subproject, which must leave the project around
# it alone (configured, not built), DESTDIR, and the target `uninstall`. The tree's path has blanks and letters that are not
# ASCII. CMAKE, CC, CXX and PKG_CONFIG name the tools.
set -eu
build=$1 source=$2 scratch=$3
here=$source/tests/install
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE CMAKE_PREFIX_PATH CFLAGS CXXFLAGS LDFLAGS DESTDIR || :
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache"

fail() {
    echo "$*"
    exit 1
}

quietly() { # command...: what it says is shown only when it fails
    "$@" >output 2>&1 || {
        cat output
        fail "failed: $*"
    }
}

# By components, whose lists of files do not take the place of the user's.
install_to() {
    for component in hone library known development kernels; do
        quietly "$CMAKE" --install "$build" --component $component --prefix "$1"
    done
}

# ---- installed and moved ----

install_to "$scratch/made"
mkdir elsewhere
tree="$scratch/elsewhere/größer als hone"
mv made "$tree"
pc=$(find "$tree" -name hone.pc)
[ -n "$pc" ] || fail "no hone.pc was installed"
if grep -rIlF -e "$scratch/made" -e "$build" "$tree" >output; then
    cat output
    fail "these files name the folder where hone was built or installed first"
fi
library=$(find "$tree" -name 'libhone.*' | head -n 1)
[ "$(find "$tree" -type d -name 'kernels_c[lu]' | wc -l)" = 2 ] || fail "the kernels are not there once"
quietly "$tree/bin/hone" version
case $library in
*.so*)
    readelf -d "$library" | grep -q 'soname: \[libhone\.so\.0\]' || fail "$library: another soname"
    ;;
esac

# ---- programs of others ----

export PKG_CONFIG_PATH="${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
flags="-Wall -Wextra -Werror -pedantic $("$PKG_CONFIG" --cflags hone)"
links=$("$PKG_CONFIG" --libs hone)
[ -n "$CXX" ] || fail "there is no compiler of C++"
build_by_pkg_config() { # compiler, standard, source, program: pkg-config's words are for a shell
    eval "quietly \"\$1\" -std=\"\$2\" $flags \"\$here/application/\$3\" -o \"\$4\" $links"
}
build_by_pkg_config "$CC" c11 devices.c devices
build_by_pkg_config "$CC" c11 tune.c tune
build_by_pkg_config "$CXX" c++11 best.cpp best
eval "quietly \"\$CC\" -std=c99 -Wall -Wextra -Werror -pedantic \"\$here/application/known.c\" -o known" \
    "$("$PKG_CONFIG" --cflags --libs hone-known)"
quietly "$CMAKE" -S "$here/application" -B application -DCMAKE_PREFIX_PATH="$tree" \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX"
quietly "$CMAKE" --build application

[ -z "${library##*.a}" ] || export LD_LIBRARY_PATH="${library%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for known in ./known application/known; do
    $known "$here/application/two.hone" "Card A" 4096 256 >known.text || fail "known failed"
    grep -qF "block=32, unroll=2: -DHONE=1" known.text || fail "known: another configuration"
    if ldd $known | grep -qE 'libhone\.|jansson|sqlite'; then
        fail "$known links more than libhone-known"
    fi
done

export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$scratch/pocl}"
eval "spec=$("$PKG_CONFIG" --variable=kernels hone)/kernels_cl/matmul_naive.json"
places='. application'
case $library in
*.a) # the worker of such a program is looked for beside the program
    cp devices tune best "$tree/bin"
    places=$tree/bin
    ;;
esac
for folder in $places; do
    status=0
    "$folder/devices" >devices.text || status=$?
    [ $status = 0 ] || [ $status = 77 ] || fail "devices ended with $status"
done
if [ $status = 77 ]; then
    echo "no OpenCL device: nothing was tuned"
else
    "$folder/tune" "$spec" store.sqlite >tuned.text || fail "tune failed"
    ./best "$spec" store.sqlite >best.text || fail "best failed"
    application/best "$spec" store.sqlite >best_again.text || fail "best failed"
    cmp best.text best_again.text
    "$tree/bin/hone" best "$spec" --set WIDTH=64 --store store.sqlite >hone.text || fail "hone best failed"
    grep -qF "$(cut -d: -f1 best.text)" hone.text || fail "hone best: another configuration"
    quietly "$tree/bin/hone" devices # with the worker of this tree
fi

# Without the worker it is told where one was looked for, and what names another.
worker=$(find "$tree" -name hone-worker)
mv "$worker" moved-worker
status_without=0
"$tree/bin/hone" devices >output 2>&1 || status_without=$?
[ $status_without = 1 ] && grep -q 'hone-worker' output && grep -q HONE_WORKER output || {
    cat output
    fail "hone without its worker: $status_without"
}
[ $status = 77 ] || HONE_WORKER="$PWD/moved-worker" quietly "$tree/bin/hone" devices
case $library in
*.so*)
    status_without=0
    ./devices >output 2>&1 || status_without=$?
    [ $status_without = 1 ] && grep -q 'hone-worker' output || {
        cat output
        fail "libhone without its worker: $status_without"
    }
    ;;
esac
mv moved-worker "$worker"

# ---- a subproject ----

quietly "$CMAKE" -S "$here/subproject" -B subproject -DHONE_FOLDER="$source" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
grep 'application\.c' subproject/compile_commands.json >output
if grep -E -e '-W|-std|-D|-f' output; then
    fail "hone's flags reached the project around it"
fi
[ ! -e subproject/hone/tests ] || fail "a subproject has hone's tests"
if grep -rE 'file\(INSTALL' subproject --include=cmake_install.cmake; then
    fail "a subproject is installed without being asked to be"
fi

# ---- staged, uninstalled ----

DESTDIR="$scratch/staged" install_to /opt/hone
[ -x staged/opt/hone/bin/hone ] || fail "DESTDIR is not obeyed"
for component in hone library known development kernels; do
    DESTDIR="$scratch/staged" quietly "$CMAKE" -DMANIFEST="$build/install_manifest_$component.txt" -P "$source/cmake/uninstall.cmake"
done
find staged ! -type d -o -name hone -path '*/hone/*' >output
[ ! -s output ] || {
    cat output
    fail "left in DESTDIR after uninstalling"
}
again="$scratch/hone/wieder da/ü/hone" # below a folder of hone's name, as in a checkout of it
install_to "$again"
for component in hone library known development kernels; do
    quietly "$CMAKE" -DMANIFEST="$build/install_manifest_$component.txt" -P "$source/cmake/uninstall.cmake"
    rm "$build/install_manifest_$component.txt" "$build/install_prefix_$component.txt"
done
[ -d "$again" ] || fail "uninstalling removed the prefix, or a folder above it"
find "$again" -mindepth 1 \( ! -type d -o -name hone \) >output
[ ! -s output ] || {
    cat output
    fail "left after uninstalling"
}
exit $status
