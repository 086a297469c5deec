#!/bin/bash
# short_form.sh HONE SOURCE SCRATCH: a spec as `hone init` writes it, in the short form, which says nothing that the kernel's
# text says: every subcommand that takes a spec takes it, and does with it what it does with the same spec in T1. 77: no device.
set -u
hone=$1 source=$2 scratch=$3
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
# expect STATUS PATTERN COMMAND...: its exit status, and a pattern in what it says.
expect() {
    local status=$1 pattern=$2 got said
    shift 2
    said=$("$@" 2>&1)
    got=$?
    [ $got -eq "$status" ] || fail "$* exits with $got: $said"
    grep -qE -- "$pattern" <<<"$said" || fail "$*: no '$pattern' in: $said"
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
"$hone" devices --json 2>/dev/null | grep -q '"opencl"' || exit 77
# The kernel of the README.
awk '/<!-- file: saxpy.cl -->/ { f = 1; next } f && /^```c/ { p = 1; next } p && /^```/ { exit } p' "$source/README.md" >saxpy.cl
export XDG_DATA_HOME=$scratch/data HONE_LOCKS=$scratch
sizes=(--set n=1024,4096)

expect 0 'saxpy.json: kernel saxpy' "$hone" init saxpy.cl --no-check
grep -q '"type"' saxpy.json && fail "init writes out what the text says: $(cat saxpy.json)"
sed -i 's/"y": {/&"expect": "a * x[i] + y[i]", /' saxpy.json

# ---- prepare, tune and measure ------------------------------------------------------------------
expect 0 '12' "$hone" space saxpy.json
expect 0 '"ArgumentSpec|Arguments"' "$hone" spec saxpy.json --to t1
expect 0 '"ArgumentSpec|Arguments"' "$hone" spec saxpy.json
expect 0 '2 configurations checked' "$hone" check saxpy.json --sample 2 --set n=1024
expect 0 'n=' "$hone" check saxpy.json --sample 1 --smallest n
expect 0 'GROUP=32' "$hone" run saxpy.json --config GROUP=32,PER_ITEM=2 --set n=1024
expect 0 ' correct configurations .verified against y' "$hone" tune saxpy.json --set n=1024
expect 0 'saxpy' "$hone" compare saxpy.json --right option=-cl-mad-enable --sample 2 --set n=1024
expect 0 '4096' "$hone" sweep saxpy.json "${sizes[@]}" --budget 3

# ---- use and keep -------------------------------------------------------------------------------
expect 0 'GROUP=' "$hone" best saxpy.json --set n=1024
expect 0 '-DGROUP=' "$hone" best saxpy.json --set n=1024 --options
expect 0 'nearest of [0-9]+ measured shapes?: n=' "$hone" best saxpy.json --set n=1500 --nearest
expect 0 'configurations? for 2 sizes' "$hone" deploy saxpy.json "${sizes[@]}" --budget 3
deploy=("$hone" deploy saxpy.json "${sizes[@]}" --budget 3)
for format in json header known; do
    expect 0 "Written: table.$format" "${deploy[@]}" --format $format -o table.$format
    [ -s table.$format ] || fail "--format $format writes nothing"
done
for format in json header known; do
    expect 0 '^$' "$hone" deploy --check table.$format
    expect 0 '^$' "$hone" deploy --check table.$format saxpy.json
done
expect 0 'Written: source.h' "${deploy[@]}" --with source -o source.h
cc -std=c99 -Wall -Wextra -Werror -x c -c table.header -o header.o || fail "the header does not compile"
cc -std=c99 -Wall -Wextra -Werror -x c -c source.h -o source.o || fail "the header with the text does not compile"
expect 0 'configurations? for 2 sizes' "$hone" deploy saxpy.json "${sizes[@]}" --known
# The same table as of the same spec in T1, but for the spec's digest and path.
"$hone" spec saxpy.json --to t1 >long.json || fail "spec --to t1"
"$hone" deploy saxpy.json "${sizes[@]}" --known --name one --format known 2>/dev/null >short.known
"$hone" deploy long.json "${sizes[@]}" --known --name one --format known 2>/dev/null >long.known
expect 0 '' diff <(sed '1d;/^checksum/d' short.known) <(sed '1d;/^checksum/d' long.known)
expect 0 'Bench: saxpy, 1 configuration' "$hone" bench saxpy.json --set n=1024 --output base.json
expect 0 'saxpy' "$hone" bench saxpy.json --set n=1024 --baseline base.json --fail-if 1000%
expect 0 'report.html: 1 set of results' "$hone" report saxpy.json -o report.html --set n=1024
expect 0 '' "$hone" export saxpy.json --set n=1024 --format t4 -o space.json
expect 0 '' "$hone" export saxpy.json --set n=1024 --format csv -o space.csv
expect 0 'random' "$hone" score space.json --strategy random --repeats 2

# ---- the options that each prints leave the kernel's arguments as they are, and say all macros ----
options_of() { # the best's, as PLACE prints them
    case $1 in
    best) "$hone" best saxpy.json --set n=1024 --options ;;
    json) "$hone" best saxpy.json --set n=1024 --json |
        python3 -c 'import json, shlex, sys; print(shlex.join(json.load(sys.stdin)["options"][0]))' ;;
    page) sed -n 's,.*<h4>Options</h4><pre[^>]*>\(.*\)</pre>.*,\1,p' report.html | sed 's,<[^>]*>,,g'  ;;
    page-header)
        sed -n '/<summary>As a header/,/<\/pre>/{s/.*<pre[^>]*>//;s/<\/pre>.*//;p}' report.html >page.h
        echo -include page.h
        ;;
    esac
}
for place in best json page page-header; do
    options=$(options_of $place)
    seen=$(eval "cc -E -P -x c $options saxpy.cl" 2>&1)
    grep -q 'float a, int n)' <<<"$seen" || fail "$place: '$options' changes the kernel's arguments: $seen"
    grep -qE 'GROUP|PER_ITEM' <<<"$seen" && fail "$place: '$options' lacks a macro: $seen"
    tuned=$(eval "cc -E -P -x c $options -dD saxpy.cl" 2>&1 | grep -E '^#define (GROUP|PER_ITEM|HONE) ' | sort -u)
    [ "$place" = best ] && wanted=$tuned
    [ "$tuned" = "$wanted" ] || fail "$place says $tuned, best says $wanted"
