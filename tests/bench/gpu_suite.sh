#!/bin/sh
# The whole test suite on a machine with a GPU that has no network and lacks some of the packages:
#
#   tests/bench/gpu_suite.sh [BUILD]
#
# Builds in BUILD (default build-gpu), runs every test, and prints how many ran, passed, failed and were skipped, the
# reason of each skip, and the end of what each failed test printed. What ctest printed is in BUILD/suite.log.
#
#   HONE_PREFIX     a folder with Debian packages (*.deb), which are unpacked into BUILD/prefix. Of their libraries
#                   the machine's own are taken where it has them
#   HONE_TEST_DATA  further test data
#   JOBS            tests at a time (default: a core each); ONLY, a regular expression: these tests alone
#   LIMIT           seconds for the tests (default 480): what has not ended by then is told as not run
#
# Where no OpenCL vendor file names NVIDIA's library, the script registers it for itself. Exits 1 when a test failed
# or did not run. Needs cc, cmake, ctest, ninja or make, dpkg-deb, python3.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-gpu}
mkdir -p "$build"
build=$(cd "$build" && pwd)
prefix=$build/prefix
libraries=$prefix/usr/lib/x86_64-linux-gnu

of_this_machine() { # libNAME.so.N: the path of the machine's own
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n "s|^[[:space:]]*$1 (.*x86-64.*=> ||p" | grep -v "^$build" | sed -n 1p
}

# A package that is for compiling has a link libNAME.so, the package that is for running libNAME.so.N: an older library must
# not stand before a newer one of the machine's, which other programs there need.
prefer_the_machines() {
    for name in libz.so.1 libsqlite3.so.0 libjansson.so.4 libOpenCL.so.1 libgfortran.so.5 libquadmath.so.0; do
        own=$(of_this_machine "$name")
        [ -n "$own" ] || continue
        rm -f "$libraries/$name"*
        ln -sf "$own" "$libraries/${name%.so*}.so"
    done
}

unpack() {
    rm -rf "$prefix"
    for package in "$HONE_PREFIX"/*.deb; do
        dpkg-deb -x "$package" "$prefix"
    done
    [ ! -d "$prefix/lib" ] || cp -a "$prefix/lib/." "$prefix/usr/lib/"
    prefer_the_machines
    sed -i "s|^prefix=/usr|prefix=$prefix/usr|" "$libraries"/pkgconfig/*.pc "$prefix"/usr/share/pkgconfig/*.pc
    export PATH="$PATH:$prefix/usr/bin"
    export LD_LIBRARY_PATH="$libraries:$libraries/openblas-pthread${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export PKG_CONFIG_PATH="$libraries/pkgconfig:$prefix/usr/share/pkgconfig"
    export CMAKE_PREFIX_PATH="$prefix/usr"
}

register_nvidia() {
    ! grep -qs nvidia /etc/OpenCL/vendors/*.icd || return 0
    own=$(of_this_machine libnvidia-opencl.so.1)
    [ -n "$own" ] || own=$(find /usr/local /usr/lib /opt -name libnvidia-opencl.so.1 2>/dev/null | sed -n 1p)
    [ -n "$own" ] || return 0
    mkdir -p "$build/vendors"
    cp /etc/OpenCL/vendors/*.icd "$build/vendors" 2>/dev/null || :
    echo "$own" >"$build/vendors/nvidia.icd"
    export OCL_ICD_VENDORS="$build/vendors"
    echo "registered $own in $OCL_ICD_VENDORS"
}

[ -z "${HONE_PREFIX:-}" ] || unpack
register_nvidia
for toolkit in "${CUDA_HOME:-}" /usr/local/cuda; do
    [ -z "$toolkit" ] || [ ! -d "$toolkit" ] || { export CUDA_HOME="$toolkit" PATH="$PATH:$toolkit/bin" && break; }
done
generator=
[ -e "$build/CMakeCache.txt" ] || ! command -v ninja >/dev/null || generator='-G Ninja'
started=$(date +%s)
# shellcheck disable=SC2086 # none, or two words
{ cmake -S "$root" -B "$build" $generator -DHONE_TESTS=ON -DHONE_TEST_DATA="${HONE_TEST_DATA:-}" \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -g1 -DNDEBUG' &&
    cmake --build "$build" -j"$(nproc)"; } >"$build/build.log" 2>&1 || {
    tail -n 40 "$build/build.log"
    exit 1
}
echo "built in $(($(date +%s) - started)) s"
"$build/hone" devices || :

cd "$build"
started=$(date +%s)
export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-5}" # what a single test may take is meant for an idle machine
timeout "${LIMIT:-480}" ctest -V -LE valgrind -j"${JOBS:-$(nproc)}" ${ONLY:+-R "$ONLY"} >suite.log 2>&1 || :
echo "tested in $(($(date +%s) - started)) s"
ctest -N -LE valgrind ${ONLY:+-R "$ONLY"} >suite.list
python3 - <<'EOF'
import collections, re, sys
names = dict(re.findall(r"^ *Test +#(\d+): (\S+)$", open("suite.list").read(), re.M))
said, ended = collections.defaultdict(list), {}
for line in open("suite.log", errors="replace"):
    if m := re.match(r"(\d+): (.*)", line):
        said[m[1]].append(m[2])
    elif m := re.match(r" *\d+/\d+ Test +#(\d+): \S+ \.*\**(.*?) +([\d.]+) sec", line):
        ended[m[1]] = (m[2].strip(" .*"), float(m[3]))
kinds = collections.defaultdict(list)
for n in names:
    how = ended.get(n, ("Not run", 0))[0]
    kinds["skipped" if "Skipped" in how else "passed" if how == "Passed" else "not run" if "Not " in how else "failed"].append(n)
def reasons(n):
    return [l for l in said[n] if re.search(r"skipped|not installed|is not here|there is no", l, re.I)]
print("\n== failed, the end of what each printed")
for n in kinds["failed"]:
    print("\n-- %s: %s, %.1f s" % (names[n], *ended[n]))
    print("\n".join(l[:300] for l in said[n][-25:]))
print("\n== skipped, and why")
for n in kinds["skipped"]:
    print("%s: %s" % (names[n], (reasons(n) or said[n][-1:] or ["(said nothing)"])[0][:200]))
print("\n== skipped in part")
for n in kinds["passed"]:
    for l in [l for l in said[n] if l.startswith("skipped")][:2]:
        print("%s: %s" % (names[n], l[:200]))
print("\n== the longest: " + ", ".join("%s %.0f s" % (names[n], ended[n][1]) for n in
                                      sorted((n for n in names if n in ended), key=lambda n: -ended[n][1])[:8]))
if kinds["not run"]:
    print("\n== not run: " + ", ".join(names[n] for n in kinds["not run"]))
print("\n== of %d tests %d ran, %d passed, %d failed, %d were skipped, %d did not run" % (
    len(names), len(names) - len(kinds["skipped"]) - len(kinds["not run"]), len(kinds["passed"]), len(kinds["failed"]),
    len(kinds["skipped"]), len(kinds["not run"])))
print("failed: " + " ".join(names[n] for n in kinds["failed"]))
sys.exit(1 if kinds["failed"] or kinds["not run"] else 0)
EOF
