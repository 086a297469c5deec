#!/bin/sh
# A Slurm of several nodes on this machine, for as long as a command runs, and an ssh server of its own on 127.0.0.1:
#
#   cmake/slurm_rig.sh COUNT COMMAND...
#
# The nodes are n1, n2, ..., each with two cores and a device file as its GPU; COMMAND sees them through SLURM_CONF, and has
# RIG (the folder, also on "nodes"), RIG_NODES ("n1 n2"), and in front of PATH an `ssh` that knows the server's port and key as
# the hosts h1, h2, h3. `kill $(cat $RIG/slurmd.n2.pid)` is the death of a node's daemon. All of it is ended by the end, whatever
# happened, and nothing stays: every process has RIG in its environment, by which it is found.
#
# Root alone, without systemd; Debian's slurm-wlm, munge and openssh-server are installed where they are missing. Ends with 77
# where they cannot be.
set -eu
count=${1:?the number of nodes}
shift

skip() {
    echo "skipped: $*" >&2
    exit 77
}

[ "$(id -u)" = 0 ] || skip "a Slurm of its own needs root"
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null || ! [ -x /usr/sbin/sshd ]; then
    command -v apt-get >/dev/null || skip "no slurm-wlm, and no apt-get"
    install() {
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm munge openssh-server \
            openssh-client >/dev/null 2>&1
    }
    install || { apt-get update -qq >/dev/null 2>&1 && install; } || skip "slurm-wlm, munge or openssh-server cannot be installed"
fi

RIG=$(mktemp -d /tmp/hone-rig-XXXXXX)
export RIG SLURM_CONF="$RIG/slurm.conf"
unset SLURM_JOB_ID SLURM_JOBID SLURM_JOB_NODELIST SLURM_NODELIST

# Those of the rig but this script and what waits for it. sshd writes its title over its environment.
rig_processes() {
    if [ -e "$RIG/sshd.pid" ]; then
        for pid in $(cat "$RIG/sshd.pid"); do
            echo "$pid" && pgrep -P "$pid" | while read -r child; do
                echo "$child" && pgrep -P "$child"
            done
        done | while read -r pid; do
            ! grep -q '^sshd' "/proc/$pid/comm" || echo "$pid"
        done
    fi 2>/dev/null || :
    for process in /proc/[0-9]*; do
        pid=${process#/proc/}
        [ "$pid" != $$ ] || continue
        tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qxF "RIG=$RIG" && echo "$pid"
    done 2>/dev/null || :
}

tear_down() {
    trap '' INT TERM HUP
    timeout 5 scancel --user root >/dev/null 2>&1 || :
    timeout 5 scontrol shutdown >/dev/null 2>&1 || :
    for try in 1 2 3 4 5 6 7 8 9 10; do
        left=$(rig_processes)
        [ -n "$left" ] || break
        # shellcheck disable=SC2086 # numbers
        if [ "$try" -ge 4 ]; then
            kill -KILL $left 2>/dev/null || :
        elif [ "$try" = 3 ]; then
            kill -CONT $left 2>/dev/null || :
            kill -TERM $left 2>/dev/null || :
        fi
        sleep 0.3
    done
    rm -rf "$RIG"
}
trap tear_down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- ssh -----------------------------------------------------------------------------------------

free_port() { # from this number on
    port=$1
    while grep -qi ":$(printf %04X "$port") 0*:0000 0A" /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}
base=$((20000 + $$ % 560 * 16)) # rigs that start together have blocks of their own
ssh_port=$(free_port $base)
mkdir -p "$RIG/bin" /run/sshd
chmod 700 "$RIG"
ssh-keygen -q -t ed25519 -N '' -f "$RIG/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$RIG/key"
cp "$RIG/key.pub" "$RIG/authorized"
cat >"$RIG/sshd_config" <<END
Port $ssh_port
ListenAddress 127.0.0.1
HostKey $RIG/host_key
AuthorizedKeysFile $RIG/authorized
PidFile $RIG/sshd.pid
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
MaxStartups 100
SetEnv RIG=$RIG
END
cat >"$RIG/ssh_config" <<END
Host h1 h2 h3
    HostName 127.0.0.1
    Port $ssh_port
    IdentityFile $RIG/key
Host h4
    HostName 127.0.0.1
    Port $ssh_port
    IdentityFile $RIG/no_key
Host *
    User root
    IdentitiesOnly yes
    UserKnownHostsFile $RIG/known_hosts
    StrictHostKeyChecking accept-new
    ConnectTimeout 10
    LogLevel ERROR
END
cat >"$RIG/bin/ssh" <<END
#!/bin/sh
exec /usr/bin/ssh -F $RIG/ssh_config "\$@"
END
chmod +x "$RIG/bin/ssh"
PATH=$RIG/bin:/usr/sbin:$PATH
export PATH
/usr/sbin/sshd -f "$RIG/sshd_config" -E "$RIG/sshd.log" || skip "sshd does not start: $(tail -n 1 "$RIG/sshd.log")"

# ---- Slurm ---------------------------------------------------------------------------------------

host=$(hostname -s 2>/dev/null || hostname)
first=$(free_port $((base + 1)))
cat >"$SLURM_CONF" <<END
ClusterName=rig
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$first
AuthType=auth/munge
AuthInfo=socket=$RIG/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$RIG/state
SlurmdSpoolDir=$RIG/spool.%n
SlurmctldPidFile=$RIG/slurmctld.pid
SlurmdPidFile=$RIG/slurmd.%n.pid
SlurmctldLogFile=$RIG/slurmctld.log
SlurmdLogFile=$RIG/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
OverTimeLimit=0
BatchStartTimeout=10
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName=n[1-$count] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((first + 1))-$((first + count))] CPUs=2 RealMemory=4000 Gres=gpu:1
PartitionName=all Nodes=n[1-$count] Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
RIG_NODES=
set -- "$count" "$@"
for i in $(seq "$count"); do
    RIG_NODES="$RIG_NODES${RIG_NODES:+ }n$i"
    echo "NodeName=n$i Name=gpu File=$(echo /dev/zero /dev/full /dev/null /dev/random /dev/urandom /dev/tty | cut -d' ' -f"$i")"
    mkdir -p "$RIG/spool.n$i"
done >"$RIG/gres.conf"
shift
export RIG_NODES
printf 'CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n' >"$RIG/cgroup.conf"
mkdir -p "$RIG/state"
head -c 1024 /dev/urandom >"$RIG/munge.key"
chmod 600 "$RIG/munge.key"
chmod 711 "$RIG"
munged --force --key-file="$RIG/munge.key" --socket="$RIG/munge.socket" --pid-file="$RIG/munged.pid" \
    --log-file="$RIG/munged.log" --seed-file="$RIG/munged.seed" >"$RIG/out" 2>&1 ||
    skip "munged does not start: $(tail -n 1 "$RIG/out")"
slurmctld -c -f "$SLURM_CONF" >"$RIG/out" 2>&1 || skip "slurmctld does not start: $(tail -n 1 "$RIG/out")"
for node in $RIG_NODES; do
    slurmd -N "$node" -f "$SLURM_CONF" >"$RIG/out" 2>&1 || skip "slurmd does not start: $(tail -n 1 "$RIG/out")"
done
tries=0
while [ "$(timeout 5 sinfo -h -t idle -o %D 2>/dev/null | head -n 1)" != "$count" ]; do
    tries=$((tries + 1))
    [ $tries -lt 150 ] || skip "the nodes do not come up: $(timeout 5 sinfo -h 2>&1 | head -n 3)"
    sleep 0.2
done

status=0
"$@" || status=$?
exit $status
