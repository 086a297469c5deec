# Shared by package.sh, wheel.sh and image.sh (sourced): a clean system of the same release, by debootstrap. Needs root and the network.

# Makes it in $clean, which goes with the script; what installed it says is in FOLDER/debootstrap.log.
make_clean_system() { # folder
    say "a clean system"
    . /etc/os-release
    clean=$(mktemp -d "${TMPDIR:-/var/tmp}/hone-clean-XXXXXX")
    trap remove_clean_system EXIT
    mirror=$(sed -n 's|^URIs: *||p' /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 1p)
    [ -n "$mirror" ] || mirror=$(sed -n 's|^deb \(\[[^]]*\] \)*\([^ ]*\).*|\2|p' /etc/apt/sources.list | sed -n 1p)
    as_root /usr/sbin/debootstrap --variant=minbase "$VERSION_CODENAME" "$clean" "$mirror" >"$1/debootstrap.log" 2>&1 || {
        tail -n 20 "$1/debootstrap.log"
        exit 1
    }
    for settings in apt.conf apt.conf.d; do # how this machine reaches its packages
        [ ! -e "/etc/apt/$settings" ] || as_root cp -r "/etc/apt/$settings" "$clean/etc/apt/"
    done
    as_root cp /etc/resolv.conf "$clean/etc/"
    as_root mount -t proc proc "$clean/proc"
    as_root mount -o bind,ro /sys "$clean/sys" # where PoCL learns of cores and memory
    as_root mkdir "$clean/packages"
}

leave_clean_system() { # nothing of this machine is in it any more
    for mounted in sys proc; do
        ! mountpoint -q "$clean/$mounted" || as_root umount "$clean/$mounted" || return
    done
}

remove_clean_system() {
    leave_clean_system || return
    as_root rm -rf --one-file-system "$clean"
}

in_clean_system() { # command...
    as_root chroot "$clean" env -i PATH="$PATH" HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
