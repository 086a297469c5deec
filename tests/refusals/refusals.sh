#!/bin/sh
# refusals.sh HONE STORE_FILE SOURCE SCRATCH [CASE...]: the program's answer to what it must refuse.
#
# A case is a folder in cases/. Its files, over those of base/ (a spec that is right, with its
# kernel), are copied to a scratch folder, where its script `command` runs with the functions below;
# what they tell must be the text `expected`. HONE_REWRITE=1 writes that file instead.
# Exit status: 1 when a case fails, 77 when all were skipped.
set -u
hone=$1 store_file=$2 source=$3 scratch=$4
shift 4
here=$source/tests/refusals
base=$here/base cases=$here/cases
export kernels="$source/kernels_cl" # for cases with a kernel of these
# Its caches are kept, as PoCL's is, which all tests share: a kernel is compiled once, not at each run.
rm -rf "${scratch:?}/home" # of a run that was broken off
mkdir -p "$scratch/cache"
unset HONE_WORKER
export HONE_DEVICE='portable computing language' # every driver has its own words
export LC_ALL=C HOME="$scratch/home" XDG_DATA_HOME="$scratch/home" XDG_CACHE_HOME="$scratch/cache"

# ---- what differs from machine to machine ---------------------------------------------------------

# Others that have the device, GPUs without a driver, devices (and how many, unless DEVICES is set), the times of a tune,
# this machine's folders and user.
plain() {
    sed -E \
        -e '/^[0-9]+\/[0-9]+( |$)/d; /^About .* for the /d; /^waiting: the device is in use /d; /^hone: warning: the device is in use by /d; /^hone: (NVIDIA|AMD|Intel)(.s CUDA| GPU) /d' \
        -e "s|$scratch|SCRATCH|g" \
        -e 's/^  .* \((cpu|gpu|integrated|accelerator), .*\), id .*$/  DEVICE/; s/(there|There) are:/\1 is:/' \
        -e 's/does not build: (error: )?([^ ]+:[0-9]+:[0-9]+:) (error: )?/does not build: \2 /' \
        -e 's/^Device: .*/Device: DEVICE/' \
        -e 's/belongs to [^ ]+/belongs to USER/; s/this is [^ ]+;/this is USER;/' \
        -e 's/([0-9]+ (d|h|min) )*[0-9.]+ (ns|us|ms|s|min|h)\>/TIME/g; s/ in TIME: .*/ in TIME/' |
        if [ -n "${DEVICES-}" ]; then cat; else uniq; fi
}

# tell STREAM SHOWN: what a stream had in lines with this regular expression, indented, under its
# name.
tell() {
    plain <"$scratch/$1" | grep -E "$2" >"$scratch/shown" || return 0
    echo "$1:"
    sed 's/^./  &/' "$scratch/shown"
}

# A word as one types it.
quote() {
    case $1 in
        '' | *[!A-Za-z0-9_./=,:%-]*) printf "'%s'" "$1" ;;
        *) printf '%s' "$1" ;;
    esac
}

# ---- functions for the cases ----------------------------------------------------------------------

# Runs the program and tells what it said; where SHOW is set, of its output only the lines with this
# regular expression.
hone() {
    (set -- hone "$@"; printf '$'; for word; do printf ' %s' "$(quote "$word")"; done; echo)
    "$hone" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    tell stdout "${SHOW-.*}"
    tell stderr '.*'
    echo "exit $status"
}

skip() {
    echo "skipped: $name: $*" >&2
    exit 77
}

need_device() {
    [ -n "$device" ] || skip "there is no device of PoCL"
}

# A file that is no store: see store_file.c.
make_store() {
    "$store_file" "$1" "$2" || exit 99
}

# Runs a command and tells whether `file` is what it was, and nothing new lies beside it.
unchanged() {
    file=$1
    shift
    before=$(cksum "$file"; ls -A "$(dirname "$file")")
    "$@"
    after=$(cksum "$file"; ls -A "$(dirname "$file")")
    [ "$before" = "$after" ] && echo "$file: as it was" || echo "$file: CHANGED"
}

# ---- running them ---------------------------------------------------------------------------------

# In a subshell: the case's folder, variables and exit are its own.
run_case() (
    name=$1
    rm -rf "$scratch/case"
    mkdir -p "$scratch/case" || exit 99
    cp -R "$base/." "$cases/$name/." "$scratch/case" && cd "$scratch/case" || exit 99
    rm -f expected
    # shellcheck source=/dev/null
    . ./command >"$scratch/told"
)

judge_case() {
    run_case "$1"
    case $? in
        0) ;;
        77) return 77 ;;
        *) echo "FAILED: $1: its command broke off" >&2; return 1 ;;
    esac
    if [ -n "${HONE_REWRITE-}" ]; then
        cp "$scratch/told" "$cases/$1/expected"
    elif ! diff -u "$cases/$1/expected" "$scratch/told"; then
        echo "FAILED: $1" >&2
        return 1
    fi
}

device=$("$hone" devices 2>/dev/null | grep 'Portable Computing Language')
passed=0 failed=0 skipped=0
[ $# -gt 0 ] || set -- "$cases"/*
for case; do
    judge_case "${case##*/}"
    case $? in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) ;;
    esac
done
rm -rf "$scratch/case" "$scratch/told" "${scratch:?}/home"
echo "$passed cases passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
