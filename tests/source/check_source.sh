#!/bin/sh
# Checks of the source itself. Each prints what it found and fails.
#
#   check_source.sh includes|file_names|static_names|foreign_headers|kernel_names|languages|globs|console|clocks|comments|texts|documents|commands|top_level SOURCE_FOLDER
set -eu
c_files=$(cd "$(dirname "$0")" && pwd)/c_files.awk
cd "$2"

fail_with() { # what is wrong; the findings are on stdin
    findings=$(cat)
    [ -z "$findings" ] || {
        printf '%s:\n%s\n' "$1" "$findings"
        exit 1
    }
}

# The programs of src/doc/examples are not hone's: they are what a user writes, and stand under none of these rules.

# Every `#include "..."` in src, against the table of src/README.md: one source of truth, which people
# read. The table itself must go one way: a row names itself and rows above it only.
check_includes() {
    find src -path src/doc -prune -o -name '*.[ch]' -print | LC_ALL=C sort >"$list"
    # shellcheck disable=SC2046 # no blanks in our file names
    awk '
    FILENAME == "src/README.md" {
        if (split($0, cell, "|") < 4) {
            in_table = 0
            next
        }
        name = cell[2]
        gsub(/[` ]/, "", name)
        sub(/.*\//, "", name) # a room holds several folders
        if (name == "folder") {
            in_table = 1
        } else if (in_table && cell[4] ~ /everything above/) {
            for (known in row)
                allowed[name, known] = 1
            if (sub(/.* but /, "", cell[4])) {
                gsub(/ /, "", cell[4])
                count = split(cell[4], names, ",")
                for (i = 1; i <= count; i++)
                    delete allowed[name, names[i]]
            }
            allowed[name, name] = allowed[name, "hone"] = 1
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
        is_room = path[2] == "core" || path[2] == "extras"
        folder = parts <= 2 ? "." : is_room ? path[3] : path[2]
        if (!(folder in row))
            print FILENAME ": src/README.md says nothing of this folder"
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        parts = split(quoted[2], path, "/")
        from = parts <= 1 ? "." : path[1] == "extras" ? path[2] : path[1]
        seen++
        if (quoted[2] == "extras.h") # which the build generates
            next
        if (parts == 1 && !((getline line < ("src/" quoted[2])) > 0))
            print FILENAME ":" FNR ": \"" quoted[2] "\" is not a path from src/"
        else if (!((folder, from) in allowed) ||
            from == "worker" && folder != from && # only what both sides speak
            quoted[2] !~ /^worker\/(protocol|modes|device_lock)\.h$/)
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

# Every file of src has a folder that the table of src/README.md lists, and a name of its own: who reads a name in an
# error, a debugger or a commit knows the file. Folders within these are checked too: each lists its files itself.
check_file_names() {
    {
        find src -maxdepth 1 -name '*.[ch]' | sed 's/$/: a file stands in a folder of src, by what it is about/'
        find src -path src/doc -prune -o -name '*.[ch]' -print | LC_ALL=C sort | awk '{
            name = $0
            sub(/.*\//, "", name)
            if (name in first)
                print $0 ": " first[name] " has this name already"
            else
                first[name] = $0
        }'
        find src -mindepth 1 -maxdepth 2 -type d ! -path 'src/doc*' | LC_ALL=C sort | while read -r folder; do
            case $folder in
            src/core | src/extras) continue ;;
            src/core/* | src/extras/*) ;;
            src/*/*) continue ;;
            esac
            grep -q "^| \`${folder#src/}\` |" src/README.md ||
                [ -z "$(find "$folder" -name '*.[ch]')" ] ||
                echo "$folder: the table of src/README.md does not list this folder"
        done
    } | fail_with "files of src that are hard to find"
}

# A static function's name carries its noun (`choose_device_entry`, not `choose`), so that searching for it finds it.
check_static_names() {
    find src -path src/doc -prune -o -name '*.[ch]' -print | LC_ALL=C sort >"$list"
    # shellcheck disable=SC2046 # no blanks in our file names
    LC_ALL=C awk -f "$c_files" $(cat "$list") | awk '
    $1 == "function" && $4 == "static" && !(($3, $2) in seen) {
        seen[$3, $2] = 1
        count[$3]++
        files[$3] = files[$3] " " $2
        functions++
    }
    END {
        for (name in count)
            if (count[name] > 3)
                print name " is static in " count[name] " files:" files[name]
        if (functions < 1000)
            print "only " functions + 0 " static functions were found: is the style another?"
    }' | LC_ALL=C sort | fail_with "names of static functions that say too little"
}

# What is behind a module stays behind it.
check_foreign_headers() {
    {
        grep -rnE '^ *# *include *<(CL/|cuda|nvrtc|nvml|cublas)' src --include='*.[ch]' --exclude-dir=doc |
            grep -vE '^src/(core/device|extras/capture/(layer|replay))/' || :
        grep -rnE '^ *# *include *<sqlite3' src --include='*.[ch]' | grep -v '^src/core/store/' || :
        grep -rnE '# *include' include tests/api --include='*.[ch]' |
            grep -vE '<|"hone/hone.h"|"../support/' || :
    } | fail_with "headers of drivers, SQLite or internals where they do not belong"
}

# hone knows no kernel: what it can do to ours it can do to any. Only the examples of its help name specs,
# which a user can type as they stand.
check_kernel_names() {
    # The gallery's names are words.
    names=$(find kernels_cl kernels_cu -maxdepth 1 -name '*.json' -o -name '*.c[lu]' 2>/dev/null |
        sed 's,.*/,,; s,\.[a-z]*$,,' | LC_ALL=C sort -u)
    [ -n "$names" ] || {
        echo "no kernels were found"
        exit 1
    }
    pattern=$(echo "$names" | paste -s -d '|' -)
    { grep -rnwE "$pattern" src --include='*.[ch]' --exclude-dir=doc || :; } |
        { grep -vE '^src/(cli|extras)/[^:]*:[0-9]*: .*"[^"]*hone (store )?[a-z]+ kernels_cl/' || :; } |
        fail_with "src names a kernel"
}

# What differs between languages is a trait of theirs (src/core/model/languages.c), which whoever needs it asks for.
# A backend has its own language; NVIDIA's architectures are CUDA's (src/core/model/arch.h).
check_languages() {
    { grep -rnE '\<LANGUAGE_[A-Z0-9_]+\>' src --include='*.[ch]' || :; } |
        { grep -vE '\<(LANGUAGE_(COUNT|FIRST|ALL)|FACT_LANGUAGE(_INDEX)?)\>' || :; } |
        { grep -vE '^src/(core/model/languages\.[ch]|core/model/arch\.h|(core/device/backends/[a-z_]+|extras/program)/[a-z_]+\.[ch]):' || :; } |
        fail_with "a language is named outside src/core/model/languages.c and the backends"
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
        src --include='*.[ch]' --exclude-dir=doc | grep -vE '^src/(cli/console\.c|core/worker/|extras/capture/replay/|extras/nodes/(agent|link|node_modes)\.c)|^[^:]*:[0-9]*: *//' |
        fail_with "something is written to stdout or stderr past src/cli/console.c"
}

# Times and limits are of a clock that nobody sets. Wall clocks are for dates, the ages of files, and the driver's log.
check_clocks() {
    grep -rnE 'CLOCK_REALTIME|gettimeofday|timespec_get|\<time\((NULL|0|&)' src --include='*.[ch]' --exclude-dir=doc |
        grep -vE '^src/(core/store/put|core/os/cache_folder|core/os/scratch|cli/environment|cli/commands/command_cache|core/device/energy|core/worker/device_lock)\.c:' |
        fail_with "a wall clock where a step of it would be taken for time that passed"
}

# A comment says its subject first: "Cancels a queued turn", not "One that waits is given up".
check_comments() {
    grep -rnE '^ *// *(What|Who|Whoever|Whose|Of|Those|One that|Nobody|So that)\>' \
        src include --include='*.[ch]' --include='*.js' --exclude-dir=doc |
        fail_with "comments that do not begin with their subject"
}

# Messages, help and documents are plain English: a report is not "told", a result not "held against" another, nothing is
# "known of" something. Searches are told results (ask and tell), and decisions keep the words that they were made with.
check_texts() {
    {
        grep -rnE '"[^"]*\<(is|are) (told|said|heard)\>' src --include='*.[ch]' --exclude-dir=doc --exclude-dir=page --exclude-dir=report
        grep -rnE '"[^"]*(\<held against\>|[Ww]hat is known of|the least time|[Nn]obody knows)' src --include='*.[ch]' --exclude-dir=doc \
            --exclude-dir=page --exclude-dir=report
        grep -nE '\<(is|are) (told|said|heard)\>|\<held against\>|[Ww]hat is known of|the least time|[Nn]obody knows' src/cli/about/*.txt
        grep -nE '\<(is|are) (told|said|heard)\>|[Ww]hat is known of|the least time|[Nn]obody knows|\((above|below)\)' \
            README.md src/doc/*.md kernels_c[lu]/README.md kernels_cl/examples/README.md |
            grep -vE '^src/doc/(CHANGELOG|decisions|strategy-of-your-own)\.md:|told apart|What it is told'
    } | grep -vE '//.*(told|said|heard|held)' | fail_with "say it in plain English (check_source.sh has the words)"
}

# The map of the source stays a page, and what it and the documents name is there.
check_documents() {
    {
        lines=$(wc -l <src/README.md)
        [ "$lines" -le 150 ] || echo "src/README.md has $lines lines: more than a page of 150"
        lines=$(wc -l <README.md)
        [ "$lines" -le 150 ] || echo "README.md has $lines lines: more than a page of 150"
        for document in README.md src/README.md src/doc/*.md kernels_c[lu]/README.md; do
            grep -noE '\]\([A-Za-z0-9_./-]+[)#]' "$document" | sed 's/:.*\](/ /; s/.$//' | while read -r line path; do
                [ -e "$(dirname "$document")/$path" ] || echo "$document:$line: there is no $path"
            done
        done
        {
            find src include tests cmake kernels_cl kernels_cu -type f
            find src include tests cmake kernels_cl kernels_cu -type d | sed 's,$,/,'
        } >"$list"
        grep -noE '`[A-Za-z0-9_./]+(/|\.(c|h|sh|md|cmake))`' src/README.md src/doc/*.md | grep -v NAME | tr -d '`' |
            awk -F: 'FILENAME != "-" {
                path = $0
                known[path] = 1
                while (sub(/^[^\/]*\//, "", path) && path != "")
                    known[path] = 1
                next
            }
            !($3 in known) && $3 !~ /^\/+$/ { print }' "$list" -
    } | fail_with "documents that name what is not there"
}

# tests/examples runs what the pages tell the reader to type: each page is in its list, and commands stand where it looks for them.
check_commands() {
    {
        for page in $(cd src/doc && grep -lE '^ *```sh|^\$ ' *.md | grep -vxE '(contributing|decisions|python|CHANGELOG)\.md'); do
            grep -qE "(^| |\()${page%.md}( |\)|$)" tests/examples/CMakeLists.txt || echo "src/doc/$page: tests/examples/CMakeLists.txt has no such page"
        done
        awk '/^ *```/ { bare = !inside && /^ *```(text)?$/; inside = !inside; next }
            inside && bare && /^(hone [a-z]+ |srun |sbatch |cmake |ctest |python3 )/ { print FILENAME ":" FNR ": " $0 }' README.md src/doc/*.md kernels_c[lu]/*.md |
            grep -v '^src/doc/decisions\.md'
    } | fail_with "commands that tests/examples does not run: a block of them begins with \`\`\`sh, or its lines with \"\$ \""
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
