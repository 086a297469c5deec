#!/bin/sh
# What questions to a large store cost: CPU time (user and system) of the whole command, and what it
# reads of the file.
#
#   tests/bench/store_speed.sh [RESULTS [BUILD...]]   BUILD: configured with the tests
#
# Makes stores for each build, since their schemas may differ: a tune of 1,000 configurations by a
# worker that answers at once, then copies of its rows under the names of other specs and devices.
# "own" has RESULTS (100,000) results of as many specs as it takes on four devices, the others the
# 1,000 of the spec that is asked for and none, a tenth of RESULTS and RESULTS of other specs. Of the
# "worker" line, what starting hone and its worker takes, each of the others has its share.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
results=${1:-100000}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- "$root/build-test"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
spec="$root/tests/tune/data/thousand.json"
export XDG_CACHE_HOME="$work"
use_worker() {
    for folder in tests/runner tests/eval; do
        [ ! -x "$1/$folder/fake_worker" ] || export HONE_WORKER="$1/$folder/fake_worker"
    done
}

# Copies of all rows of FILE: SPECS x DEVICES sessions, the first of which is what is there.
cat >"$work/fill.py" <<'END'
import os, sqlite3, sys
path, specs, devices, own = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "own"
db = sqlite3.connect(path)
columns = {t: [r[1] for r in db.execute(f"PRAGMA table_info({t})")] for t in ("job", "session", "result")}
rows = {t: db.execute(f"SELECT {', '.join(c)} FROM {t}").fetchall() for t, c in columns.items()}
def put(table, changes):
    names = columns[table]
    for row in rows[table]:
        row = dict(zip(names, row))
        for name, change in changes.items():
            if name in row:
                row[name] = change(row[name], row)
        yield [row[n] for n in names]
def insert(table, changes):
    marks = ", ".join("?" * len(columns[table]))
    db.executemany(f"INSERT INTO {table} VALUES ({marks})", put(table, changes))
sequence = max(r[columns["result"].index("sequence")] for r in rows["result"])
for spec in range(specs):
    for device in range(devices):
        if spec == 0 and (device == 0 or not own):
            continue
        mark = bytes([spec // 256, spec % 256, device])
        key = lambda v, row: v[:-3] + mark
        name = (lambda v, row: v) if spec == 0 else (lambda v, row: f"{v}-{spec}")
        def number(v, row):
            global sequence
            sequence += 1
            return sequence
        insert("job", {"key": key, "spec_name": name})
        insert("session", {"id": key, "spec_name": name, "device": lambda v, row: f"{v} {device}",
                           "device_identity": key})
        insert("result", {"sequence": number, "id": lambda v, row: os.urandom(16), "job": key, "session": key})
db.commit()
END

# BUILD FILE SPECS DEVICES own|foreign
make_store() {
    use_worker "$1"
    "$1/hone" tune "$spec" --store "$2" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
    python3 "$work/fill.py" "$2" "$3" "$4" "$5"
}

# Milliseconds of CPU time of the command alone, the least of five; the worker is no child of it
# that is counted apart, and costs the same for each build.
cpu() {
    python3 - "$@" <<'END'
import os, resource, subprocess, sys
best = None
for _ in range(5):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ms = 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    best = ms if best is None else min(best, ms)
print(f"{best:9.1f}", end="")
END
}

# Kilobytes that the command reads of the store: pread64() calls and what is mapped are not told apart.
reads() {
    command -v strace >/dev/null || { printf '        -'; return; }
    strace -f -qq -e trace=pread64,read -y -o "$work/trace" "$@" >/dev/null 2>&1 || true
    grep -F "$store" "$work/trace" | sed 's/.* = //' | awk '{ sum += $1 } END { printf "%9.0f", sum / 1024 }'
}

specs=$(((results + 4079) / 4080))
printf '%-52s%12s%12s\n' question 'CPU ms' 'KiB read'
for build; do
    number=$((${number:-0} + 1))
    make_store "$build" "$work/$number-alone.sqlite" 1 1 own
    make_store "$build" "$work/$number-own.sqlite" "$specs" 4 own
    make_store "$build" "$work/$number-tenth.sqlite" $((1 + (specs + 9) / 10)) 4 foreign
    make_store "$build" "$work/$number-foreign.sqlite" $((1 + specs)) 4 foreign
done
ask() {
    title=$1 kind=$2
    shift 2
    number=0
    for build in $builds; do
        number=$((number + 1))
        store="$work/$number-$kind.sqlite"
        printf '%-52s' "$number: $title"
        use_worker "$build"
        flag=--store
        [ "$kind" != none ] || flag=
        cpu "$build/hone" "$@" $flag ${flag:+"$store"}
        printf '   '
        reads "$build/hone" "$@" $flag ${flag:+"$store"}
        printf '\n'
    done
}
builds="$*"
rows() { sqlite3 "$work/1-$1.sqlite" 'SELECT count(*) FROM result' 2>/dev/null || echo '?'; }
ask "worker" none devices
ask "best, $(rows alone) own results alone" alone best "$spec"
ask "best, with others: $(rows tenth)" tenth best "$spec"
ask "best, with others: $(rows foreign)" foreign best "$spec"
ask "best, of $(rows own)" own best "$spec"
ask "best --all, of the same" own best "$spec" --all
ask "store, of the same" own store
ask "list of runs, of the same" own compare "$spec" --left run=none
ask "tune that finds all, of the same" own tune "$spec"
