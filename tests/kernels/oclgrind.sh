#!/bin/sh
# Runs a program under Oclgrind, a simulator that reports data races, accesses out of bounds and uses
# of uninitialised memory. Oclgrind itself exits 0 whatever it finds.
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

# The limits are those of a CPU device: every configuration shall be looked at.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
oclgrind --data-races --uninitialized --check-api --max-errors 20 --log "$log" \
    --max-wgsize 4096 --local-mem-size 65536 "$@"
status=$?

head -n 40 "$log"
if [ "$expected" = clean ]; then
    [ "$status" -eq 0 ] && [ ! -s "$log" ]
else
    grep -q "$expected" "$log"
fi
