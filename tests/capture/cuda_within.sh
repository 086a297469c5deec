#!/bin/bash
# The CUDA half of the layer inside of a program, so that a sanitizer sees both: the output is that of the program without it, and the
# log has the launches.
#   cuda_within.sh PROGRAM WITHIN FOLDER
set -u
program=$1 within=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
failed=0

# check LAUNCHES CASE...
check() {
  local launches=$1
  shift
  local plain=$("$program" "$@") got
  got=$(HONE_CAPTURE_FOLDER=$folder/$1 "$within" "$@") || { echo "FAILED: $*: status $?" && failed=1; }
  [ "$got" = "$plain" ] || { echo "FAILED: $*: another output: $got" && failed=1; }
  got=$(grep -c '"launch"' "$1/log")
  [ "$got" = "$launches" ] || { echo "FAILED: $*: $got launches were captured, not $launches" && failed=1; }
}

"$program" save image >/dev/null || exit 1
check 1 add
check 3 shapes
check 1 pool
check 1 overlap
check 1 in_place
check 1 extra
check 1 proc_address
check 1 twice
check 1 asked
check 1 null
check 1 symbol
check 2 twins
check 1 inside
check 0 cooperative
check 0 host_memory
check 2 graph
check 1 graph_changed
check 1 reached
check 1 stale
check 3 threads
check 1 texture
check 0 texture_freed
check 2 numbers
check 0 many
check 1 load image
check 1 file image
exit $failed
