#!/bin/sh
# kills.sh HONE SCRATCH DRIVER [COUNT]: at COUNT random moments (3) a part of a tune over four nodes of Slurm, or over ssh, is
# killed or stopped: the step of a node with its workers, its slurmd, an srun or ssh, a worker, the tuner. Each time the tune ends
# with every configuration once, in what it says and in its store; and within 30 seconds no process of it is left. DRIVER is
# the folder of the OpenCL driver for tests. KILLS_SEED says which moments, KILLS_FIRST (0 to 7) with which part it begins.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
hone=$1 scratch=$2 driver=$3 count=${4:-3}
[ -n "${RIG:-}" ] || exit 77
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" KILLS="$scratch"
seed=${KILLS_SEED:-$(($(date +%s) % 100000))}
total=120
job=
fail() {
    echo "FAILED: kill $k ($kind, seed ${KILLS_SEED:-$seed}): $*" >&2
    tail -n 5 out err >&2 2>/dev/null
    exit 1
}
finish() {
    [ -z "$job" ] || scancel "$job" >/dev/null 2>&1 || :
    for pid in $(left); do
        kill -KILL "$pid" 2>/dev/null || :
    done
}
random() { # below
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}
# Those of the program alone: launchers, links, agents, workers.
left() {
    for entry in /proc/[0-9]*; do
        grep -qE '^(hone|hone-worker|srun|ssh)$' "$entry/comm" 2>/dev/null || continue
        tr '\0' '\n' <"$entry/environ" 2>/dev/null | grep -qxF "KILLS=$KILLS" && echo "${entry#/proc/}"
    done 2>/dev/null || :
}
of_node() { # node, comm...: agents and workers know which node they run on
    for entry in /proc/[0-9]*; do
        grep -qx "$2" "$entry/comm" 2>/dev/null || continue
        environ=$(tr '\0' '\n' <"$entry/environ" 2>/dev/null) || continue
        echo "$environ" | grep -qxF "KILLS=$KILLS" && echo "$environ" | grep -qxF "SLURMD_NODENAME=$1" && echo "${entry#/proc/}"
    done 2>/dev/null || :
}
launcher() { # a word of its command line
    for entry in /proc/[0-9]*; do
        grep -qE '^(srun|ssh)$' "$entry/comm" 2>/dev/null || continue
        tr '\0' '\n' <"$entry/environ" 2>/dev/null | grep -qxF "KILLS=$KILLS" || continue
        tr '\0' '\n' <"$entry/cmdline" | grep -qx -- "$1" && echo "${entry#/proc/}"
    done 2>/dev/null || :
}

cat >worker <<END
#!/bin/sh
export LD_LIBRARY_PATH=$driver FAKE_CL_KIND=card FAKE_CUDA_CARDS=0 FAKE_NVML_FAIL=all KILLS=$KILLS
export FAKE_CL_DOMAIN=\$(printf %04x \$((\$\$ % 65536)))
exec ${hone%/*}/hone-worker "\$@"
END
chmod +x worker
cp "$tests/many.json" "$tests/many.cl" "$tests/ones.f32" .
tune() {
    case $engine in
    slurm) SLURM_JOB_ID=$job SLURM_JOB_NODELIST=n[1-4] "$hone" tune many.json --iterations 40 --store "$store" --json \
        --on slurm --node-worker "$scratch/worker" ;;
    ssh) "$hone" tune many.json --iterations 40 --store "$store" --json --on ssh:h1,h2,h3 --node-worker "$scratch/worker" ;;
    esac >"$1" 2>err
}
all_once() { # file
    [ "$(grep -c '"type":"result"' "$1")" = $total ] || return 1
    [ "$(grep '"type":"result"' "$1" | sed 's/.*"configuration":\({[^}]*}\).*/\1/' | sort -u | wc -l)" = $total ] || return 1
    [ "$(grep '"type":"result"' "$1" | grep -c '"status":"correct"')" = $total ]
}
allocate() {
    job=$(salloc --no-kill -N4 --gpus-per-node=1 --no-shell 2>&1 | sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p')
    [ -n "$job" ] || fail "no allocation"
}

k=0 kind=start first=${KILLS_FIRST:-$(random 8)}
trap finish EXIT
trap 'exit 1' INT TERM
allocate
while [ $k -lt "$count" ]; do
    k=$((k + 1))
    node=n$((1 + $(random 4))) host=h$((1 + $(random 3)))
    engine=slurm store=$scratch/store$k.sqlite
    set -- step srun-stopped tuner worker srun ssh slurmd ssh-stopped
    shift $(((k - 1 + first) % 8))
    kind=$1
    case $kind in ssh*) engine=ssh ;; esac
    tune out &
    tuner=$!
    sleep 0.$((5 + $(random 5)))
    sleep "$(random 2).$(random 10)"
    case $kind in
    step) victims="$(of_node "$node" hone-worker)" signal=KILL ;;
    worker) victims=$(of_node "$node" hone-worker | tail -n 1) signal=KILL ;;
    slurmd) victims="$(cat "$RIG/slurmd.$node.pid") $(of_node "$node" hone-worker)" signal=KILL ;;
    srun) victims=$(launcher "$node") signal=KILL ;;
    srun-stopped) victims=$(launcher "$node") signal=STOP ;;
    ssh) victims=$(launcher "$host") signal=KILL ;;
    ssh-stopped) victims=$(launcher "$host") signal=STOP ;;
    tuner) victims=$(pgrep -P $tuner -x hone || echo $tuner) signal=KILL ;;
    esac
    # shellcheck disable=SC2086 # numbers
    kill -$signal $victims 2>/dev/null || :
    wait $tuner || [ $kind = tuner ] || fail "the tune ended with $?"
    killed=$(date +%s)
    if [ $kind = tuner ]; then
        tune again || fail "the tune that went on ended with $?"
        mv again out
    fi
    all_once out || fail "not every configuration is there once"
    python3 - "$store" $total <<'END' || fail "not every result is stored once"
import sqlite3, sys
rows, jobs = sqlite3.connect(sys.argv[1]).execute("select count(*), count(distinct job) from result").fetchone()
print("stored:", rows, jobs) if rows != jobs or rows != int(sys.argv[2]) else None
sys.exit(rows != jobs or rows != int(sys.argv[2]))
END
    while [ -n "$(left)" ]; do
        [ $(($(date +%s) - killed)) -lt 30 ] || fail "processes are left: $(for p in $(left); do tr '\0' ' ' <"/proc/$p/cmdline"; done)"
        sleep 0.5
    done
    if [ $kind = slurmd ]; then
        slurmd -N "$node" -f "$SLURM_CONF"
        scancel "$job" || :
        sleep 2
        allocate
    fi
    echo "$k: $kind of $node/$host: every configuration once, nothing left$(grep -o "node '[^']*' is lost" err | sort -u | sed 's/^/; /' | tr -d '\n')"
done
echo "kills: all as it should be"
