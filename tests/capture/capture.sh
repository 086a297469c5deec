#!/bin/bash
# hone capture of small programs, a case each: the program prints what it prints without the layer, and what was captured replays.
#   capture.sh HONE LAYER PROGRAM OPENED NEXT HOST MODULE FOLDER
set -u
hone=$1 layer=$2 program=$3 opened=$4 next=$5 host=$6 module=$7 folder=$8
shift 8
rm -rf "$folder"
mkdir -p "$folder/tmp"
cd "$folder" || exit 1
export TMPDIR=$folder/tmp HONE_LOCKS=$folder/tmp XDG_DATA_HOME=$folder/data XDG_CACHE_HOME=$folder/cache
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

# check NAME EXACT [WORDS]: output and status as without the layer, EXACT launches replayed exactly, WORDS in the table
check() {
  local name=$1 exact=$2 words=${3-} plain status
  plain=$("$program" "$name")
  status=$?
  if [ $status -eq 77 ]; then
    echo "$name: skipped, the driver lacks what it needs"
    return
  fi
  "$hone" capture -o "$name" ${options-} -- "$program" "$name" >"$name.out" 2>"$name.err"
  grep -qxF -- "$(echo "$plain" | sort | head -1)" "$name.out" || fail "$name: another output: $(cat "$name.out")"
  [ "$(stat -c %a "$name")" = 700 ] || fail "$name: the folder is open to others"
  local got=$(awk '/^ *[0-9.]+ %/ { n += $5 } END { print n + 0 }' "$name.out")
  [ "$got" = "$exact" ] || fail "$name: $got launches replay exactly, not $exact: $(cat "$name.out" "$name.err")"
  [ -z "$words" ] || grep -qF -- "$words" "$name.out" "$name.err" || fail "$name: no '$words': $(cat "$name.out" "$name.err")"
}

[ -n "$("$program" scale)" ] || exit 77
check scale 1 "tunes block_size_x"
check shapes 3 "tunes block_size_x"
check in_place 1
check rows 1 "wipe: tunes block_size_x"
"$hone" check rows/wipe.json --no-store >rows.out 2>&1 || fail "rows: $(cat rows.out)"
grep -q '"restrictions":\["dim_y % block_size_y == 0"\]' rows/wipe.json || fail "rows: $(cat rows/wipe.json)"
check sub_buffer 1
check overlap 1 "scale: tunes block_size_x"
check places 2 "3       2      2      0    0  scale: tunes block_size_x"
check parts 1 "2       1      1      0    0  scale: tunes block_size_x"
check unfilled 1 "few: tunes block_size_x"
check union 1 "shift: "
check clear 1 "clear: tunes block_size_x"
check no_access 1
check local 1
check values 1
check svm 1
check clone 1
check out_of_order 1
check two_queues 1
check user_event 1
check threads 5 "200       5"
check contexts 1
check link 1
check binary 0 "--source own"
check image 1 "look: tunes block_size_x"
check images 1 "halve: tunes block_size_x"
check atomics 1
check fork 2
check exit 1
check kill 1 "SIGKILL"
check command_buffer 0 "command buffers"
check many 12 "10000"
rm -rf binary
options="--source own" check binary 1 "1 binaries were refused"
rm -rf scale
options="--limit 100B" check scale 0 "--limit"
rm -rf scale
options="--kernel other" check scale 0 "--kernel does not name"
[ "$(du -sk many | cut -f1)" -lt 2048 ] || fail "many: its folder is $(du -sk many)"

# The loader came with a module, out of sight of what is next in line.
"$hone" capture -o module -- "$host" "$module" scale >module.out 2>module.err
grep -qxF -- "$("$program" scale)" module.out || fail "module: another output: $(cat module.out module.err)"
grep -q "tunes block_size_x" module.out || fail "module: not captured: $(cat module.out module.err)"

