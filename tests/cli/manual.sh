#!/bin/sh
# manual.sh HONE SCRATCH: every page of the manual renders without a warning. 77: man is not installed.
set -eu
hone=$1 scratch=$2
man --version >/dev/null 2>&1 || {
    echo "skipped: man is not installed"
    exit 77
}
rm -rf "$scratch"
mkdir -p "$scratch"
# A system that was made small has a man that shows no page and says so.
printf '.TH T 1\n.SH NAME\nt \- a page\n' >"$scratch/trial.1"
man -l "$scratch/trial.1" 2>&1 | grep -q '^NAME' || {
    echo "skipped: man shows no page here: $(man -l "$scratch/trial.1" 2>&1 | head -n 1)"
    exit 77
}
rm "$scratch/trial.1"
"$hone" help --print man --output "$scratch"
count=0
for page in "$scratch"/man?/*; do
    MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l "$page" >"$scratch/shown" 2>"$scratch/warnings"
    [ ! -s "$scratch/warnings" ] || {
        echo "$page:"
        cat "$scratch/warnings"
        exit 1
    }
    for heading in NAME DESCRIPTION; do
        grep -q "^$heading" "$scratch/shown" || {
            echo "$page: no $heading"
            exit 1
        }
    done
    count=$((count + 1))
done
[ "$count" -ge 25 ] || {
    echo "only $count pages"
    exit 1
}
echo "$count pages"
