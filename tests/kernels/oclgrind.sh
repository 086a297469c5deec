#!/bin/sh
# Runs a program under Oclgrind, a simulator that reports data races and accesses out of bounds; with
# --uninitialized before the program's name also uses of uninitialised memory, which takes several
# times as long, and fails on code in which LLVM left a `freeze` instruction. Oclgrind itself exits 0
# whatever it finds.
#
#   oclgrind.sh clean PROGRAM ARGUMENTS...    passes when the program does and nothing was reported
#   oclgrind.sh TEXT PROGRAM ARGUMENTS...     passes when a report contains TEXT
#
# Exit status 77 where Oclgrind is not installed.
set -u

expected=$1
shift
if ! command -v oclgrind > /dev/null; then
    echo "skipped: oclgrind is not installed (Debian, Ubuntu: apt install oclgrind)"
    exit 77
fi

# Oclgrind's library comes before AddressSanitizer's, which a sanitized program would refuse.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
# The limits are those of a CPU device: every configuration shall be looked at.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
oclgrind --data-races --check-api --max-errors 20 --log "$log" \
    --max-wgsize 4096 --local-mem-size 65536 "$@"
status=$?

head -n 40 "$log"
if [ "$expected" = clean ]; then
    [ "$status" -eq 0 ] && [ ! -s "$log" ]
else
    grep -q "$expected" "$log"
fi
