#!/bin/sh
# Checks of the source itself: formatting, cppcheck, clang-tidy. Quiet when there is nothing to say.
#
#   cmake/lint.sh            checks everything
#   cmake/lint.sh --deep     the same, but clang's analyzer follows each function's paths to its own limit
#   cmake/lint.sh --format   formats all C files in place instead
#
# .clang-format, .clang-tidy and .cppcheck at the top say what is looked for. The formatter is held to
# one version, because every version formats a little differently.
. "$(dirname "$0")/setup.sh"

version=14
extra="clang-format-$version:cmd:clang-format-$version
clang-tidy-$version:cmd:clang-tidy-$version
cppcheck:cmd:cppcheck"
prepare
cd "$root"

c_files() { # of the folders given; what tests read is data
    find "$@" -name '*.[ch]' ! -path '*/data/*' ! -path '*/cases/*' | LC_ALL=C sort
}

if [ "${1:-}" = --format ]; then
    c_files src include tests | xargs "clang-format-$version" -i
    exit
fi

log=$(mktemp)
trap 'rm -f "$log" "$log.files" "$log.extras.h"' EXIT
failed=''

check() { # name of the check, command...: its output is shown only when it fails
    name=$1
    shift
    say "$name"
    "$@" >"$log" 2>&1 || {
        failed="$failed $name"
        grep -v -e 'warnings* generated' -e '^Suppressed .* warnings' -e '^Use -header-filter' \
            "$log" || :
    }
}

formatting() { # cmake/lint.sh --format puts it right
    c_files src include tests | xargs "clang-format-$version" --dry-run --Werror 2>&1 |
        sed -n 's/:[0-9:]* error: .*/: not formatted/p' | uniq >"$log.files"
    cat "$log.files"
    ! [ -s "$log.files" ]
}

# What src/CMakeLists.txt generates for a build with all extras.
all_extras() {
    sed -n 's/^set(extras \(.*\))$/\1/p' src/CMakeLists.txt | tr ' ' '\n' | tr '[:lower:]' '[:upper:]' |
        sed 's/.*/#define EXTRA_&(...) __VA_ARGS__/' >"$log.extras.h"
}

cppcheck_all() { # given src it would read the kernels, too
    all_extras
    find src -name '*.c' | LC_ALL=C sort >"$log.files"
    cppcheck -j"$(nproc)" --std=c11 --quiet --error-exitcode=1 --inline-suppr \
        --enable=warning,performance,portability --suppressions-list=.cppcheck \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        -U__clang_analyzer__ -D_GNU_SOURCE '-DHONE_VERSION=""' --include="$log.extras.h" \
        -Isrc -Isrc/core -Iinclude --file-list="$log.files"
}

# Nodes of a function's graph that the analyzer visits. Of 16 files the analyzer took 2.3 s of processor time with 5,000, 0.5 s with
# 1,500 (1.7 s is everything else), and takes more than ten times as long with its own limit, which --deep has.
nodes=1500
[ "${1:-}" != --deep ] || nodes=225000

# Only what the build compiles: a file of an option that is off has no command to check it with.
tidy() {
    sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$folder/$commands" |
        grep "^$root/src/" | LC_ALL=C sort -u |
        xargs -P"$(nproc)" -n3 "clang-tidy-$version" --quiet -p "$folder" --extra-arg=-Xclang \
            --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=$nodes
}

# A test build has the compile commands; otherwise, or if they are old, configuring is enough.
folder=$build-test
commands=compile_commands.json
[ -f "$folder/$commands" ] || folder=$build-lint
[ -f "$folder/$commands" ] && [ -z "$(find "$root" -name CMakeLists.txt -newer "$folder/$commands" ! -path '*/.*')" ] ||
    cmake -S "$root" -B "$folder" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}

check formatting formatting
check cppcheck cppcheck_all
check clang-tidy tidy
[ -z "$failed" ] || {
    echo "hone: not clean:$failed" >&2
    exit 1
}
say "clean"