done
grep -c '^#define' <<<"$wanted" | grep -qx 3 || fail "best says $wanted"

# ---- as editors elsewhere write it: a byte order mark, CRLF, no line end at the end --------------
elsewhere() { # FROM TO
    printf '\xef\xbb\xbf' >"$2"
    sed 's/$/\r/' "$1" | head -c -2 >>"$2"
}
mkdir beside
cp saxpy.cl beside/
elsewhere saxpy.json beside/saxpy.json
elsewhere long.json beside/long.json
"$hone" space saxpy.json | sed 1d >space.txt
for marked in beside/saxpy.json beside/long.json; do
    expect 0 '' diff space.txt <("$hone" space $marked | sed 1d)
    expect 0 'GROUP=' "$hone" best $marked --set n=1024 # the same jobs
    expect 0 'configurations? for 2 sizes' "$hone" deploy $marked "${sizes[@]}" --known
done
mkdir marked
elsewhere saxpy.cl marked/saxpy.cl
cat >add.c <<'END'
#include "one.h"
void add(float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + ONE;
}
END
echo '#define ONE 1' >one.h
elsewhere add.c marked/add.c
elsewhere one.h marked/one.h
expect 0 '1 configuration checked' "$hone" init marked/saxpy.cl
expect 0 '1 in agreement' "$hone" init marked/add.c
"$hone" init saxpy.cl -o plain.json --no-check >plain.txt
expect 0 '' diff plain.json marked/saxpy.json
expect 0 '1 configuration checked' "$hone" check marked/saxpy.json --sample 1 --set n=1024

# ---- a text that is not there is said, by name --------------------------------------------------
mv saxpy.cl gone.cl
for command in tune check run best; do
    expect 2 "kernel: cannot read '.*saxpy\.cl'" "$hone" $command saxpy.json --set n=1024
done
expect 1 "kernel: cannot read '.*saxpy\.cl'" "$hone" deploy saxpy.json --set n=1024
[ $failures -eq 0 ] || echo "$failures failed"
exit $((failures > 0))
