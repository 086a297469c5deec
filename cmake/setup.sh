# Shared by demo.sh and test.sh (sourced): installs what is missing and builds hone.
#
# Only apt runs with sudo; everything that is built or stored belongs to whoever runs the script.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${HONE_BUILD:-$root/build}

say() {
    printf '\n==> %s\n' "$*"
}

# name of a package : the command or file that shows it is there
needed='gcc:cmd:cc
make:cmd:make
cmake:cmd:cmake
pkg-config:cmd:pkg-config
libjansson-dev:pc:jansson
libsqlite3-dev:pc:sqlite3
zlib1g-dev:pc:zlib
check:pc:check
opencl-headers:file:/usr/include/CL/cl.h
ocl-icd-opencl-dev:pc:OpenCL
pocl-opencl-icd:icd:pocl'

has() {
    case $1 in
    cmd) command -v "$2" >/dev/null 2>&1 ;;
    pc) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$2" ;;
    file) [ -e "$2" ] ;;
    lib) PATH=$PATH:/sbin ldconfig -p | grep -q "$2" ;;
    icd) ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 && grep -qi "$2" /etc/OpenCL/vendors/*.icd ;;
    esac
}

missing_packages() {
    echo "$needed" | while IFS=: read -r package kind what; do
        has "$kind" "$what" || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "hone: this needs root and there is no sudo; please run as root: $*" >&2
        exit 1
    fi
}

install_packages() { # packages...
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "hone: no apt-get here; please install what corresponds to: $*" >&2
        exit 1
    fi
    say "installing: $*"
    # Package lists may be missing or old, which shows when it is tried.
    apt_install "$@" >/dev/null 2>&1 || {
        as_root apt-get update -qq
        apt_install "$@" >/dev/null
    }
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=600 "$@"
}

prepare() { # further packages that are wanted, as in `needed`, may be given in $extra
    needed="$needed${extra:+
$extra}"
    missing=$(missing_packages)
    # shellcheck disable=SC2086 # a list of packages
    [ -z "$missing" ] || install_packages $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || {
        echo "hone: still missing after the installation: $missing" >&2
        exit 1
    }
}

configure_and_build() { # build folder, cmake options...; a target that is enough may be given in $target
    folder=$1
    shift
    # Ninja spends nothing on each target; a folder stays with what it was made for.
    if command -v ninja >/dev/null 2>&1 && [ ! -e "$folder/CMakeCache.txt" ]; then
        set -- -G Ninja "$@"
    fi
    say "building in $folder"
    cmake -S "$root" -B "$folder" "$@" >"$folder.log" 2>&1 || {
        cat "$folder.log" >&2
        exit 1
    }
    rm -f "$folder.failed"
    {
        cmake --build "$folder" -j"$(nproc)" ${target:+--target "$target"} 2>&1 || : >"$folder.failed"
    } | tee "$folder.log" | show_build
    if [ -e "$folder.failed" ]; then
        rm -f "$folder.failed"
        tail -n 60 "$folder.log" >&2
        exit 1
    fi
    rm -f "$folder.log"
}

show_build() { # on a terminal a bar of what Ninja ("[12/345]") or make ("[ 12%]") says that it has done; else nothing
    if [ ! -t 1 ] || [ "${TERM:-dumb}" = dumb ]; then
        cat >/dev/null
        return
    fi
    full='##############################'
    empty='------------------------------'
    while IFS= read -r line; do
        part=${line#\[} && part=${part%%\]*} && part=${part# } && part=${part# } words=$part
        case $part in
        *[!0-9/%]* | */*/*) continue ;;
        [0-9]*%) part=${part%\%}/100 ;;
        [0-9]*/[1-9]*) ;;
        *) continue ;;
        esac
        length=$((30 * ${part%/*} / ${part#*/}))
        printf '\r\033[K%.*s%.*s  %s' "$length" "$full" "$((30 - length))" "$empty" "$words"
    done
    printf '\r\033[K'
}
