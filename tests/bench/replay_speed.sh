#!/bin/sh
# replay_speed.sh HONE [--count N] FILE...: how long a replayed tune of 10,000 configurations takes beside
# reading the file, by strategy. "reading" is a tune of one configuration; "10,000" what a tune of so many
# takes longer, without output (best of three), and with a line of JSON for each.
set -eu
hone=$1 count=10000
shift
[ "$1" != --count ] || { count=$2; shift 2; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT

seconds() { # of the fastest of three runs
    for _ in 1 2 3; do
        start=$(date +%s%N)
        "$hone" tune "$@" >"$out" 2>/dev/null
        echo $(($(date +%s%N) - start))
    done | sort -n | head -n 1
}

strategies=$("$hone" score --strategy none "$1" 2>&1 | sed -n 's/.*there are: //p' | tr -d ,)
printf '%-40s %-12s %10s %10s %10s\n' file strategy reading "$count" json
for file; do
    reading=$(seconds --replay "$file" --budget 1 --strategy random)
    for strategy in $strategies; do
        plain=$(seconds --replay "$file" --budget "$count" --strategy "$strategy")
        json=$(seconds --replay "$file" --budget "$count" --strategy "$strategy" --json)
        printf '%-40s %-12s %8.3f s %8.3f s %8.3f s\n' "$(basename "$file")" "$strategy" \
            "$(echo "$reading" | awk '{print $1 / 1e9}')" \
            "$(echo "$plain $reading" | awk '{print ($1 - $2) / 1e9}')" \
            "$(echo "$json $reading" | awk '{print ($1 - $2) / 1e9}')"
    done
done