"$hone" capture -o none -- "$program" none >none.out 2>none.err && fail "none: no error"
grep -q "no call of OpenCL or CUDA" none.err || fail "none: $(cat none.err)"
"$hone" capture -o shapes -- "$program" none 2>again.err >/dev/null && fail "a folder was overwritten"
grep -q "is not an empty folder" again.err || fail "again: $(cat again.err)"

# In front of a loader without layers: the object alone, preloaded.
"$hone" capture -o given --kernel other -- "$program" atomics >other.out 2>&1 # of another shape
rm -f given/log
HONE_CAPTURE_FOLDER=$folder/given LD_PRELOAD=$layer "$program" scale >preloaded.out
[ "$(cat preloaded.out)" = "$("$program" scale)" ] || fail "preloaded: another output"
grep -q '"launch"' given/log || fail "preloaded: nothing was captured"
rm given/log
plain=$("$opened")
[ "$(HONE_CAPTURE_FOLDER=$folder/given LD_PRELOAD=$layer:$next "$opened")" = "$plain" ] || fail "opened: another output"
grep -q '"launch"' given/log || fail "opened: nothing was captured by dlsym"
[ "$(LD_PRELOAD=$layer:$next "$program" none 2>&1)" = "no OpenCL" ] || fail "RTLD_NEXT has lost its meaning"

# A folder that is full: the program runs on.
if [ -w /dev/full ]; then
  rm -rf given/log && ln -s /dev/full given/log
  HONE_CAPTURE_FOLDER=$folder/given LD_PRELOAD=$layer "$program" shapes >full.out || fail "full: the program failed"
  [ "$(cat full.out)" = "$("$program" shapes)" ] || fail "full: another output"
fi
# A disk that is full: told, what was captured before is whole, and the program runs on. Counts have their room from the start.
mkdir small
counts=$((($(stat -c %s shapes/counts) + 4095) / 4096 * 4 + 8))
if unshare -rm true 2>/dev/null; then
  plain=$("$program" many)
  unshare -rm sh -c "mount -t tmpfs -o size=${counts}k tmpfs small && '$hone' capture -o small/full -- '$program' many" \
    >full.out 2>full.err
  grep -qxF -- "$plain" full.out || fail "full disk: another output: $(cat full.out full.err)"
  grep -q "The folder could not be written: No space left" full.out || fail "full disk: not told: $(cat full.out full.err)"
else
  echo "a full disk: skipped, unshare -rm is not allowed"
fi

# Back into the program: a table of what was tuned, other programs as they were, a file that is damaged.
with() {
  "$hone" with "$@" >with.out 2>with.err
}
"$hone" check shapes/scale.json --sample 2 >checked.out 2>&1 || fail "shapes: its spec does not pass: $(cat checked.out)"
for spec in local/turn.json values/values.json image/look.json images/halve.json overlap/scale.json unfilled/few.json union/shift.json clear/clear.json; do
  "$hone" check $spec --sample 2 >checked.out 2>&1 || fail "$spec does not pass: $(cat checked.out)"
