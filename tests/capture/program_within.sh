#!/bin/bash
# The OpenCL half of the layer inside of a program, so that a sanitizer sees both: the output is that of the program without it, and the
# log has the launches.
#   program_within.sh PROGRAM WITHIN FOLDER
set -u
program=$1 within=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
failed=0

# check LAUNCHES CASE
check() {
  local plain got
  plain=$("$program" "$2")
  [ $? -eq 77 ] && return # the driver lacks what it needs
  got=$(HONE_CAPTURE_FOLDER=$folder/$2 "$within" "$2") || { echo "FAILED: $2: status $?" && failed=1; }
  [ "$(echo "$got" | sort)" = "$(echo "$plain" | sort)" ] || { echo "FAILED: $2: another output: $got" && failed=1; }
  got=$(grep -c '"launch"' "$2/log")
  [ "$got" = "$1" ] || { echo "FAILED: $2: $got launches were captured, not $1" && failed=1; }
}

[ -n "$("$program" scale)" ] || exit 77
check 5 threads
check 3 shapes
check 1 values
check 1 union
check 2 places
check 1 parts
check 1 svm
check 1 clone
check 1 images
check 1 link
check 1 two_queues
exit $failed
