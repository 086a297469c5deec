#!/bin/bash
# hone capture and hone with of a CUDA program, on the driver and the compiler for tests, which run no kernels but know these few.
#   cuda.sh HONE PROGRAM FOLDER
set -u
hone=$1 program=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder/tmp"
cd "$folder" || exit 1
export TMPDIR=$folder/tmp HONE_LOCKS=$folder/tmp XDG_DATA_HOME=$folder/data XDG_CACHE_HOME=$folder/cache
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

# check NAME EXACT WORDS [ARGUMENT...]: output as without the layer, EXACT launches replayed exactly, WORDS in the table
check() {
  local name=$1 exact=$2 words=$3
  shift 3
  local plain=$("$program" "$name" "$@")
  rm -rf "$name"
  "$hone" capture -o "$name" ${options-} -- "$program" "$name" "$@" >"$name.out" 2>"$name.err" ||
    fail "$name: status $?"
  grep -qxF -- "$plain" "$name.out" || fail "$name: another output: $(cat "$name.out")"
  local got=$(awk '/^ *[0-9.]+ %/ { n += $5 } END { print n + 0 }' "$name.out")
  [ "$got" = "$exact" ] || fail "$name: $got launches replay exactly, not $exact: $(cat "$name.out" "$name.err")"
  grep -qF -- "$words" "$name.out" "$name.err" || fail "$name: no '$words': $(cat "$name.out" "$name.err")"
}

with() {
  "$hone" with "$@" >with.out 2>with.err
}

check add 1 "8       1      1      0    0  add: tunes block_size_x"
check shapes 3 "8       3      3      0    0  add: tunes"
check groups 2 "8       2      2      0    0  add: tunes block_size_x"
check pool 1 "add: tunes block_size_x"
check overlap 1 "1       1      1      0    0  add"
check in_place 1 "count: tunes"
check extra 1 "count: tunes"
check proc_address 1 "count: tunes"
check twice 1 "3       1      1      0    0  count: tunes"
check null 1 "add: no spec, because"
check inside 1 "has pointers in it"
check symbol 1 "2       1      1      0    0  count: tunes block_size_x"
check kept 1 "no spec, because it changes the module's factor, which is no argument"
check shifted 2 "5       2      2      0    0  add: tunes"
grep -q "launches 1\$" shifted/add.bind || fail "shifted: its table has the launch that shares a part: $(cat shifted/add.bind)"
check double 1 "no spec, because it has a symbol factor of the module and another of this name, or an argument"
check unused 1 "count: tunes block_size_x"
grep -q '"factor"' unused/count.json && fail "unused: its spec has another kernel's symbol"
check changed 1 "no spec, because it uses seen, a __device__ variable that it may change"
check aside 1 "1       1      1      0    0  count: tunes block_size_x"
check twins 2 "3       2      2      0    0  add: tunes block_size_x"
FAKE_CUDA_FAIL=cuArray3DGetDescriptor:1 check texture 0 "a texture that a replay cannot make"
check texture 1 "3       1      1      0    0  copy: tunes block_size_x"
check texture_rows 1 "copy: tunes block_size_x"
check texture_memory 1 "image in is an array, of one dimension"
check texture_border 0 "a texture that a replay cannot make"
check texture_freed 0 "a texture that a replay cannot make"
check numbers 2 "2       2      2      0    0  add"
grep -q '"hex":"0100000000000000","not_taken_for":"texture"' numbers/log || fail "numbers: the log does not say what was not taken"
check many 0 "it reaches more memories than a capture holds"
check graph 2 "8       1      1      0    0  count: tunes"
check graph_changed 1 "4 launches of CUDA graphs were not looked into"
FAKE_CUDA_FAIL=cuGraphNodeFindInClone:1 check graph 0 "in a CUDA graph that the driver does not run in parts"
check reached 1 "its buffers hold pointers"
FAKE_CUDA_FAIL=cuMemAddressReserve:801 check reached 0 "the driver does not give the addresses again"
check stale 1 "add: tunes block_size_x"
check cooperative 0 "a cooperative launch"
check host_memory 0 "a pointer to memory of the host"
options="--limit 100B" check in_place 0 "--limit"
options="--kernel other" check in_place 0 "--kernel does not name"

FAKE_CUDA_FAIL=cuFuncGetParamInfo:801 check in_place 0 "parameters the driver does not tell"

# Compiled alone: it replays, and has a spec where a file gives the text.
"$program" save image >/dev/null
check load 1 "its program was made from a PTX: --source" image
check file 1 "its program was made from a PTX: --source" image
cp "$here/data/count.cu" count.cu
options="--source count.cu" check load 1 "count: tunes block_size_x" image
"$program" save image.m mangled >/dev/null
check load 1 "count: no spec, because its program was made from a PTX" image.m mangled
options="--source count.cu" check load 1 "count: no spec, because the text of --source: NVRTC" image.m mangled
options="--source count.cu" check load 1 "count: tunes block_size_x" image
echo "__global__ void other(float *x) {}" >other.cu
"$hone" capture -o wrong --source other.cu -- "$program" load image >wrong.out 2>wrong.err && fail "a text without the kernel was taken"
grep -q "has no kernel that the program loaded" wrong.err || fail "wrong text: $(cat wrong.err)"

[ "$(grep -c "typedef unsigned char uint8_t" load/count.cu)" = 1 ] && ! grep -q "#include" load/count.cu ||
  fail "headers of the host: $(cat load/count.cu)"

