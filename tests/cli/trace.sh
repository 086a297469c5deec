#!/bin/sh
# trace.sh HONE SCRATCH: the events inside hone, as somebody sees them who looks for a fault of its own. The kernel is in C, so that no
# driver is needed.
set -u
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*"
    cat said events 2>/dev/null
    exit 1
}
cat >fill.c <<'END_OF_KERNEL'
void fill(volatile float *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = i + 0 * A;
}
END_OF_KERNEL
cat >fill.json <<'END_OF_SPEC'
{"kernel": "fill.c", "parameters": {"A": [1, 2]}, "global": [1],
 "arguments": {"y": {"size": 100, "expect": "i"}, "n": 100}}
END_OF_SPEC

# Unasked nothing is seen of it; HONE_TRACE has everything, in its order.
"$hone" check fill.json --no-store >said 2>&1 || fail "check"
! grep -q 'builder' said || fail "events that nobody asked for"
HONE_TRACE=events "$hone" check fill.json --no-store >said 2>&1 || fail "check, traced"
for event in 'worker [0-9]+ was started' "worker [0-9]+ is sent 'build' #[0-9]+, [0-9]+ bytes" 'builder [0-9]+ .*: it answered; now it is idle' \
    'bench .*: it was asked to load a job; now it loads a job' "worker [0-9]+ sends 'reply result' #[0-9]+" 'worker [0-9]+ is ended'; do
    grep -qE "^ +[0-9]+\.[0-9]{6}  $event" events || fail "no event '$event'"
done
sort -c -s -n -k1,1 events || fail "their times are not in order"
HONE_TRACE=/nowhere/events "$hone" check fill.json --no-store >said 2>&1
[ $? = 2 ] && grep -q "HONE_TRACE: '/nowhere/events' cannot be written" said || fail "a file that cannot be written"

# A signal shows the last 200, and what runs goes on.
sed 's/\[1, 2\]/"range(1, 5000)"/' fill.json >long.json
"$hone" tune long.json --no-store >said 2>&1 &
tune=$!
trap 'kill -KILL $tune 2>/dev/null' EXIT
while kill -0 $tune 2>/dev/null && ! grep -qE '^ +[0-9]+\.[0-9]{6}  bench .*: it was asked to measure a job' said; do
    sleep 0.3
    [ ! -s said ] || kill -USR1 $tune 2>/dev/null
done
kill -INT $tune 2>/dev/null && wait $tune
[ $? = 130 ] || fail "SIGUSR1 ended it, or it showed nothing"
most=$(awk '/the seconds since hone began/ { n = 0 } /^ +[0-9]+\.[0-9]+  (worker|builder|bench)/ { if (++n > most) most = n } END { print most + 0 }' said)
[ "$most" -ge 20 ] && [ "$most" -le 200 ] || fail "$most events at once"

# Workers that end when they shall open the device are what hone cannot go on with: what happened before is shown.
cat >worker <<END_OF_WORKER
#!/bin/sh
[ ! -e "$scratch/listed" ] || exit 3
: >"$scratch/listed"
exec "${hone%/*}/hone-worker" "\$@"
END_OF_WORKER
chmod +x worker
HONE_WORKER="$scratch/worker" "$hone" check fill.json --no-store --language c >said 2>&1 && fail "workers that end at once"
grep -q 'died while opening the device' said && grep -qE '^ +[0-9.]+  worker [0-9]+ has ended its channel' said ||
    fail "nothing is shown of what happened before"
echo "all as it should be"
