#!/bin/sh
# kills.sh HONE SCRATCH DRIVER [COUNT]: at COUNT random moments (3) a part of a tune over four nodes of Slurm, or over ssh, is
# killed or stopped: the step of a node with its workers, these and its slurmd and slurmstepd, an srun or ssh, a worker, the
# tuner. Each time the tune ends with every configuration once, in what it says and in its store, and with the same tied set
# where it ranks; and within 30 seconds no process of it is left. A moment is a number of results, or a time after the start or
# after the last result; where the part was not there (yet, or any more), the moment is drawn again. DRIVER is the folder of the
# OpenCL driver for tests. KILLS_SEED says which moments, KILLS_FIRST (0 to 7) with which part it begins.
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
draw() { # below; sets drawn
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
# Those of the program alone: launchers, links, agents, workers.
left() {
    for pid in $(pgrep -x 'hone|hone-worker|srun|ssh'); do
        ! grep -qzxF "KILLS=$KILLS" "/proc/$pid/environ" || echo "$pid"
    done 2>/dev/null || :
}
of_node() { # node: agents and workers know which one they run on
    for pid in $(pgrep -x hone-worker); do
        grep -qzxF "KILLS=$KILLS" "/proc/$pid/environ" && grep -qzxF "SLURMD_NODENAME=$1" "/proc/$pid/environ" && echo "$pid"
    done 2>/dev/null || :
}
any_of() { # sets one
    one=
    [ $# -gt 0 ] || return 0
    draw $#
    shift "$drawn"
    one=$1
}
stepd() { # of the node: the parent of its agent
    for pid in $(of_node "$1"); do
        parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
        ! grep -qx slurmstepd "/proc/$parent/comm" 2>/dev/null || echo "$parent"
    done
}
launcher() { # a word of its command line
    for pid in $(pgrep -x 'srun|ssh'); do
        grep -qzxF "KILLS=$KILLS" "/proc/$pid/environ" && grep -qzxF -- "$1" "/proc/$pid/cmdline" && echo "$pid"
    done 2>/dev/null || :
}

cat >worker <<END
#!/bin/sh
export LD_LIBRARY_PATH=$driver FAKE_CL_KIND=card FAKE_CUDA_CARDS=0 FAKE_NVML_FAIL=all KILLS=$KILLS
export FAKE_CL_DOMAIN=\$((\$\$ % 65536))
exec ${hone%/*}/hone-worker "\$@"
END
chmod +x worker
cp "$tests/many.json" "$tests/many.cl" "$tests/ones.f32" .
tune() { # file; with or without a ranking
    case $engine in
    slurm) set -- "$1" --on slurm ;;
    ssh) set -- "$1" --on ssh:h1,h2,h3 ;;
    esac
    out=$1
    shift
    # shellcheck disable=SC2086 # two words, or none
    SLURM_JOB_ID=$job SLURM_JOB_NODELIST="n[1-4]" "$hone" tune many.json $fixed --store "$store" --json "$@" \
        --node-worker "$scratch/worker" >"$out" 2>err
}
results() {
    grep -c '"type":"result"' out 2>/dev/null || :
}
# The first ten numbers are tenths of a second after the start, the last ten hundredths after all results; those between them
# results.
wait_until() {
    if [ "$1" -lt 10 ]; then
        sleep "0.$1"
        return
    fi
    wanted=$(($1 - 10)) late=0
    if [ $wanted -gt $total ]; then
        late=$((wanted - total)) wanted=$total
    fi
    while [ "$(results)" -lt $wanted ] && kill -0 "$tuner" 2>/dev/null; do
        sleep 0.02
    done
    sleep "0.0$late"
}
all_once() { # file
    python3 - "$1" "$store" $total "$fixed" <<'END'
import json, sqlite3, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
total, is_ranked = int(sys.argv[3]), not sys.argv[4]
results = [line for line in lines if line["type"] == "result"]
once = {line["configuration"]["ID"] for line in results}
wrong = [line["configuration"]["ID"] for line in results if line["status"] != "correct"]
count = "select count(*), count(distinct job) from result where stop != 'ranked'"
stored = sqlite3.connect(sys.argv[2]).execute(count).fetchone()
tied = {line["configuration"]["ID"] for line in lines if line["type"] == "ranked" and line["tied"]}
if len(results) != total or len(once) != total or wrong:
    sys.exit("%d results of %d configurations, not correct: %s" % (len(results), len(once), wrong))
if stored != (total, total):
    sys.exit("%d results of %d configurations are stored" % stored)
if is_ranked and tied != {0, 103, 86, 69, 52}:
    sys.exit("another set is tied: %s" % sorted(tied))
if lines[-1]["best"]["configuration"]["ID"] != 0:
    sys.exit("another is the best")
END
}
allocate() {
    job=$(salloc --no-kill -N4 --gpus-per-node=1 --no-shell 2>&1 | sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p')
    [ -n "$job" ] || fail "no allocation"
}

draw 8
k=0 kind=start first=${KILLS_FIRST:-$drawn} missed=0
trap finish EXIT
trap 'exit 1' INT TERM
allocate
while [ $k -lt "$count" ]; do
    k=$((k + 1))
    draw 4
    node=n$((drawn + 1))
    draw 3
    host=h$((drawn + 1))
    engine=slurm store=$scratch/store.sqlite fixed=
    rm -f store.sqlite*
    set -- step srun-stopped tuner worker srun ssh slurmd ssh-stopped
    shift $(((k - 1 + first) % 8))
    kind=$1
    case $kind in ssh*) engine=ssh ;; esac
    draw 2
    [ $drawn = 0 ] || fixed='--iterations 40'
    draw $((total + 20))
    moment=$drawn
    : >out
    tune out &
    tuner=$!
    wait_until $moment
    signal=KILL
    case $kind in
    step) victims="$(of_node "$node")" ;;
    worker)
        # shellcheck disable=SC2046 # numbers
        any_of $(of_node "$node")
        victims=$one
        ;;
    slurmd)
        victims=$(of_node "$node")
        victims=${victims:+$(cat "$RIG/slurmd.$node.pid") $(stepd "$node") $victims}
        ;;
    srun) victims=$(launcher "$node") ;;
    srun-stopped) victims=$(launcher "$node") signal=STOP ;;
    ssh) victims=$(launcher "$host") ;;
    ssh-stopped) victims=$(launcher "$host") signal=STOP ;;
    tuner) victims=$(pgrep -P $tuner -x hone || :) ;;
    esac
    at=$(results)
    # shellcheck disable=SC2086 # numbers
    [ -z "$victims" ] || kill -$signal $victims 2>/dev/null || :
    status=0
    wait $tuner || status=$?
    killed=$(date +%s)
    if [ "$kind" = tuner ] && [ -n "$victims" ]; then
        tune again || fail "the tune that went on ended with $?"
        mv again out
    elif [ $status != 0 ]; then
        fail "the tune ended with $status"
    fi
    all_once out || fail "not all is there once"
    while [ -n "$(left)" ]; do
        [ $(($(date +%s) - killed)) -lt 30 ] || fail "processes are left: $(for p in $(left); do tr '\0' ' ' <"/proc/$p/cmdline"; done)"
        sleep 0.5
    done
    if [ "$kind" = slurmd ] && [ -n "$victims" ]; then
        slurmd -N "$node" -f "$SLURM_CONF"
        scancel "$job" || :
        sleep 2
        allocate
    fi
    if [ -z "$victims" ]; then
        missed=$((missed + 1)) k=$((k - 1))
        [ $missed -lt $((count + 20)) ] || fail "there is hardly ever something to kill"
        continue
    fi
    where=$node
    case $kind in ssh*) where=$host ;; tuner) where=all ;; esac
    lost=$(grep -o "node '[^']*' is lost" err | sort -u | sed 's/^/; /' | tr -d '\n')
    echo "$k: $kind of $where after $at results${fixed:+, not ranked}: all is there once, nothing is left$lost"
done
echo "kills: all as it should be ($missed moments were drawn again)"