done
grep -q '"seed": *17293822569102704641' values/values.json || fail "values: $(cat values/values.json)"
"$hone" tune shapes/scale.json --budget 2 >tuned.out 2>&1 || fail "shapes: not tuned: $(cat tuned.out)"
"$hone" deploy --for-program shapes -o app.hone >deployed.out 2>&1 || fail "shapes: no table: $(cat deployed.out)"
[ "$(cat deployed.out)" = "  scale: tuned
app.hone: tables of 1 of 1 kernels; hone with app.hone -- PROGRAM runs it" ] || fail "deploy: $(cat deployed.out)"
"$hone" deploy --for-program in_place -o none.hone >deployed.out 2>&1 && fail "a table of nothing was written"
grep -q "none of its 1 kernels is tuned" deployed.out || fail "nothing tuned: $(cat deployed.out)"
with app.hone -- "$program" shapes || fail "with: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" shapes)" ] || fail "with: another output"
grep -q "12 of 12 launches were replaced" with.err || fail "with: $(cat with.err)"
with app.hone --verify 50% -- "$program" shapes || fail "verify: $(cat with.err)"
grep -q "6 verified, 0 differed" with.err || fail "verify: $(cat with.err)"
"$hone" tune images/halve.json --budget 2 >tuned.out 2>&1 || fail "images: not tuned: $(cat tuned.out)"
"$hone" deploy --for-program images -o images.hone >deployed.out 2>&1 || fail "images: no table: $(cat deployed.out)"
with images.hone --verify 100% -- "$program" images || fail "with images: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" images)" ] || fail "with images: another output"
grep -q "1 of 1 launches were replaced; 1 verified, 0 differed" with.err || fail "with images: $(cat with.err)"
"$hone" tune places/scale.json --budget 2 >tuned.out 2>&1 || fail "places: not tuned: $(cat tuned.out)"
"$hone" deploy --for-program places -o places.hone >deployed.out 2>&1 || fail "places: no table: $(cat deployed.out)"
with places.hone --verify 100% -- "$program" places || fail "with places: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" places)" ] || fail "with places: another output"
grep -q "2 of 3 launches were replaced; not: 1 with other arguments; 2 verified, 0 differed" with.err || fail "with places: $(cat with.err)"
"$hone" tune parts/scale.json --budget 2 >tuned.out 2>&1 || fail "parts: not tuned: $(cat tuned.out)"
"$hone" deploy --for-program parts -o parts.hone >deployed.out 2>&1 || fail "parts: no table: $(cat deployed.out)"
with parts.hone -- "$program" parts || fail "with parts: $(cat with.err)"
[ "$(cat with.out)" = "$("$program" parts)" ] || fail "with parts: another output"
grep -q "1 of 2 launches were replaced; not: 1 with other arguments" with.err || fail "with parts: $(cat with.err)"
for name in in_place places threads local svm fork binary image images; do
  with app.hone -- "$program" $name
  [ "$(sort with.out)" = "$("$program" $name | sort)" ] || fail "with $name: another output: $(cat with.out with.err)"
done
with app.hone -- "$program" kill
[ $? -eq 137 ] || fail "with: not the program's status"
with app.hone --repeats 2 -- "$program" shapes || fail "compare: $(cat with.err)"
grep -q "the same in 2 of 2 turns" with.out || fail "compare: $(cat with.out)"
sed 's/launches/launch3s/' app.hone >damaged.hone
with damaged.hone -- "$program" shapes && fail "a damaged table was taken"
grep -q "is damaged" with.err || fail "damaged: $(cat with.err)"

# A capture that somebody changed: each request is answered, and the replay does not end for it.
replay=$(dirname "$hone")/hone-replay
key=$(sed -nE 's/^\{"launch":"([0-9a-f]*)".*/\1/p' shapes/log | head -1)
mkdir -p hostile
for change in 's/"dimensions":1/"dimensions":7/' 's/"global":\[/"global":[0,/' 's/"bytes":4096/"bytes":-1/' \
  's/"bytes":4096/"bytes":1099511627776/' 's/"before":"..../"before":"..\/./' 's/"kind":"buffer"/"kind":"svm","same":9/' \
  's/"kind":"value"/"kind":"local"/' 's/"hex":"[0-9a-f]/"hex":"zz/' 's/"parts":\[/"parts":[7,/' 's/"source":"/"source":"0/' \
  's/"kernel":"/"kernel":[],"x":"/' 's/"name":"/"name":"\\u0001/' 's/"arguments":\[/"arguments":[{},/'; do
  rm -rf hostile && cp -r shapes hostile && sed -i "$change" hostile/log
  printf '{"launch":"%s","times":1}\n[]\n{"launch":7}\n' "$key" | "$replay" hostile >hostile.out 2>&1 ||
    fail "hostile $change: status $?: $(cat hostile.out)"
  [ "$(grep -cE '^\{"(error|exact)"' hostile.out)" = 3 ] || fail "hostile $change: $(cat hostile.out)"
done

# Two shapes: data by the constants in braces.
grep -q '{n}' shapes/scale.json || grep -q '"n"' shapes/scale.json || fail "shapes: its spec has no sizes"
exit $failed
