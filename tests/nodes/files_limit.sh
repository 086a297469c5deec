#!/bin/sh
# files_limit.sh HONE SCRATCH: with --on hone may open as many files as the system allows.
set -u
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1

most=$(ulimit -Hn)
{ [ "$most" = unlimited ] || [ "$most" -gt 65536 ]; } && most=65536
ulimit -Sn 100
cat >launch.sh <<'END'
ulimit -Sn >limit
exec "$@"
END
# Whether there is a device does not matter.
"$hone" devices --on "exec:sh launch.sh" >said 2>&1
got=$(cat limit)
[ "$got" = "$most" ] || {
    echo "FAILED: a launcher may open $got files, not $most: $(cat said)"
    exit 1
}