# Back into the program.
for name in shapes groups load texture symbol twins; do
  spec=$(ls $name/*.json)
  "$hone" check "$spec" >checked.out 2>&1 || fail "$spec does not pass: $(cat checked.out)"
  "$hone" tune "$spec" --budget 2 >tuned.out 2>&1 || fail "$spec: not tuned: $(cat tuned.out)"
  "$hone" deploy --for-program $name -o $name.hone >deployed.out 2>&1 || fail "$name: no table: $(cat deployed.out)"
done
# The real compiler takes the texts, where it is installed.
for spec in shapes/add.json load/count.json texture/copy.json symbol/count.json; do
  env -u LD_LIBRARY_PATH "$hone" check $spec --language cuda --build-only --arch sm_90 >built.out 2>built.err ||
    grep -q "libnvrtc" built.err || fail "$spec: NVRTC does not build it: $(cat built.out built.err)"
  tail -1 built.out
done

plain=$("$program" shapes)
with shapes.hone -- "$program" shapes || fail "with: $(cat with.err)"
[ "$(cat with.out)" = "$plain" ] || fail "with: another output"
grep -q "8 of 8 launches were replaced" with.err || fail "with: $(cat with.err)"
with shapes.hone --verify 50% -- "$program" shapes || fail "verify: $(cat with.err)"
[ "$(cat with.out)" = "$plain" ] || fail "verify: another output"
grep -q "4 verified, 0 differed" with.err || fail "verify: $(cat with.err)"
with shapes.hone --verify 10% -- "$program" asked || fail "with asked: $(cat with.err)"
grep -q "200 of 200 launches were replaced; 20 verified, 0 differed" with.err || fail "with asked: $(cat with.err)"
FAKE_CUDA_FAIL=cuMemcpyDtoH:1@1 with shapes.hone --verify 50% -- "$program" shapes || fail "verify unread: $(cat with.err)"
[ "$(cat with.out)" = "$plain" ] || fail "verify unread: another output"
grep -q "7 of 8 launches were replaced; not: 1 that --verify launched both ways and could not compare; 3 verified, 0 differed" with.err ||
  fail "verify unread: $(cat with.err)"
with shapes.hone -- "$program" partial || fail "with partial: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" partial)" ] || fail "with partial: another output"
grep -q "0 of 1 launches were replaced; not: 1 with other arguments" with.err || fail "with partial: $(cat with.err)"
with groups.hone -- "$program" groups || fail "with groups: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" groups)" ] || fail "with groups: another output"
grep -q "6 of 8 launches were replaced; not: 2 with another geometry" with.err || fail "with groups: $(cat with.err)"
FAKE_CUDA_LIE=alternate with shapes.hone -- "$program" add
grep -q "8 of 8 launches" with.err || fail "with add: $(cat with.err)"
with texture.hone --verify 100% -- "$program" texture || fail "with texture: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" texture)" ] || fail "with texture: another output"
grep -q "3 of 3 launches were replaced" with.err || fail "with texture: $(cat with.err)"
with symbol.hone --verify 100% -- "$program" symbol || fail "with symbol: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" symbol)" ] || fail "with symbol: another output"
grep -q "2 of 2 launches were replaced; 2 verified, 0 differed" with.err || fail "with symbol: $(cat with.err)"
with symbol.hone -- "$program" symbol
[ "$(cat with.out)" = "$("$program" symbol)" ] || fail "with symbol, unverified: another output"
for error in 500@3 500@4 700@3; do # the program asks twice by one call
  FAKE_CUDA_FAIL=cuModuleGetGlobal:$error with symbol.hone -- "$program" symbol
  [ "$(cat with.out)" = "$("$program" symbol)" ] || fail "with a symbol that the build lacks: another output"
  grep -q "of 2 launches were replaced; not: . the driver refused the tuned launch" with.err || fail "with a symbol that the build lacks: $(cat with.err)"
done
with symbol.hone -- "$program" modules || fail "with modules: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" modules)" ] || fail "with modules: another output"
grep -q "4 of 4 launches were replaced" with.err || fail "with modules: $(cat with.err)"
FAKE_CUDA_FAIL=cuMemcpyDtoDAsync:1 with symbol.hone -- "$program" symbol
[ "$(cat with.out)" = "$("$program" symbol)" ] || fail "with symbol that cannot be copied: another output"
with twins.hone --verify 100% -- "$program" twins || fail "with twins: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" twins)" ] || fail "with twins: another output"
grep -q "2 of 3 launches were replaced; not: 1 with other arguments; 2 verified, 0 differed" with.err || fail "with twins: $(cat with.err)"
with load.hone shapes.hone -- "$program" load image || fail "with load: $(cat with.err)"
grep -q "1 of 1 launches were replaced" with.err || fail "with load: $(cat with.err)"
FAKE_CUDA_NAME="Another card" with shapes.hone -- "$program" shapes
grep -q "0 of 8 launches were replaced; not: 8 of a kernel that no table has" with.err || fail "another card: $(cat with.err)"
with shapes.hone -- "$program" shapes 2048
grep -q "0 of 8 launches were replaced; not: 8 with another geometry\|of 8 launches were replaced; not: .* with another geometry" with.err ||
  fail "another size: $(cat with.err)"
for name in in_place graph pool twice extra; do
  with shapes.hone -- "$program" $name
  [ "$(cat with.out)" = "$("$program" $name)" ] || fail "with $name: another output: $(cat with.out with.err)"
done
exit $failed
