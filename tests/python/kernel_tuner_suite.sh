#!/bin/sh
# Kernel Tuner's own tests, of its source archive, once over itself and once over hone (kernel_tuner_suite.py says how they are held beside
# each other). Nothing of it is kept here: the archive and what it needs come by pip into FOLDER, and stay there for the next time. Ends with 77,
# and says why, where they cannot be had.
#
#   kernel_tuner_suite.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
version=1.5.0
skip() {
    echo "skipped: $1: $(tail -n 1 "$folder/pip.log" 2>/dev/null)"
    exit 77
}
mkdir -p "$folder"
if [ ! -e "$folder/installed-$version" ]; then
    rm -rf "$folder/venv" "$folder/archive"
    ${HONE_TEST_PYTHON:-python3} -m venv "$folder/venv" >"$folder/pip.log" 2>&1 || skip "no environment can be made"
    pip="$folder/venv/bin/pip --disable-pip-version-check -q"
    $pip download --no-deps --no-binary kernel_tuner -d "$folder/archive" "kernel_tuner==$version" >"$folder/pip.log" 2>&1 ||
        skip "Kernel Tuner's source archive cannot be had"
    $pip install "$folder/archive/kernel_tuner-$version.tar.gz" pyopencl pytest pytest-timeout >"$folder/pip.log" 2>&1 ||
        skip "what Kernel Tuner needs cannot be had"
    tar -xzf "$folder/archive/kernel_tuner-$version.tar.gz" -C "$folder/archive"
    : >"$folder/installed-$version"
fi

# What scripts see of it; its other files test its own insides.
files='test_accuracy test_custom_optimizer test_file_utils test_integration test_observers test_runners test_searchspace test_time_budgets
test_util_functions strategies/test_strategies'
set --
for file in $files; do
    set -- "$@" "test/$file.py"
done
for which in control hone; do
    rm -rf "$folder/$which"
    mkdir "$folder/$which"
    cp -r "$folder/archive/kernel_tuner-$version/test" "$folder/$which/test"
    "$folder/venv/bin/python" -B "$here/kernel_tuner_suite.py" $which "$folder/$which" "$folder/$which.jsonl" "$@" >"$folder/$which.log" 2>&1 || {
        cat "$folder/$which.log"
        exit 1
    }
done
exec "$folder/venv/bin/python" -B "$here/kernel_tuner_suite.py" compare "$folder/control.jsonl" "$folder/hone.jsonl" "$here/kernel_tuner_suite.txt"
