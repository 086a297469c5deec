#!/bin/sh
# known.sh HONE OLD NEW [DEVICE]: what the store OLD has as the best of the specs in kernels_cl on DEVICE (a part of its
# name; else any) is tuned again by the rules of today, into the store NEW: each spec with each of its constants, the
# configurations that were ranked and no others, the smallest sizes first. Then, for the file that ships:
#   hone store import --best --store kernels_cl/known.sqlite NEW [other stores]
# Exit status: 1 when a tune found nothing; what the specs no longer have is named and left out.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
exec python3 - "$root" "$@" <<'EOF'
import re, sqlite3, subprocess, sys

root, hone, old, new = sys.argv[1:5]
wanted = sys.argv[5] if len(sys.argv) > 5 else ""
rows = sqlite3.connect(f"file:{old}?mode=ro", uri=True).execute(
    "SELECT DISTINCT job.spec_name, job.constants, job.language, session.device, job.configuration FROM result "
    "JOIN job ON job.key = result.job JOIN session ON session.id = result.session "
    "WHERE result.status = 'correct' ORDER BY 1, 2, 3, 4, result.median_ns")
places = {}
for *place, configuration in rows:
    places.setdefault(tuple(place), []).append(re.sub(r"'", "", configuration.replace(", ", ",")))


def size_of(place):  # the product of the constants that are whole numbers above 1
    product = 1
    for value in re.findall(r"=([0-9]+)(?:,|$)", place[0][1]):
        product *= max(int(value), 1)
    return product


failed = 0
for (spec, constants, language, device), configurations in sorted(places.items(), key=size_of):
    if wanted.lower() not in device.lower():
        continue
    path = f"{root}/kernels_cl/{spec}.json"
    common = [path, "--device", device, "--language", language]
    for constant in constants.split(", "):
        common += ["--set", constant]
    there = []
    for one in configurations:
        space = subprocess.run([hone, "space", *common, "--config", one], capture_output=True)
        if space.returncode == 0:
            there += ["--config", one]
        else:
            print(f"left out: {spec}, {constants}: {one}", file=sys.stderr)
    command = [hone, "tune", *common, *there, "--fresh", "--store", new, "--timeout", "launch=5s"]
    print(f"{spec}, {constants}, {device}: {len(there) // 2} of {len(configurations)} configurations", flush=True)
    failed += not there or subprocess.run(command).returncode != 0
sys.exit(1 if failed else 0)
EOF
