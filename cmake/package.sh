#!/bin/sh
# Makes the Debian packages and tries them.
#
#   cmake/package.sh           builds them into build-package, and checks them with lintian
#   cmake/package.sh --try     then installs them on a clean system of the same release (debootstrap; needs root and
#                              the network) and uses them there: tunes a kernel on PoCL, builds a program on libhone;
#                              before that builds hone as a part of another project, static
. "$(dirname "$0")/setup.sh"
. "$root/cmake/clean_system.sh"

extra='lintian:cmd:lintian
dpkg-dev:cmd:dpkg-shlibdeps'
[ "${1:-}" != --try ] || extra="$extra
debootstrap:file:/usr/sbin/debootstrap"
prepare
folder=$build-package
configure_and_build "$folder" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=Release -DHONE_TESTS=OFF \
    -DHONE_WERROR="${CI:+ON}"

say "packages"
cd "$folder"
rm -f ./*.deb
umask 022
cpack -G DEB >cpack.log 2>&1 || {
    cat cpack.log
    exit 1
}
ls -l ./*.deb
say "lintian"
# Without a bug that it closes, and a reason to be in Debian.
lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs ./*.deb
[ "${1:-}" = --try ] || exit 0

say "a part of another project"
"$root/tests/install/try_subproject.sh" "$root" "$folder/subproject"

make_clean_system "$folder"
as_root cp ./*.deb "$clean/packages/"
as_root cp "$root/tests/install/application/devices.c" "$root/tests/install/try_packages.sh" "$clean/packages/"
in_clean_system sh /packages/try_packages.sh
