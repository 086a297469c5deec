#!/bin/sh
# run_tests.sh CTEST'S OPTIONS...: ctest in this folder. Of tests that failed beside others, up to eight run once more,
# alone, and this is said: some hold times against each other, and a machine that serves others has its moments. What a
# sanitizer or valgrind found is a failure at once.
set -u

# What single tests and what they wait for may take is meant for an idle machine.
export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-5}"
ctest --output-on-failure "$@" && exit
failed=Testing/Temporary/LastTestsFailed.log
[ -s $failed ] && [ "$(wc -l <$failed)" -le 8 ] || exit 1
names=$(cut -d: -f2- $failed)

# What a test said: from the line that names it to the end of its output.
said() {
    awk -v name="$1" '/^[0-9]+\/[0-9]+ Testing: / { inside = substr($0, index($0, ": ") + 2) == name }
                      inside { print } /^<end of output>/ { inside = 0 }' Testing/Temporary/LastTest.log
}
found='(Address|Leak|Memory|Thread)Sanitizer|runtime error: |ERROR SUMMARY: [1-9]'
for name in $names; do
    if said "$name" | grep -qE "$found"; then
        exit 1
    fi
done
printf '\n==> failed beside others, once more alone: %s\n' "$(echo $names)"
ctest --output-on-failure --rerun-failed
