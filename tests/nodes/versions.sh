#!/bin/sh
# versions.sh HONE SCRATCH: a node whose hone-worker is of another version: said with both versions before anything is done,
# by whatever names it; the others go on unless --strict.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache" HONE_LOCKS="$scratch"

fail() {
    cat out err 2>/dev/null || :
    echo "FAILED: $*"
    exit 1
}
version=$("$hone" --version | sed -n '1s/.*[^0-9.]\([0-9][0-9.]*\).*/\1/p')
other=$(echo "$version" | tr 0-8 1-9)
# The same program with another version in it.
LC_ALL=C sed "s/$(echo "$version" | sed 's/[.]/\\./g')/$other/g" "${hone%/*}/hone-worker" >other
chmod +x other
./other --version | grep -qF "$other" || fail "the program still says $version"

run() { # its status, arguments...
    wanted=$1 status=0
    shift
    "$hone" "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status"
}
said="^hone: node 'env' cannot be used: hone-worker there is of version $other (protocol [0-9]*/[0-9]*), this hone is $version (.*): install the same version there"
run 1 devices --on exec:env --node-worker "$scratch/other"
grep -q "$said" err || fail "both versions are to be said"
[ ! -s out ] || fail "devices are listed"
run 0 devices --on local,exec:env --node-worker "$scratch/other"
grep -q "$said" err || fail "both versions are to be said where others go on"
[ -s out ] || fail "the others are not listed"
run 1 devices --on local,exec:env --strict --node-worker "$scratch/other"
grep -q "$said.*(--strict)$" err || fail "--strict goes on"
run 0 devices --on exec:env
[ ! -s err ] || fail "the same version is complained of"
echo "versions: all passed"
