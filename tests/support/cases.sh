#!/bin/sh
# cases.sh SUITE HONE SOURCE SCRATCH [K/N | CASE...]: what the program prints and answers, held against what is on file.
#
# SUITE is a folder of tests/. A case is a folder in its cases/: the files of the case, over those of base/, are copied to a
# scratch folder, where its script `command` runs with the functions below; what they tell must be the text `expected`.
# HONE_REWRITE=1 writes that file instead. suite.sh sets the surroundings of all cases of the suite, adds functions of its own,
# and has `plain STREAM`, the filter that makes the same of what differs from run to run.
# K/N: every Nth case, from the Kth, so that several of these run side by side, each with a scratch folder of its own.
# Exit status: 1 when a case fails, 77 when all were skipped.
set -u
suite=$1 hone=$2 source=$3 scratch=$4
shift 4
here=$source/tests/$suite
base=$here/base cases=$here/cases
# Caches are kept, as PoCL's is, which all tests share: a kernel is compiled once, not at each run.
mkdir -p "$scratch/cache" "$scratch/tmp"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch/home" XDG_DATA_HOME="$scratch/home" XDG_CACHE_HOME="$scratch/cache" TMPDIR="$scratch/tmp"
export HONE_LOCKS="$scratch/tmp" # other tests are not waited for

# ---- functions for the cases ----------------------------------------------------------------------

# tell STREAM SHOWN: what a stream had in lines with this regular expression, indented, under its
# name.
tell() {
    [ -s "$scratch/$1" ] || return 0
    plain "$1" <"$scratch/$1" | grep -E "$2" >"$scratch/shown" || return 0
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

# Runs the program and tells what it said; where SHOW is set, of its output only the lines with this
# regular expression.
hone() {
    (set -- hone "$@"; printf '$'; for word; do printf ' '; quote "$word"; done; echo)
    run_hone "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    tell stdout "${SHOW-.*}"
    tell stderr '.*'
    echo "exit $status"
}

# In surroundings of the suite's, which overrides it.
run_hone() {
    "$hone" "$@"
}

skip() {
    echo "skipped: $name: $*" >&2
    exit 77
}

# need_extra NAME...: for cases of what an extra has, which a build may be without.
need_extra() {
    for extra; do
        case $extra in
            formats) asked='import --help' ;;
            page) asked='report --help' ;;
            nodes) asked='help nodes' ;;
            *) asked="$extra --help" ;;
        esac
        # shellcheck disable=SC2086
        "$hone" $asked >"$scratch/stdout" 2>&1 || skip "this build has no $extra"
    done
}

# shellcheck source=/dev/null
. "$here/suite.sh"

# ---- running them ---------------------------------------------------------------------------------

# In a subshell: the case's folder, store, variables and exit are its own.
run_case() (
    name=$1
    rm -rf "$scratch/case" "${scratch:?}/home"
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

passed=0 failed=0 skipped=0 at=0
part=1 parts=1
case ${1-} in
    */[0-9]*) part=${1%/*} parts=${1#*/}; shift ;;
esac
[ $# -gt 0 ] || set -- "$cases"/*
for case; do
    at=$((at + 1))
    [ $((at % parts)) -eq $((part % parts)) ] || continue
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
