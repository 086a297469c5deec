#!/bin/sh
# rig.sh HONE SCRATCH: the rig itself, with a program that knows nothing of nodes: every node of an allocation and every
# host of the ssh server runs hone, binary data passes a step unharmed, and a host without a key is refused without a question.
set -eu
hone=$1 scratch=$2
[ -n "${RIG:-}" ] || exit 77
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
fail() {
    echo "FAILED: $*" >&2
    cat out >&2
    exit 1
}
cat >job <<'END'
for node in $RIG_NODES; do
    srun --overlap -u --no-kill -N1 -n1 -w "$node" "$1" version || exit
    srun --overlap -u --no-kill -N1 -n1 -w "$node" cat <data | cmp - data || exit
done
END
head -c 300000 /dev/urandom >data
salloc --quiet --no-kill -N"$(echo "$RIG_NODES" | wc -w)" --gpus-per-node=1 sh job "$hone" >out 2>&1 || fail "steps"
[ "$(grep -c '^hone ' out)" = "$(echo "$RIG_NODES" | wc -w)" ] || fail "not every node answered"
for host in h1 h2; do
    ssh -oBatchMode=yes -- $host "$hone" version >out 2>&1 || fail "ssh"
done
! ssh -oBatchMode=yes -- h4 true >out 2>&1 || fail "a host without a key lets us in"
echo "rig: all as it should be"
