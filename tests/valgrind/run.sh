#!/bin/sh
# Runs a program under valgrind: no invalid access, nothing definitely or indirectly lost. Child
# processes are not followed: the worker owns a driver, whose memory is not ours.
#
#   run.sh EXPECTED_STATUS PROGRAM ARGUMENT...
#
# In the arguments {folder} stands for an empty folder that is removed afterwards.
set -eu
expected=$1
program=$2
shift 2

skip() {
    echo "skipped: $*"
    exit 77
}
[ -x "$program" ] || skip "$program is not built"
command -v valgrind >/dev/null 2>&1 || skip "valgrind is not installed"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder/cache" XDG_DATA_HOME="$folder/data" HONE_LOCKS="$folder"
count=$#
while [ "$count" -gt 0 ]; do
    argument=$(printf '%s' "$1" | sed "s,{folder},$folder,g")
    shift
    set -- "$@" "$argument"
    count=$((count - 1))
done

status=0
valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --show-leak-kinds=definite,indirect --error-exitcode=99 --trace-children=no \
    "$program" "$@" </dev/null >"$folder/output" 2>"$folder/errors" || status=$?
[ "$status" = "$expected" ] || {
    echo "exit status $status instead of $expected: $program $*"
    tail -n 20 "$folder/output"
    tail -n 60 "$folder/errors"
    exit 1
}
