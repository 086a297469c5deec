#!/bin/sh
# Makes the Debian packages and tries them.
#
#   cmake/package.sh           builds them into build-package, and checks them with lintian
#   cmake/package.sh --try     then installs them on a clean system of the same release (debootstrap; needs root and
#                              the network) and uses them there: tunes a kernel on PoCL, builds a program on libhone;
#                              before that builds hone as a part of another project, static
. "$(dirname "$0")/setup.sh"

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

say "a clean system"
. /etc/os-release
clean=$(mktemp -d "${TMPDIR:-/var/tmp}/hone-clean-XXXXXX")
unmount() {
    for folder in sys proc; do
        ! mountpoint -q "$clean/$folder" || as_root umount "$clean/$folder" || return
    done
    as_root rm -rf --one-file-system "$clean"
}
trap unmount EXIT
mirror=$(sed -n 's|^URIs: *||p' /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 1p)
[ -n "$mirror" ] || mirror=$(sed -n 's|^deb \(\[[^]]*\] \)*\([^ ]*\).*|\2|p' /etc/apt/sources.list | sed -n 1p)
as_root /usr/sbin/debootstrap --variant=minbase "$VERSION_CODENAME" "$clean" "$mirror" >debootstrap.log 2>&1 || {
    tail -n 20 debootstrap.log
    exit 1
}
for settings in apt.conf apt.conf.d; do # how this machine reaches its packages
    [ ! -e "/etc/apt/$settings" ] || as_root cp -r "/etc/apt/$settings" "$clean/etc/apt/"
done
as_root cp /etc/resolv.conf "$clean/etc/"
as_root mount -t proc proc "$clean/proc"
as_root mount -o bind,ro /sys "$clean/sys" # where PoCL learns of cores and memory
as_root mkdir "$clean/packages"
as_root cp ./*.deb "$clean/packages/"
as_root cp "$root/tests/install/application/devices.c" "$root/tests/install/try_packages.sh" "$clean/packages/"
as_root chroot "$clean" env -i PATH="$PATH" HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    sh /packages/try_packages.sh
