#!/bin/sh
# node_kills.sh BUILD [TIMES [RIGS]]: what tests/nodes/kills.sh does at three moments, at TIMES (100) of each of its eight kinds,
# shared among so many RIGS (5) at once; and a tune under `sbatch --requeue` that is put back into the queue until it has had
# three slots: every result once. TIMES 0: that alone. Needs root; each rig is a Slurm and an ssh server of its own
# (cmake/slurm_rig.sh), which come and go. An hour with 100 and 5 on two cores: a stopped launcher is silent for 20 s.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?the build folder}" && pwd)
times=${2:-100}
driver=$build/tests/fake_opencl/driver

if [ "${3:-}" != inside ]; then
    rigs=${3:-5}
    running=
    for rig in $(seq "$rigs"); do
        KILLS_FIRST=$rig "$source/cmake/slurm_rig.sh" 4 sh "$0" "$build" $(((8 * times + rigs - 1) / rigs)) inside "$rig" &
        running="$running $!"
        [ "$times" != 0 ] || break
    done
    failed=0
    for one in $running; do
        wait "$one" || failed=1
    done
    exit $failed
fi
rig=$4
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hone-kills-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

requeue() { # Slurm has a job that was put back wait for two minutes
    folder=$scratch/requeue
    mkdir -p "$folder"
    cp "$source/tests/nodes/many.json" "$source/tests/nodes/many.cl" "$source/tests/nodes/ones.f32" "$folder"
    cd "$folder"
    cat >worker <<END
#!/bin/sh
export LD_LIBRARY_PATH=$driver FAKE_CL_KIND=card FAKE_CUDA_CARDS=0 FAKE_NVML_FAIL=all
export FAKE_CL_DOMAIN=\$((\$\$ % 65536))
exec $build/hone-worker "\$@"
END
    chmod +x worker
    cat >"batch" <<END
#!/bin/sh
#SBATCH --nodes=4 --gpus-per-node=1 --no-kill
#SBATCH --time=2 --requeue --open-mode=append --output=log
export XDG_CACHE_HOME=$folder/cache
echo "slot \${SLURM_RESTART_COUNT:-0}" >>slots
"$build/hone" tune many.json --iterations 400 --on slurm --node-worker $folder/worker --store results.sqlite --json >out.\${SLURM_RESTART_COUNT:-0} &&
    : >ended
END
    job=$(sbatch --parsable batch)
    slots=0 waited=0
    while [ ! -e ended ]; do
        running=$(grep -c slot slots 2>/dev/null || :)
        if [ "${running:-0}" -gt "$slots" ] && [ "$slots" -lt 2 ]; then
            slots=$running
            sleep 4
            [ -e ended ] || scontrol requeue "$job"
        fi
        sleep 1
        waited=$((waited + 1))
        [ $waited -lt 600 ] || {
            echo "FAILED: the tune does not end in its slots"
            cat log
            return 1
        }
    done
    python3 - "$(wc -l <slots)" <<'END'
import sqlite3, sys
rows, jobs = sqlite3.connect("results.sqlite").execute("select count(*), count(distinct job) from result").fetchone()
print("requeue: %s slots, %d results of %d configurations" % (sys.argv[1], rows, jobs))
sys.exit(not (rows == jobs == 120 and int(sys.argv[1]) >= 3))
END
    cd "$source"
}

[ "$rig" != 1 ] || requeue
[ "$times" = 0 ] || sh "$source/tests/nodes/kills.sh" "$build/hone" "$scratch/kills" "$driver" "$times"
