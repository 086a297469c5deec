#!/bin/sh
# builders.sh HONE SOURCE SCRATCH: hone --build-on with a CUDA card and a compiler that are fakes: a node without a driver builds
# for the card, one that is lost gives its builds back, what cannot build is said before anything is measured, and the
# others go on unless --strict.
set -eu
hone=$1 source=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch/node"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache"
export FAKE_CUDA_NAME="builders-$$" FAKE_CUDA_STATE="$scratch/dead" FAKE_CUDA_COMPILED="$scratch/here"

fail() {
    tail -c 1000 out err 2>/dev/null || :
    echo "FAILED: $*"
    exit 1
}
sed "s|\"../../fake_opencl|\"$source/tests/fake_opencl|" "$source/tests/fake_cuda/data/forty.json" >forty.json
cp "$source/tests/fake_cuda/data/forty.cu" .

# A node has the compiler alone: no driver.
driver=$(echo "$LD_LIBRARY_PATH" | tr : '\n' | while read -r f; do [ ! -e "$f/libnvrtc.so" ] || echo "$f"; done | head -n 1)
cp "$driver/libnvrtc.so" node/
rest=$(echo "$LD_LIBRARY_PATH" | tr : '\n' | grep -vxF "$driver" | paste -s -d : -)
cat >cpu <<END
#!/bin/sh
# cpu FILE NAME=VALUE... -- COMMAND...
export FAKE_CUDA_COMPILED="$scratch/\$1" FAKE_CUDA_COMPILE_MS=50 LD_LIBRARY_PATH="$scratch/node:$rest"
shift
while [ "\$1" != -- ]; do
    export "\$1"
    shift
done
shift
exec "\$@"
END
chmod +x cpu

tune() { # its status, options...
    wanted=$1 status=0
    shift
    rm -f here there
    rm -rf cache
    "$hone" tune forty.json --language cuda --iterations 3 --json --no-store "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status"
}
correct() {
    grep -c '"type":"result".*"status":"correct"' out
}
compiled() {
    if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi
}

FAKE_CUDA_STARTED=$scratch/started tune 0 --jobs 4
[ "$(correct)" = 40 ] || fail "without nodes"
# Builders need the compiler alone; the worker that listed the devices goes on to measure.
started=$(sort -u started | wc -l)
[ "$started" = 1 ] || fail "$started workers started the driver"
sed -n '/"type":"result"/s/.*"configuration":\({[^}]*}\),"status":"\([a-z]*\)".*/\1 \2/p' out | sort >one

# A card here, and one on a node; a second builder has the name of the first.
export FAKE_CUDA_COMPILE_MS=200
for on in '' 'exec:env'; do
    tune 0 --jobs 1 ${on:+--on "$on"} --build-on "exec:./cpu there --" --build-on "exec:./cpu there X=1 --"
    sed -n '/"type":"result"/s/.*"configuration":\({[^}]*}\),"status":"\([a-z]*\)".*/\1 \2/p' out | sort | cmp -s - one ||
        fail "${on:-here}: other records than without builders"
    [ "$(sort -u there | wc -l)" = 2 ] || fail "${on:-here}: both nodes were to build"
    [ "$(compiled there)" -ge 10 ] || fail "${on:-here}: only $(compiled there) builds there"
    [ ! -s err ] || fail "${on:-here}: something is said"
done
unset FAKE_CUDA_COMPILE_MS

# Builds that hang there are given back when the node is lost.
rm -f here there
rm -rf cache
"$hone" tune forty.json --language cuda --iterations 3 --json --no-store \
    --build-on "exec:./cpu there FAKE_CUDA_HANG=nvrtcCompileProgram --" >out 2>err &
tune=$!
for i in $(seq 300); do
    [ "$(compiled there)" -lt 1 ] || break
    sleep 0.1
done
[ "$(compiled there)" -ge 1 ] || fail "nothing is built there"
kill -9 "$(head -n 1 there)"
wait $tune || fail "it ends with $? where a builder is lost"
[ "$(correct)" = 40 ] || fail "builds were lost with their node"
[ "$(grep -c "^hone: warning: node 'cpu' is lost: .*; others build what it had" err)" = 1 ] || fail "it is not said, or twice"

# What cannot build is said, and the others do.
tune 1 --build-on "exec:./cpu there FAKE_CUDA_NVRTC=12 --"
grep -q "^hone: node 'cpu' cannot build for $FAKE_CUDA_NAME (cuda): its compiler is NVRTC 12.0 (.*), and there it is NVRTC 13.0" err ||
    fail "another compiler"
grep -q '^hone: none of the nodes of --build-on can be used' err || fail "none is left"
tune 0 --build-on "exec:./cpu there FAKE_CUDA_NVRTC=12 --" --build-on "exec:./cpu there --"
[ "$(correct)" = 40 ] && [ "$(compiled there)" -ge 1 ] || fail "the other one was to build"
tune 1 --strict --build-on "exec:./cpu there FAKE_CUDA_NVRTC=12 --" --build-on "exec:./cpu there --"
grep -q '(--strict)$' err || fail "--strict"
tune 1 --build-on 'exec:sh -c "exit 3"'
grep -q "^hone: node 'sh' cannot be used: no agent answered" err || fail "a node that does not answer"
cp "${hone%/*}/hone-worker" another
printf x >>another
tune 1 --build-on "exec:./cpu there --" --node-worker "$scratch/another"
grep -q 'of another build than the one that serves the device' err || fail "another build"
tune 2 --build-on local
grep -q '^hone: --build-on: what it names measures, and builds for itself' err || fail "the machine itself"
tune 2 --on exec:env --build-on exec:env
grep -q '^hone: --build-on: what it names measures' err || fail "a node that measures"
[ "$(compiled here)" = 0 ] || fail "something was built before that was said"

# C on an equal processor: its shared objects are sent. It may not on another compiler's.
sed -e 's|"KernelFile": "|&'"$source"'/tests/cli/data/|' "$source/tests/cli/data/scale.json" >scale.json
"$hone" tune scale.json --language c --iterations 3 --no-store --build-on exec:env >out 2>err || fail "C"
cat >cc2 <<'END'
#!/bin/sh
exec cc "$@"
END
printf '#!/bin/sh\nHONE_CC="%s/cc2" exec "$@"\n' "$scratch" >other-cc
chmod +x cc2 other-cc
! "$hone" tune scale.json --language c --iterations 3 --no-store --build-on exec:./other-cc >out 2>err ||
    fail "C with another compiler"
grep -q 'cannot build for .* (c): its compiler is .*cc2, ' err || fail "another compiler of C"

# What OpenCL builds stays where it is.
sed 's|"KernelFile": "|&'"$source"'/tests/fake_opencl/data/|; s|"ones.f32|"'"$source"'/tests/fake_opencl/data/ones.f32|' \
    "$source/tests/fake_opencl/data/forty.json" >opencl.json
! FAKE_CL_KIND=card FAKE_CUDA_CARDS=0 "$hone" tune opencl.json --language opencl --no-store --build-on exec:env >out 2>err || fail "OpenCL"
grep -q "^hone: node 'env' cannot build for .* (opencl): what OpenCL builds can be used only where it is built: " err ||
    fail "why OpenCL cannot be built elsewhere"
echo "builders: all passed"
