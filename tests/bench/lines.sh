#!/bin/sh
# The figures of the house, at any revision.
#
#   tests/bench/lines.sh [REV]      REV: HEAD by default
#
# All lines are counted for each room of src/, and include/. The rest by tests/source/c_files.awk in the .c and .h files of src/: lines of code have no comment and are not
# blank; a function's length runs from the line of its name to its closing brace; a static function is used once
# when its file names it once besides its definition and declarations.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
revision=${1:-HEAD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$root" archive "$revision" src include >"$work/src.tar"
tar -C "$work" -xf "$work/src.tar"
cd "$work"
find src -name '*.[ch]' | LC_ALL=C sort >"$work/files"
# shellcheck disable=SC2046 # no blanks in our file names
LC_ALL=C awk -f "$root/tests/source/c_files.awk" $(cat "$work/files") >"$work/counts"

percent='function percent(part, whole) { return whole ? sprintf("%.1f %%", 100 * part / whole) : "-" }'

printf 'revision                                        %s\n' "$(git -C "$root" rev-parse --short "$revision")"
awk '$1 == "file" {
    folder = $2
    sub(/[^\/]*$/, "", folder)
    lines[folder] += $3
    all += $3
}
END {
    for (folder in lines)
        printf "lines of code in %-30s %6d\n", folder, lines[folder]
    printf "lines of code in %-30s %6d\n", "src, in all", all
}' "$work/counts" | LC_ALL=C sort
find src include -name '*.[ch]' -o -name '*.js' -o -name '*.css' | LC_ALL=C sort | xargs wc -l | awk '$2 != "total" {
    split($2, part, "/")
    room = part[1] == "include" ? "include" : part[1] "/" part[2]
    lines[room] += $1
    all += $1
}
END {
    for (room in lines)
        printf "lines of C, JavaScript, CSS in %-16s %6d\n", room, lines[room]
    printf "lines of C, JavaScript, CSS in %-16s %6d\n", "all", all
}' | LC_ALL=C sort
printf 'flat files in src/                              %6d\n' "$(grep -c '^src/[^/]*$' "$work/files" || :)"
for kind in c h; do
    printf 'names of .%s files that exist more than once     %6d\n' "$kind" \
        "$(sed -n "s,.*/\(.*\.$kind\)\$,\1,p" "$work/files" | sort | uniq -d | wc -l)"
done
awk "$percent"'
$1 == "file" && $2 ~ /\.c$/ {
    commented += $4
    written += $5
}
$1 == "function" {
    functions++
    times[$3]++
    if ($4 == "static" && $2 ~ /\.c$/) {
        statics++
        once += $6 == 1
    }
}
END {
    for (name in times)
        if (times[name] > 1)
            shared += times[name]
    printf "functions                                       %6d\n", functions
    printf "that share their name with another              %8s\n", percent(shared, functions)
    printf "static functions used once                      %8s\n", percent(once, statics)
    printf "lines with a comment in .c files                %8s\n", percent(commented, written)
}' "$work/counts"
awk '$1 == "function" { print $5 }' "$work/counts" | sort -n | awk '{
    length_of[NR] = $1
}
END {
    printf "length of functions: median, p90, max                %d, %d, %d\n", length_of[int((NR + 1) / 2)],
        length_of[int(NR * 0.9 + 0.5)], length_of[NR]
}'
