#!/bin/sh
# Compiles hone for 64-bit Arm with Debian's compiler, where a warning is an error. Nothing is run: no program of that
# machine runs here. The libraries are unpacked into build-cross/sysroot and not installed.
. "$(dirname "$0")/setup.sh"

extra='gcc-aarch64-linux-gnu:cmd:aarch64-linux-gnu-gcc
libc6-dev-arm64-cross:file:/usr/aarch64-linux-gnu/include/stdio.h
ninja-build:cmd:ninja'
prepare
folder=$build-cross
sysroot=$folder/sysroot
lists=$folder/apt
mkdir -p "$lists/lists/partial" "$lists/archives/partial" "$sysroot"

say "libraries for arm64"
arm() { # apt's commands on lists of that architecture, apart from this machine's
    as_root apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::Lists="$lists/lists" \
        -o Dir::State::status="$lists/status" -o Dir::Cache="$lists" "$@"
}
: >>"$lists/status"
if [ ! -e "$sysroot/complete" ]; then
    arm update
    (cd "$lists/archives" && arm download libjansson4 libjansson-dev libsqlite3-0 libsqlite3-dev zlib1g zlib1g-dev \
        >/dev/null 2>&1)
    for package in "$lists"/archives/*.deb; do
        dpkg-deb -x "$package" "$sysroot"
    done
    [ -e "$sysroot/usr/include/jansson.h" ] && [ -e "$sysroot/usr/include/sqlite3.h" ] &&
        [ -e "$sysroot/usr/include/zlib.h" ] || {
        echo "hone: a library for arm64 cannot be had here" >&2
        exit 1
    }
    cp -a "$sysroot/lib/." "$sysroot/usr/lib/" 2>/dev/null || :
    mkdir -p "$sysroot/usr/include/opencl"
    cp -r /usr/include/CL "$sysroot/usr/include/opencl/"
    : >"$sysroot/complete"
fi
libraries=$sysroot/usr/lib/aarch64-linux-gnu
export PKG_CONFIG_LIBDIR="$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$sysroot"
cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L$libraries -Wl,-rpath-link,$libraries")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-L$libraries -Wl,-rpath-link,$libraries")
set(CMAKE_FIND_ROOT_PATH "$sysroot/usr")
END
configure_and_build "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DHONE_TESTS=OFF \
    -DHONE_WERROR=ON -DHONE_INSTALL=OFF -DOpenCL_INCLUDE_DIRS="$sysroot/usr/include/opencl"
# configure_and_build() made $folder its own.
for program in hone hone-worker libhone.so; do
    aarch64-linux-gnu-readelf -h "$folder/$program" | grep -q AArch64 || {
        echo "hone: $program is not for 64-bit Arm" >&2
        exit 1
    }
done
echo "hone, hone-worker and libhone.so for 64-bit Arm, without a warning"
