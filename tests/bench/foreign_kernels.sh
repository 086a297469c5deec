#!/bin/bash
# How many kernels of other projects hone takes as they are.
#
#   tests/bench/foreign_kernels.sh FOLDER [ENDING] [ARCH]
#
# FOLDER holds clones of public projects (nothing of theirs is kept here). Each kernel of each file that ends in
# ENDING (cl by default, or cu) is given to `hone init`, and what it writes to `hone check`: of CUDA one kernel a file,
# which is only built, for ARCH (sm_80 by default), or with the ARCH "run" runs on the card that is here. A line each,
# with the first line of what is wrong; then the sums. HONE names the program, HONE_KERNELS a file with the names of the
# files that are tried (else all are, by path), a kernel's name behind a colon; HONE_KEEP a folder in which the specs and
# what was said of them stay; HONE_SECONDS bounds each command.
set -u
folder=$(cd "$1" && pwd)
ending=${2:-cl}
arch=${3:-sm_80}
hone=${HONE:-$(cd "$(dirname "$0")/../.." && pwd)/build/hone}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=${HONE_SECONDS:-300}
tried=${HONE_INIT:-} # init tries what it writes, where a device is; HONE_INIT=--no-check: it does not
[ "$ending" = cu ] && [ "$arch" != run ] && tried=--no-check
export XDG_DATA_HOME="$work" # each figure is measured anew

list() {
    if [ -n "${HONE_KERNELS:-}" ]; then
        cat "$HONE_KERNELS"
    else
        (cd "$folder" && find . -name "*.$ending" | sed 's,^\./,,' | LC_ALL=C sort)
    fi
}

# The kernels of a file that has several, as the refusal lists them.
kernels_of() {
    sed -n 's/.*name one with --kernel: //p' "$work/init" | tr -d ' ' | tr ',' '\n'
}

first_fault() {
    grep -v -e warning -e '^Device' -e '^Spec' -e '^$' "$1" | head -n 3 | tail -n 1 | cut -c1-160
}

# keep FILE KERNEL
keep() {
    [ -n "${HONE_KEEP:-}" ] || return
    for one in spec.json init check; do
        [ -e "$work/$one" ] && cp "$work/$one" "$HONE_KEEP/$(echo "$1.$2" | tr / +).$one"
    done
}

# try FILE KERNEL
try() {
    rm -f "$work/spec.json" "$work/check"
    timeout -k 5 "$seconds" "$hone" init "$folder/$1" ${2:+--kernel "$2"} $tried --output "$work/spec.json" >"$work/init" 2>&1
    if grep -q 'name one with --kernel' "$work/init"; then
        several=$(kernels_of)
        [ "$ending" = cu ] && several=$(echo "$several" | head -n 1)
        for one in $several; do
            try "$1" "$one"
        done
        return
    fi
    if [ ! -e "$work/spec.json" ]; then
        echo "init $1 ${2:-}: $(grep -m1 '^hone:' "$work/init" | cut -c1-160)"
        return
    fi
    if [ "$ending" = cu ]; then
        set -- "$1" "${2:-}" --sample 1
        [ "$arch" = run ] && set -- "$@" --language cuda || set -- "$@" --build-only --arch "$arch"
    else
        set -- "$1" "${2:-}" --sample 1 --language opencl
    fi
    file=$1 kernel=$2
    shift 2
    if timeout -k 5 "$seconds" "$hone" check "$work/spec.json" "$@" >"$work/check" 2>&1; then
        if grep -qE '[0-9]+ of [0-9]+ configurations are valid' "$work/check"; then
            echo "works $file $kernel"
        else
            echo "single $file $kernel"
        fi
    elif grep -qi 'changed none\|changed no output\|nothing was checked' "$work/check"; then
        echo "nothing $file $kernel: $(first_fault "$work/check")"
    else
        echo "fails $file $kernel: $(first_fault "$work/check")"
    fi
    keep "$file" "$kernel"
}

list | while IFS=: read -r file kernel; do
    try "$file" "$kernel"
done | tee "$work/lines"
echo
cut -d' ' -f1 "$work/lines" | sort | uniq -c
