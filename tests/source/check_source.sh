#!/bin/sh
# Checks of the source itself. Each prints what it found and fails.
#
#   check_source.sh includes|foreign_headers|kernel_names|globs|console|top_level SOURCE_FOLDER
set -eu
cd "$2"

fail_with() { # what is wrong; the findings are on stdin
    findings=$(cat)
    [ -z "$findings" ] || {
        printf '%s:\n%s\n' "$1" "$findings"
        exit 1
    }
}

# Every `#include "..."` in src, against the table of src/README.md: one source of truth, which people
# read. The table itself must go one way: a row names itself and rows above it only.
check_includes() {
    find src -name '*.[ch]' | LC_ALL=C sort >"$list"
    # shellcheck disable=SC2046 # no blanks in our file names
    awk '
    FILENAME == "src/README.md" {
        if (split($0, cell, "|") < 4) {
            in_table = 0
            next
        }
        name = cell[2]
        gsub(/[` ]/, "", name)
        if (name == "folder") {
            in_table = 1
        } else if (in_table && cell[4] ~ /everything above/) {
            if (name ~ /^\*\.chere$/)
                name = "."
            for (known in row)
                if (known != "worker")
                    allowed[name, known] = 1
            allowed[name, name] = allowed[name, "."] = 1
            row[name] = 1
        } else if (in_table && name !~ /^-*$/) {
            gsub(/ /, "", cell[4])
            row[name] = allowed[name, name] = 1
            count = split(cell[4], names, ",")
            for (i = 1; i <= count; i++) {
                allowed[name, names[i]] = 1
                if (!(names[i] in row))
                    print "src/README.md: " name " may include " names[i] ", which stands below it"
            }
        }
        next
    }
    FNR == 1 {
        parts = split(FILENAME, path, "/")
        folder = parts > 2 ? path[2] : "."
        if (!(folder in row))
            print FILENAME ": src/README.md says nothing of this folder"
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        parts = split(quoted[2], path, "/")
        from = parts > 1 ? path[1] : "."
        seen++
        if (from == "hone") # the public header
            from = "."
        if (parts == 1 && !((getline line < ("src/" quoted[2])) > 0))
            print FILENAME ":" FNR ": \"" quoted[2] "\" is not a path from src/"
        else if (!((folder, from) in allowed))
            print FILENAME ":" FNR ": " folder " may not include \"" quoted[2] "\""
    }
    END {
        count = 0
        for (name in row)
            count++
        if (count < 15 || seen < 100)
            print "only " count " folders and " seen " includes were found: is the table still there?"
    }' src/README.md $(cat "$list") | fail_with "includes against the one-way stack"
}

# What is behind a module stays behind it.
check_foreign_headers() {
    {
        grep -rnE '^ *# *include *<(CL/|cuda|nvrtc|nvml|cublas)' src --include='*.[ch]' |
            grep -v '^src/device/' || :
        grep -rnE '^ *# *include *<sqlite3' src --include='*.[ch]' | grep -v '^src/store/' || :
        grep -rnE '# *include' include tests/api --include='*.[ch]' |
            grep -vE '<|"hone/hone.h"|"../support/' || :
    } | fail_with "headers of drivers, SQLite or internals where they do not belong"
}

# hone knows no kernel: what it can do to ours it can do to any. Only the examples of its help name specs,
# which a user can type as they stand.
check_kernel_names() {
    names=$(find kernels_cl kernels_cu -name '*.json' -o -name '*.c[lu]' 2>/dev/null |
        sed 's,.*/,,; s,\.[a-z]*$,,' | LC_ALL=C sort -u)
    [ -n "$names" ] || {
        echo "no kernels were found"
        exit 1
    }
    pattern=$(echo "$names" | paste -s -d '|' -)
    { grep -rnwE "$pattern" src --include='*.[ch]' || :; } |
        { grep -vE '^src/cli/[^:]*:[0-9]*: .*"[^"]*hone [a-z]+ kernels_cl/' || :; } |
        fail_with "src names a kernel"
}

# Every folder lists its own files.
check_globs() {
    find . -path './build*' -prune -o -path ./.git -prune -o \
        \( -name CMakeLists.txt -o -name '*.cmake' \) -exec \
        grep -niHE 'file *\( *glob|aux_source_directory' {} + |
        fail_with "files found by pattern"
}

# What others wrote reaches a terminal through src/cli/console.c alone, which shows what it would obey.
check_console() {
    grep -rnE '\<(printf|puts|putchar|vprintf) *\(|\<(fprintf|fputs|fputc|fwrite|vfprintf) *\(.*\<(stdout|stderr)\>' \
        src --include='*.[ch]' | grep -vE '^src/(cli/console\.c|worker/)|^[^:]*:[0-9]*: *//' |
        fail_with "something is written to stdout or stderr past src/cli/console.c"
}

check_top_level() {
    files=$(git ls-files 2>/dev/null | cut -d/ -f1 | sort -u) || files=''
    [ -n "$files" ] || files=$(find . -mindepth 1 -maxdepth 1 ! -name 'build*' | cut -c 3-)
    echo "$files" | grep -v '^\.' |
        grep -vxE 'CMakeLists\.txt|README\.md|LICENSE|src|include|kernels_cl|kernels_cu|tests|cmake' |
        fail_with "nothing else belongs at the top"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
"check_$1"
