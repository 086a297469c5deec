#!/bin/sh
# known.sh HONE SOURCE SCRATCH: each result that ships in kernels_cl/known.sqlite answers by the rules of today. A new measuring
# version fails here until cmake/known.sh has measured the store again, or the store is deleted.
set -eu
hone=$1 store=$2/kernels_cl/known.sqlite specs=$2/kernels_cl scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_DATA_HOME="$scratch"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
all=$("$hone" store --store "$store" --json)
case $all in
*'"earlier":0,'*) ;;
*) fail "$store has results of an earlier measuring version: cmake/known.sh measures them again: $all" ;;
esac
# Each spec that the store names answers from it, where its user has neither a store nor the device.
for spec in $(echo "$all" | grep -o '"spec":"[^"]*"' | cut -d'"' -f4); do
    best=$("$hone" best "$specs/$spec.json" --device H200 2>&1) || fail "$best"
    case $best in
    *OLDER* | *'not verified'*) fail "$best" ;;
    *'; verified '*) ;;
    *) fail "$best" ;;
    esac
done
