#!/bin/bash
# deploy.sh HONE SOURCE SCRATCH: hone deploy as a user types it, on PoCL: a table of three sizes, killed at any moment and
# begun again until it is whole, after which nothing is measured; its formats; --check; refusals. 77: no device.
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
results() { "$hone" store --store $store --json 2>/dev/null | grep -oE '"results":[0-9]+' | head -n 1 | cut -d: -f2; }

rm -rf "$scratch"
mkdir -p "$scratch/spec"
cd "$scratch" || exit 1
export HONE_LOCKS="$scratch" # other tests are not waited for
"$hone" devices --json 2>/dev/null | grep -q '"opencl"' || exit 77
cp "$source"/kernels_cl/matmul_tiled.* "$source"/kernels_cl/*.h spec/ 2>/dev/null
store=$scratch/store.sqlite
deploy=("$hone" deploy spec/matmul_tiled.json --language opencl --store $store --budget 3 --set "WIDTH=64,96,128" --seed 5)

# ---- killed, and begun again --------------------------------------------------------------------
measured=0
for round in 1 2 3 4 5 6; do
    setsid "${deploy[@]}" --hold-out 1 >/dev/null 2>&1 &
    child=$!
    sleep "0.$((RANDOM % 9 + 1))"
    [ $round -gt 2 ] && sleep $((round - 2))
    kill -9 -- -$child 2>/dev/null || kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    now=$(results)
    [ "${now:-0}" -ge "$measured" ] || fail "results were lost: ${now:-0} of $measured"
    measured=${now:-0}
done
expect 0 'configurations? for [0-9]+ sizes?; median' "${deploy[@]}" --hold-out 1 -o table.json
whole=$(results)
# Ended by Ctrl-C while it measures: it says what is left to do.
expect 130 'no table was written; what was measured is kept in .*interrupted.sqlite, and the same command goes on' \
    timeout --preserve-status -s INT 10 "$hone" deploy spec/matmul_tiled.json --language opencl --store "$scratch/interrupted.sqlite" \
    --budget 40 --set WIDTH=64,96,128,160,192,224,256,288,320,352,384,416,448,480,512,544,576,608
# One session of store rows for each key: what was measured before the kills was not measured again.
if command -v python3 >/dev/null; then
    python3 - $store <<'END' || fail "a configuration was screened twice"
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    "SELECT job, count(*) FROM result WHERE stop IN ('settled', 'hopeless', 'limit') GROUP BY job HAVING count(*) > 1")
twice = rows.fetchall()
sys.exit(len(twice) > 0)
END
fi
# Where the machine was disturbed, the ranked times bring a configuration back among the finalists, which are ranked once
# more: then the next one has all.
for _ in 1 2; do
    expect 0 'configurations? for [0-9]+ sizes?; median' "${deploy[@]}" --hold-out 1 -o table.json
    [ "$(results)" != "$whole" ] || break
    whole=$(results)
done
expect 0 '\(known\)' "${deploy[@]}" --hold-out 1 -o again.json
[ "$(results)" = "$whole" ] || fail "a whole deploy measured again: $whole, then $(results)"
cmp -s table.json again.json || fail "two tables of the same results differ"
# What this run has tuned is not known from another one; against the default there are an interval, a tie, or a reason.
fresh=$("$hone" deploy spec/matmul_tiled.json --language opencl --store fresh.sqlite --budget 3 --seed 5 --set WIDTH=64 2>&1)
grep -q '(known)' <<<"$fresh" && fail "known, but just tuned: $fresh"
grep -qE '^64: best of [0-9]+ is .*(the default [[(][0-9.]+ \.\. [0-9.]+[])]|, the default$|screened)' <<<"$fresh" ||
    fail "over the default: $fresh"
expect 0 '^64: .*\(known\)' "$hone" deploy spec/matmul_tiled.json --language opencl --store fresh.sqlite --budget 3 \
    --seed 5 --set WIDTH=64 -o fresh.json
expect 0 '"over_default":\{"ratio":[0-9.]+,"in_turn":true,"low":' cat fresh.json
expect 0 'configurations? for 3 sizes' "$hone" deploy spec/matmul_tiled.json --language opencl --store $store \
    --known --set WIDTH=64,96,128

# ---- a device of another machine ----------------------------------------------------------------
if command -v python3 >/dev/null; then
    cp $store other.sqlite
    python3 - other.sqlite <<'END'
import os, sqlite3, sys
other = sqlite3.connect(sys.argv[1])
for (session,) in other.execute("SELECT id FROM session").fetchall():
    anew = os.urandom(16)
    other.execute("UPDATE result SET session = ? WHERE session = ?", (anew, session))
    other.execute("UPDATE session SET id = ? WHERE id = ?", (anew, session))
for (key,) in other.execute("SELECT key FROM job").fetchall(): # the device is in it
    anew = os.urandom(32)
    other.execute("UPDATE result SET job = ? WHERE job = ?", (anew, key))
    other.execute("UPDATE job SET key = ? WHERE key = ?", (anew, key))
other.execute("UPDATE result SET id = randomblob(16)")
other.execute("UPDATE session SET device = 'Other GPU', vendor = 'Maker', uuid = 'GPU-77', compute_units = 40, "
              "device_identity = zeroblob(32)")
other.commit()
END
    # Its keys are made up: nothing there is a job of today. A whole one is in tests/golden/cases/deploy-known.
    expect 1 'on Other GPU, but none at these sizes' "${deploy[@]}" \
        --also other.sqlite --also-device other
    expect 1 'several devices fit, name one with --device, or take them all: --also-device all' "$hone" deploy \
        spec/matmul_tiled.json --language opencl --store $store --also other.sqlite --known --set WIDTH=64
    expect 1 'but none at these sizes' "${deploy[@]:0:9}" --set WIDTH=48 --also other.sqlite --also-device other
fi

# ---- formats ------------------------------------------------------------------------------------
for format in header known; do
    "${deploy[@]}" --format $format >table.$format 2>/dev/null || fail "--format $format"
done
cc -std=c99 -Wall -Wextra -Werror -x c -c table.header -o header.o || fail "the header does not compile"

# The parameters alone, of one size on one device; the ending says it, and --name stands before each.
expect 0 'Written: one.params.h' "${deploy[@]:0:9}" --budget 3 --seed 5 --set WIDTH=64 -o one.params.h
expect 0 '^#define block_size_x [0-9]+$' cat one.params.h
[ "$(wc -l <one.params.h)" -le 15 ] || fail "more than parameters: $(cat one.params.h)"
cc -std=c99 -Wall -Wextra -Werror -x c -c one.params.h -o one.o || fail "parameters do not compile"
expect 0 '^#define mm_tile_size_x [0-9]+$' "${deploy[@]:0:9}" --budget 3 --seed 5 --set WIDTH=64 --format params --name mm
expect 0 'still|^$' "$hone" deploy --check one.params.h
expect 2 'one size on one device' "${deploy[@]}" --format params

# ---- shapes from a file -------------------------------------------------------------------------
printf 'WIDTH,weight\n64,10\n128,1\n' >shapes.csv
expect 0 'by their weights' "${deploy[@]:0:9}" --budget 3 --seed 5 --shapes shapes.csv
printf 'WIDHT\n64\n' >wrong.csv
expect 2 "unknown constant 'WIDHT'; did you mean 'WIDTH'" "${deploy[@]:0:9}" --shapes wrong.csv
printf 'WIDTH\nx\n' >wrong.csv
expect 2 "line 2: WIDTH: 'x' is not a whole number" "${deploy[@]:0:9}" --shapes wrong.csv
printf 'WIDTH\n64\n7\n' >odd.csv
expect 0 'At 7 nothing works .*; the table has no answer there, no configuration is valid: ' "${deploy[@]:0:9}" --budget 3 --seed 5 --shapes odd.csv
expect 1 'no table was written' "${deploy[@]:0:9}" --set WIDTH=7,9

# ---- several kernels, two views of the same data, no configuration at a size ---------------------
cat >spec/pull.cl <<'END'
#if SPLIT
kernel void pull(global float *out, global const float *x, global const float *y)
#define AT(i, part) (part ? y[i] : x[i])
#else
kernel void pull(global float *out, global const float2 *both)
#define AT(i, part) (part ? both[i].y : both[i].x)
#endif
{
    const int i = get_global_id(0);
    out[i] = AT(i, 0) + n * AT(i, 1);
}
kernel void twice(global float *out)
{
    if (get_global_id(0) < n)
        out[get_global_id(0)] *= 2;
}
END
cat >spec/pull.json <<'END'
{"General": {"BenchmarkName": "pull", "FormatVersion": 1}, "Constants": {"n": 64, "idle": 1},
 "ConfigurationSpace": {"TuningParameters": [
   {"Name": "SPLIT", "Type": "int", "Values": "[0, 1]", "Default": 0},
   {"Name": "size", "Type": "int", "Values": "[16, 32]", "Default": 16}],
  "Conditions": [{"Expression": "n % size == 0", "Parameters": ["size"]}]},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "pull", "KernelFile": "pull.cl",
  "GlobalSize": {"X": "1"}, "LocalSize": {"X": "1"},
  "Launches": [
   {"KernelName": "pull", "When": "SPLIT", "Arguments": ["out", "x", "y"], "GlobalSize": {"X": "n"}, "LocalSize": {"X": "size"}},
   {"KernelName": "pull", "When": "not SPLIT", "Arguments": ["out", "both"], "GlobalSize": {"X": "n"}, "LocalSize": {"X": "size"}},
   {"KernelName": "twice", "Arguments": ["out"], "GlobalSize": {"X": "ceil(n / 64) * 64"}, "LocalSize": {"X": "64"}}],
  "Arguments": [
   {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": "n", "FillType": "Constant",
    "FillValue": 0, "Output": true},
   {"Name": "both", "Type": "float2", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "n", "FillType": "Random",
    "RandomSeed": 3},
   {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "n",
    "LinkedTo": {"Argument": "both", "First": 0, "Stride": 2}},
   {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "n",
    "LinkedTo": {"Argument": "both", "First": 1, "Stride": 2}}]}}
END
printf 'n,count\n64,3\n100,1\n96,1\n' >pull.csv
expect 0 'At 100 nothing works .*; the table has no answer there, no configuration is valid: n % size == 0' \
    "$hone" deploy spec/pull.json --store $store --shapes pull.csv --budget 4 --with source -o pull.h
said=$("$hone" deploy spec/pull.json --store $store --shapes pull.csv --budget 4 2>&1 | grep -c "'idle' is used by no")
[ "$said" -eq 1 ] || fail "a warning of the spec is said $said times"
cat >pull.c <<'END'
#include "pull.h"
#include <stdio.h>
int main(void)
{
    static const long sizes[] = {64, 96, 100, 128};
    const pull_handle d = pull_device(pull_devices[0].name);
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pull_configuration *best = pull_best_on(&d, sizes[i]);
        hone_deployed_launch launch;
        uint32_t k;
        printf("%ld", sizes[i]);
        for (k = 0; best && k < best->launch_count; k++) {
            if (pull_launch(&d, best, k, sizes[i], &launch) == 1)
                printf(" %s:%lu", launch.kernel, (unsigned long)launch.global[0]);
        }
        printf("\n");
    }
    return 0;
}
END
for compiler in "cc -std=c99" "c++ -x c++ -std=c++11" "clang -std=c99"; do
    command -v ${compiler%% *} >/dev/null || continue
    $compiler -Wall -Wextra -Werror -pedantic pull.c -o pull || fail "$compiler: the header of several kernels"
    [ "$(./pull | tr '\n' ';')" = "64 pull:64 twice:64;96 pull:96 twice:128;100;128 pull:128 twice:128;" ] ||
        fail "$compiler: several kernels: $(./pull)"
done

# ---- sizes between small ones: nothing but 2 and 3 lie between 1 and 4 ---------------------------
echo 'void taps(float *y, int n) { for (int i = 0; i < n; i++) y[i] = T * U / U; }' >spec/taps.c
cat >spec/taps.json <<'END'
{"kernel": "taps.c", "constants": {"n": 64, "T": 1}, "parameters": {"U": [1, 2]},
 "arguments": {"y": {"size": "n", "access": "write", "expect": "T"}, "n": "n"}}
END
expect 0 'sizes? between them: median' timeout 120 "$hone" deploy spec/taps.json --store taps.sqlite --budget 2 \
    --set n=64,1024 --set T=1,4 --product --hold-out 12

# ---- a part of the space ------------------------------------------------------------------------
expect 2 "'SPLIT=7': 7 is not a value of SPLIT" "$hone" deploy spec/pull.json --store $store --set n=64,96 --config SPLIT=7
expect 0 'the default is not in the part .*: SPLIT=1, size=16 stands for it' \
    "$hone" deploy spec/pull.json --store $store --set n=64,96 --config SPLIT=1 -o part.json
grep -q '"SPLIT":0' part.json && fail "a configuration that is not in the part: $(cat part.json)"

# ---- refusals -----------------------------------------------------------------------------------
expect 2 "unknown constant 'N'" "$hone" deploy spec/matmul_tiled.json --store $store --set N=64
expect 1 "no results of matmul_tiled in OpenCL on a device 'Nobody'; it has them on" "${deploy[@]}" --also-device Nobody
expect 2 "'xml' is none of: header, known, json" "${deploy[@]}" --format xml
expect 2 'its ending is that of no format' "${deploy[@]}" -o table.xml
expect 2 'json and --format header exclude each other' "${deploy[@]}" --json --format header
expect 2 'json and --format known exclude each other' "${deploy[@]}" --json -o t.hone
expect 2 "'csv' is none of: header, known, json, params" "${deploy[@]}" --format csv
expect 2 'its ending is that of no format' "${deploy[@]}" -o t.cmake
expect 2 'is not a share above 0' "${deploy[@]}" --within 0
known=$(results)
for format in header known json; do
    expect 2 'not an identifier of C' "${deploy[@]:0:9}" --set WIDTH=192 --format $format --name 1x -o t.$format
done
[ "$(results)" = "$known" ] || fail "--name 1x: refused after measuring"
expect 2 'neither PTX nor a cubin; --with source' "${deploy[@]}" --with binaries -o t.h
expect 2 'with binaries is for --format header' "${deploy[@]}" --with binaries -o t.json
expect 2 '--store none: this needs a store' "${deploy[@]:0:5}" --set WIDTH=64 --no-store

# A table is written over nothing that it is made from.
cp spec/matmul_tiled.json kept.json
expect 2 'is made from that file; name another one' "${deploy[@]}" -o spec/../spec/matmul_tiled.json
expect 2 'is made from that file; name another one' "${deploy[@]}" --format header -o spec/matmul_tiled.cl
expect 2 'is made from that file; name another one' "${deploy[@]:0:9}" --shapes shapes.csv --format json -o shapes.csv
cmp -s kept.json spec/matmul_tiled.json || fail "the spec was written over"
echo '{"kernel": "spec/matmul_tiled.cl", "parameters": {"block_size_x": [16]}, "global": [16], "local": [16]}' >sizeless.json
expect 2 'it has no Constants, and so no sizes to choose by' "$hone" deploy sizeless.json --language opencl --store $store
sed 's/"name": "matmul_tiled"/"name": "unknown"/' spec/matmul_tiled.json >spec/unknown.json
expect 1 'the store has no results of unknown in OpenCL; hone deploy without --known measures' "$hone" deploy \
    spec/unknown.json --language opencl --store $store --known --set WIDTH=64

# ---- --check ------------------------------------------------------------------------------------
for format in json header known; do
    expect 0 '^$' "$hone" deploy --check table.$format
done
expect 2 'no file of `hone deploy`' "$hone" deploy --check shapes.csv
echo '// changed' >>spec/matmul_tiled.cl
for format in json header known; do
    expect 1 "the kernel's source has changed since" "$hone" deploy --check table.$format
done
expect 1 "the kernel's source has changed since" "$hone" deploy --check table.json spec/matmul_tiled.json
sed -i '$d' spec/matmul_tiled.cl
expect 0 '^$' "$hone" deploy --check table.json
sed -i '/"defaults"/s/: 16/: 32/g' spec/matmul_tiled.json
expect 1 'the spec has changed since' "$hone" deploy --check table.header
sed -i 's/source=[0-9a-f]*/source=12/' table.json
expect 2 'is damaged; deploy the spec again' "$hone" deploy --check table.json

# ---- a user's build -----------------------------------------------------------------------------
if command -v cmake >/dev/null; then
    mkdir -p user
    cp table.header user/table.h
    echo 'int main(void) { return 0; }' >user/main.c
    cat >user/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(user C)
set(hone_EXECUTABLE $hone)
include($source/cmake/hone_check_deployed.cmake)
add_executable(user main.c)
set(spec user.txt) # a variable of the user's own
hone_check_deployed(table.h SPEC ../spec/matmul_tiled.json TARGET user)
hone_check_deployed(../table.known)
END
    cmake -S user -B user/build >/dev/null || fail "the user's build is not configured"
    cmake --build user/build >user/log 2>&1 && fail "a build with a header of an older spec went through"
    grep -q 'the spec has changed since' user/log || fail "the build says: $(cat user/log)"
    sed -i '/"defaults"/s/: 32/: 16/g' spec/matmul_tiled.json
    cmake --build user/build >user/log 2>&1 || fail "a build with a header of this spec fails: $(cat user/log)"
fi
[ $failures -eq 0 ] && echo "passed"
exit $((failures > 0))
