# The surroundings of the golden outputs: see ../support/cases.sh. Every device is the driver's for tests, or a recording.
# shellcheck shell=sh disable=SC2154
# A card of this scratch folder's own, so that suites side by side do not wait for each other's lock.
FAKE_CL_DOMAIN=$(($(printf '%s' "$scratch" | cksum | cut -d ' ' -f 1) % 65536))
export FAKE_CL_DOMAIN FAKE_CL_KIND=card
# What tests/golden/base/add.json asks for: fault 1 does not build, 2 is wrong, 3 dies, 4 takes too long.
export FAKE_CL_LIE=garbage FAKE_CL_LIE_OF=fault=2 FAKE_CL_DIE=fault=3 FAKE_CL_HOW=abort

# Caches of the case's own: what is found there must not depend on which cases ran before.
export XDG_CACHE_HOME="$scratch/home/cache"

# No compiler, shell or simulator of this machine's.
run_hone() {
    PATH=/nonexistent "$hone" "$@"
}

# Everything that a run decides anew becomes the same: the version, dates, the host, folders, the card's address, what building
# and waiting took, and random names. Device times are the fake driver's and stay. JSON and wide CSV become one fact a line.
plain() {
    facts "$1" | sed -E -f "$here/plain.sed" -e "s|$hone|hone|g; s|$scratch/case|CASE|g; s|$XDG_CACHE_HOME|CACHE|g; s|$scratch/home|HOME|g; s|$scratch/tmp|TMP|g" \
        -e "s|$(printf '%04x' "$FAKE_CL_DOMAIN"):6([5-9]):|0000:6\\1:|g"
}

# JSON of hone's: a line break before each name, but none in a configuration; without GPUs of this machine that lack a driver. A
# table of CSV, where WIDE is set: the values of each row that are not empty, behind their columns.
facts() {
    if [ -n "${WIDE-}" ] && [ "$1" != stderr ]; then
        awk -f "$here/columns.awk"
    else
        sed -E 's/("missing":\[)\{[^]]*\]/\1]/; :again; s/([[{,])("[^"]*":[^ ])/\1\n\2/; t again'
    fi
}

# A result of each status in the store of the case, in this order.
measure() {
    for fault in 1 2 3; do
        run_hone check add.json --config fault=$fault -j 1 "$@"
    done >measured 2>&1
    run_hone tune add.json --where 'fault == 0' -j 1 "$@" >measured 2>&1
}

# Tells what is in a file.
show() {
    echo "$1:"
    plain file <"$1" | sed 's/^./  &/'
}
