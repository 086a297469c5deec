#!/bin/sh
# engines.sh HONE SCRATCH DRIVER: tunes over Slurm, ssh and any command give the records that one process gives; a
# configuration that kills its device's worker disturbs no other node; what cannot be used is said before anything is
# measured, and the others go on unless --strict. DRIVER is the folder of the OpenCL driver for tests.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
hone=$1 scratch=$2 driver=$3
[ -n "${RIG:-}" ] || exit 77
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data"
cp "$tests/many.json" "$tests/many.cl" "$tests/ones.f32" .
fail() {
    echo "FAILED: $*" >&2
    tail -n 20 out err >&2
    exit 1
}
with='FAKE_CL_KIND=card FAKE_CUDA_CARDS=0 FAKE_NVML_FAIL=all'
for name in worker dying; do
    cat >$name <<END
#!/bin/sh
export LD_LIBRARY_PATH=$driver $with
export FAKE_CL_DOMAIN=\$((\$\$ % 65536))
[ $name = worker ] || export FAKE_CL_DIE=ID=7
[ "\$BUILD" != another ] || exec $scratch/another "\$@"
exec ${hone%/*}/hone-worker "\$@"
END
    chmod +x $name
done
cp "${hone%/*}/hone-worker" another
printf x >>another
cat >other <<'END'
#!/bin/sh
echo "hone-worker is not here"
END
chmod +x other
tune() { # what is expected of its status, options...
    wanted=$1
    shift
    status=0
    "$hone" tune many.json --iterations 3 --no-store --json "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status"
}
records() {
    sed -n '/"type":"result"/s/.*"configuration":\({[^}]*}\),"status":"\([a-z]*\)".*/\1 \2/p' out | LC_ALL=C sort
}

env LD_LIBRARY_PATH="$driver" $with "$hone" tune many.json --iterations 3 --no-store --json >out 2>err || fail "one process"
records >one
[ "$(wc -l <one)" = 120 ] || fail "one process has no 120 records"
same() {
    records | cmp -s - one || fail "$1: other records than one process has"
}

slurm() {
    salloc --quiet --no-kill -N4 --gpus-per-node=1 "$@"
}
status=0
slurm "$hone" devices --on slurm --node-worker "$scratch/worker" --json >out 2>err || status=$?
[ $status = 0 ] && for node in n1 n2 n3 n4; do grep -q "\"node\":\"$node\"" out || status=1; done
[ $status = 0 ] || fail "devices of Slurm's nodes"
slurm "$hone" tune many.json --iterations 3 --no-store --json --on slurm --node-worker "$scratch/worker" >out 2>err || fail "slurm"
same slurm
tune 0 --on ssh:h1,h2 --node-worker "$scratch/worker"
same ssh
tune 0 --on 'exec:nice -n {}' --nodes 1,2,3 --node-worker "$scratch/worker"
same exec
tune 0 --on ssh:h1 --on exec:env --node-worker "$scratch/worker"
same "ssh and a command"

# One configuration ends the worker that launches it, wherever it is: a result of its own, and no other's.
tune 0 --on ssh:h1,h2,h3 --node-worker "$scratch/dying"
[ "$(records | wc -l)" = 120 ] && [ "$(records | grep -vc ' correct$')" = 1 ] || fail "a configuration that crashes"
records | grep -v ' correct$' | grep -q '"ID":7\b' || records | grep -v ' correct$' | grep -q '"ID": 7}' || fail "another is blamed"

# What cannot be used.
refused() { # status, text, options...
    text=$2 expected=$1
    shift 2
    tune "$expected" "$@"
    grep -q "$text" err || fail "no '$text' of $*"
}
refused 2 'run hone inside of sbatch or salloc' --on slurm
refused 2 'is not a name of a host' --on ssh:-oProxyCommand=x
refused 1 'none of the nodes of --on can be used' --on ssh:h4 --node-worker "$scratch/worker"
refused 0 "node 'h4' cannot be used.*Permission denied.*needs a key that is accepted there" --on ssh:h1,h4 --node-worker "$scratch/worker"
same "the one that can be used"
refused 0 "node 'another': its hone-worker is of another build" --on 'exec:env BUILD={}' --nodes this,another \
    --node-worker "$scratch/worker"
same "the one of the same build"
refused 1 'Permission denied.*--strict' --on ssh:h1,h4 --strict --node-worker "$scratch/worker"
refused 1 'node-worker PATH' --on ssh:h1 --node-worker /nowhere/hone-worker
refused 1 "node 'h1' cannot be used" --on ssh:h1 --node-worker "$scratch/other"
echo "engines: all as it should be"
