#!/bin/sh
# Runs hone on further OpenCL implementations, each where its packages can be had: Oclgrind as a plain device, Intel's CPU
# runtime, and Mesa's rusticl. Called by test.sh, with the build folder. Nothing is registered with the system: each has a
# list of drivers of its own, and tests on PoCL do not see it.
#
# Each must list its device, check all kernels at their smallest sizes, and tune matmul_naive. What one of them cannot do is
# asserted to be so. One that cannot be installed is told as skipped.
. "$(dirname "$0")/setup.sh"
build=$(cd "${1:?the build folder}" && pwd)
folder=$build/others
mkdir -p "$folder"
failed=''

skip() {
    printf '    skipped: %s\n' "$*"
}

# NAME, and the text that the output of the command must have; what it printed is shown only when it has not.
expect() { # name, text, command...
    what=$1 text=$2
    shift 2
    "$@" >"$folder/out" 2>&1 || :
    if grep -qE "$text" "$folder/out"; then
        return
    fi
    printf '    %s: no "%s" in what this printed: %s\n' "$what" "$text" "$*"
    tail -n 25 "$folder/out"
    failed="$failed $name:$what"
}

hone() { # each implementation has caches and results of its own
    env OCL_ICD_FILENAMES= OCL_ICD_VENDORS="$folder/$name" XDG_CACHE_HOME="$folder/$name/cache" XDG_DATA_HOME="$folder/$name/data" \
        LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" RUSTICL_ENABLE=llvmpipe \
        GALLIUM_PIPE_SEARCH_DIR="$pipes" timeout 600 "$build/hone" "$@"
}

register() { # name, library
    name=$1
    rm -rf "${folder:?}/$name"
    mkdir -p "$folder/$name"
    echo "$2" >"$folder/$name/$name.icd"
    say "hone on $name"
}

# So many configurations of each kernel, at the smallest sizes.
all_kernels() { # count
    for spec in "$root"/kernels_cl/matmul_*.json; do
        kernel=${spec##*/matmul_}
        kernel=${kernel%.json}
        [ "$kernel" != "$left_out" ] || continue
        sizes=M,N,K
        grep -q '"WIDTH"' "$spec" && sizes=WIDTH
        expect "$kernel" "$all_right" hone check "$spec" --smallest "$sizes" --sample "$1"
    done
}

all_right='^OK: [0-9]+ configurations? (is|are) correct'
left_out=''
tune() {
    expect tune '^[0-9]+ correct configurations' hone tune "$root/kernels_cl/matmul_naive.json" --set WIDTH=64 \
        --budget 4 --rule rounds=8
}

# ---- Oclgrind, a simulator: slow, and right. More configurations are simulated by tests/kernels.

libraries='' pipes=''
oclgrind() {
    plugin=$(ls /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so 2>/dev/null | sed -n 1p)
    if [ -z "$plugin" ]; then
        say "hone on oclgrind"
        skip "oclgrind has no liboclgrind-rt-icd.so here (Debian, Ubuntu: apt install oclgrind)"
        return
    fi
    register oclgrind "$plugin"
    expect devices Oclgrind hone devices
    all_kernels 3
    tune
}

# ---- Intel's CPU runtime

# In a virtual environment of its own below the build folder.
intel() {
    venv=$folder/intel-packages
    if [ ! -e "$venv/lib/libintelocl.so" ]; then
        rm -rf "$venv"
        if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q intel-opencl-rt intel-cmplr-lib-rt; } >"$folder/out" 2>&1; then
            say "hone on intel"
            skip "intel-opencl-rt cannot be installed with pip: $(tail -n 1 "$folder/out")"
            rm -rf "$venv"
            return
        fi
    fi
    register intel "$venv/lib/libintelocl.so"
    expect devices 'Intel\(R\) OpenCL' hone devices
    all_kernels 6
    tune
    beside_pocl
}

# Two kinds of device in one tune: a result for each.
beside_pocl() {
    pocl=$(ls /etc/OpenCL/vendors/pocl*.icd 2>/dev/null | sed -n 1p)
    [ -n "$pocl" ] || return 0
    cp "$pocl" "$folder/$name"
    expect all '^results: 2$' tune_all
    rm "$folder/$name/${pocl##*/}"
}

tune_all() {
    hone tune "$root/kernels_cl/matmul_naive.json" --set WIDTH=64 --budget 4 --rule rounds=8 --device all >"$folder/all"
    cat "$folder/all"
    echo "results: $(grep -cE '^[0-9]+ correct configurations' "$folder/all")"
}

# ---- Mesa's rusticl on llvmpipe

# Mesa's package would register its drivers for everybody, so it is only unpacked. libclc's files are looked for in the
# system's folders, and register nothing.
unpack_mesa() {
    packages=$folder/mesa-packages
    [ ! -e "$packages/unpacked" ] || return 0
    rm -rf "$packages"
    mkdir -p "$packages/partial"
    (apt_install libclc-15 libllvmspirvlib15 || apt_install libclc-19) >/dev/null 2>&1 || :
    (as_root apt-get -y -o Dir::Cache::archives="$packages" --download-only --no-install-recommends install \
        mesa-opencl-icd) >"$folder/out" 2>&1 || return 1
    for package in "$packages"/*.deb; do
        dpkg-deb -x "$package" "$packages" || return 1
    done
    : >"$packages/unpacked"
}

# Its work-groups have 32 work-items at most, which few configurations at the smallest sizes have: of the others the
# driver's limit must be the reason. Its compiler takes a quarter of a minute for a configuration of matmul_vector, which is left
# out. It has no doubles. Its events all say the same time, which must be found, and the host's clock taken.
rusticl() {
    unpack_mesa || {
        say "hone on rusticl"
        skip "mesa-opencl-icd cannot be had: $(tail -n 1 "$folder/out")"
        return
    }
    library=$(find "$folder/mesa-packages/usr/lib" -name libRusticlOpenCL.so.1 | sed -n 1p)
    libraries=$(dirname "$library")
    pipes=$libraries/gallium-pipe
    register rusticl "$library"
    expect devices 'rusticl' hone devices
    all_right='^OK: [0-9]+ configurations? (is|are) correct|exceeds the (kernel.s limit on this device, 32|device.s 1024)|requires cl_khr_fp64'
    left_out=vector
    all_kernels 4
    expect clock 'Times are the host.s clock around batches of launches' hone tune "$root/kernels_cl/matmul_naive.json" \
        --set WIDTH=64 --fresh --where 'block_size_x * block_size_y <= 32'
    tune
}

oclgrind
intel
rusticl
[ -z "$failed" ] || {
    echo "hone: wrong on further implementations:$failed" >&2
    exit 1
}
