#!/bin/sh
# images.sh HONE LANGUAGE SCRATCH: what is between a buffer and its image, with drivers that are fakes: its contents are put into it, what a
# launch leaves is taken from it, in blocks of launches too, and errors of each call are told.
set -eu
hone=$1 language=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset HONE_WORKER HONE_DEVICE
export LC_ALL=C HOME="$scratch" XDG_DATA_HOME="$scratch/data" XDG_CACHE_HOME="$scratch/cache" HONE_LOCKS="$scratch"
fail() {
    echo "FAILED: $*"
    cat out err
    exit 1
}
cat >copy.cl <<'END_OF_KERNEL'
__kernel void copy(read_only image2d_t in, write_only image2d_t out, sampler_t smp)
{
    // fake:copy
    write_imagef(out, (int2)(get_global_id(0), 0), read_imagef(in, smp, (int2)(get_global_id(0), 0)));
}
END_OF_KERNEL
cat >copy.cu <<'END_OF_KERNEL'
extern "C" __global__ void copy(cudaTextureObject_t in, cudaSurfaceObject_t out)
{
    // fake:copy
    surf2Dwrite<float>(tex2D<float>(in, threadIdx.x, 0), out, threadIdx.x * 4, 0);
}
END_OF_KERNEL
cat >copy.json <<'END_OF_SPEC'
{"kernel": ["copy.cl", "copy.cu"], "constants": {"W": 64, "H": 2}, "parameters": {"GROUP": [32, 64]}, "global": ["W", "H"], "local": ["GROUP"],
 "arguments": {"in": {"image": ["W", "H"], "type": "float", "sampler": "clamp linear"},
               "out": {"image": ["W", "H"], "type": "float", "expect": "in[i]"}, "smp": {"sampler": "clamp linear"}}}
END_OF_SPEC
run() { # status, command...
    wanted=$1 status=0
    shift
    "$hone" "$@" --language "$language" --no-store >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "$* ended with $status, not $wanted"
}
says() {
    grep -qF "$1" out err || fail "nothing says '$1'"
}
run 0 check copy.json
says 'OK: 2 configurations are correct'
run 0 tune copy.json --iterations 5
says '2 correct configurations (verified against out[i] = in[i])'
run 1 check copy.json --set W=40000 --sample 1
says 'image of 40000 x 2'
# A launch that writes nothing leaves what the image was given before it: poison.
FAKE_CL_LIE=nothing FAKE_CUDA_LIE=nothing run 1 check copy.json --sample 1
says 'unwritten'
if [ "$language" = cuda ]; then
    calls='cuArray3DCreate:2 cuTexObjectCreate:2 cuSurfObjectCreate:999 cuMemcpy3DAsync:700'
else
    calls='clCreateImage:-10 clCreateSampler:-30 clEnqueueCopyBufferToImage:-5 clEnqueueCopyImageToBuffer:-5'
fi
for call in $calls; do
    status=0
    FAKE_CUDA_FAIL=$call FAKE_CL_FAIL=$call "$hone" check copy.json --sample 1 --language "$language" --no-store >out 2>err || status=$?
    [ $status != 0 ] || fail "$call is not seen"
    says "${call%%:*}"
done
echo OK
