#!/bin/bash
# audit.sh HONE ROOT [NAME...]: hone check --audit finds no wrong result that passes the specs of kernels_cl and its gallery (or
# those of these names), finds those that pass a tolerance too wide, and makes mutants of kernels.
set -u
hone=$1 root=$2
shift 2
place=$(mktemp -d) status=0
trap 'rm -rf "$place"' EXIT
export HONE_LOCKS=$place
"$hone" devices >/dev/null 2>&1 || exit 77

audit() { # spec -> what is said; the exit status is the check's
    "$hone" check "$1" --audit --sample 1 --seed 3 --no-store 2>&1
}

for spec in "$root"/kernels_cl/*.json "$root"/kernels_cl/examples/*.json; do
    name=$(basename "$spec" .json)
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    said=$(audit "$spec") && echo "$name: every mutant is refused" && continue
    echo "$name: $said"
    status=1
done

echo 'kernel void f(global float *y, global const float *x) { size_t i = get_global_id(0); y[i] = 2 * x[i]; }' >"$place/f.cl"
expects() { # "verification" "words that must be said"
    cat >"$place/f.json" <<END
{"kernel": "f.cl", "function": "f", "constants": {"N": 4096}, "parameters": {"B": [64]}, "global": ["N"], "local": ["B"],
 "arguments": {"y": {"access": "write", "size": "N", "type": "float", "expect": "2 * x[i]", "verify": $1},
               "x": {"access": "read", "size": "N", "type": "float"}}}
END
    said=$(audit "$place/f.json")
    [[ $? -ne 0 && $said == *"cannot tell a right result from"*"$2"* ]] && echo "$1: $2" && return
    echo "$1: '$2' is not said: $said"
    status=1
}
expects '{"method": "absolute", "atol": 0.001}' 'values rounded to half precision'
expects '{"method": "absolute", "atol": 1.5}' 'values halved'
expects '{"method": "absolute", "atol": 2.5}' 'zeros, one element that is 0, the last row missing, one tile missing'
expects '{"method": "absolute", "atol": 2.5}' 'a copy of x'

# Mutants of a kernel: a barrier that it needs, and two bounds, of which one does nothing at this size.
cat >"$place/f.cl" <<END
kernel void f(global float *y, global const float *x)
{
    local float tile[64];
    size_t i = get_global_id(0), l = get_local_id(0);
    tile[l] = x[i - l + 63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < N)
        y[i] = 2 * tile[63 - l];
}
END
sed -i 's/, "verify": {[^}]*}//' "$place/f.json"
said=$(audit "$place/f.json")
if [[ $? -eq 0 && $said == *"Mutants of the kernel: 2 of 3 refused"*"  <= for <: if (i < N)"* ]]; then
    echo "mutants of a kernel: two refused, one told"
else
    echo "mutants of a kernel: $said"
    status=1
fi
exit $status
