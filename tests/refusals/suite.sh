# The surroundings of the refusals: see ../support/cases.sh. STORE_FILE is the program of store_file.c.
# shellcheck shell=sh disable=SC2154
export kernels="$source/kernels_cl" # for cases with a kernel of these
export HONE_DEVICE='portable computing language' # every driver has its own words
device=$("$hone" devices 2>/dev/null | grep 'Portable Computing Language')

# Others that have the device, GPUs without a driver, devices (and how many, unless DEVICES is set), the times of a tune,
# this machine's folders and user.
plain() {
    sed -E \
        -e '/^[0-9]+\/[0-9]+( |$)/d; /^About .* for the /d; /^waiting: the device is in use /d; /^hone: warning: the device is in use by /d; /^hone: (NVIDIA|AMD|Intel)(.s CUDA| GPU) /d' \
        -e "s|$scratch|SCRATCH|g" \
        -e 's/^  .* \((cpu|gpu|integrated|accelerator), .*\), id .*$/  DEVICE/; s/(there|There) are:/\1 is:/' \
        -e 's/does not build: (error: )?([^ ]+:[0-9]+:[0-9]+:) (error: )?/does not build: \2 /' \
        -e 's/^Device: .*/Device: DEVICE/' \
        -e 's/belongs to [^ ]+/belongs to USER/; s/this is [^ ]+;/this is USER;/' \
        -e 's/([0-9]+ (d|h|min) )*[0-9.]+ (ns|us|ms|s|min|h)\>/TIME/g; s/ in TIME: .*/ in TIME/; s/(Samples \([^)]*\)): .*/\1: TIMES/' |
        if [ -n "${DEVICES-}" ]; then cat; else uniq; fi
}

need_device() {
    [ -n "$device" ] || skip "there is no device of PoCL"
}

# For cases that end before a kernel runs: the driver for tests, which has no compiler that takes its time to be loaded.
any_device() {
    [ -n "${FAKE_DRIVERS-}" ] || skip "the drivers for tests are not built"
    export LD_LIBRARY_PATH="$FAKE_DRIVERS${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" HONE_DEVICE=fake FAKE_CL_KIND=card FAKE_CUDA_CARDS=0 \
        FAKE_NVML_FAIL=all
}

# A file that is no store: see store_file.c.
make_store() {
    "$STORE_FILE" "$1" "$2" || exit 99
}

# Runs a command and tells whether `file` is what it was, and nothing new lies beside it.
unchanged() {
    file=$1
    shift
    before=$(cksum "$file"; ls -A "$(dirname "$file")")
    "$@"
    after=$(cksum "$file"; ls -A "$(dirname "$file")")
    [ "$before" = "$after" ] && echo "$file: as it was" || echo "$file: CHANGED"
}
