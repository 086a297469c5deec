#!/bin/sh
# coverage.sh BUILD: the lines of src/ that ran since BUILD, compiled with --coverage, was tested: by folder, and of all. Called by
# test.sh. A worker that is killed at the end of its run tells nothing of its lines, so this is the least that ran.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$1"
find . -name "*.gcno" -path "./src/*" -print0 | xargs -0 "${GCOV:-gcov}" --no-output --relative-only --source-prefix "$root" 2>/dev/null |
    awk -F "[':% ]+" '
    /^File / { file = $2; next }
    /^Lines executed/ && file ~ /^src\/.*\.c$/ {
        folder = file
        sub(/\/[^\/]*$/, "", folder)
        parts = split(folder, part, "/")
        folder = part[2] (parts > 2 && (part[2] == "core" || part[2] == "extras") ? "/" part[3] : "")
        lines[folder] += $5; ran[folder] += $5 * $3 / 100; all += $5; of_all += $5 * $3 / 100
        file = ""
    }
    END {
        for (f in lines)
            printf "%-20s %7d lines %6.1f %%\n", f, lines[f], 100 * ran[f] / lines[f] | "sort"
        close("sort")
        if (all)
            printf "%-20s %7d lines %6.1f %%\n", "src", all, 100 * of_all / all
    }'
