#!/bin/sh
# images_card.sh BUILD: images on an NVIDIA card, where no test of the suite can run: the gallery's blur as an image in OpenCL and as texture and
# surface objects in CUDA, formats and dimensions of textures, a sampler that interpolates, and kernels that are wrong and must be
# found. Prints a line for each, and ends with how many failed. About 40 seconds.
set -u
build=$(cd "${1:-build}" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
hone=$build/hone
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C HONE_LOCKS="$scratch" XDG_CACHE_HOME="$scratch/cache"
failed=0
expect() { # name, text, hone's words...
    name=$1 text=$2
    shift 2
    if timeout 40 "$hone" "$@" --no-store >"$scratch/out" 2>&1; grep -qF "$text" "$scratch/out"; then
        echo "ok     $name: $text"
    else
        echo "FAILED $name: no '$text' in"
        head -c 1500 "$scratch/out"
        failed=$((failed + 1))
    fi
}
blur=$source/kernels_cl/examples/blur.json
expect 'blur, CUDA' 'OK: 6 configurations are correct' check "$blur" --language cuda --sample 6
expect 'blur, OpenCL' 'OK: 6 configurations are correct' check "$blur" --language opencl --device NVIDIA --sample 6

cd "$scratch" || exit 1
cat >many.cu <<'E'
extern "C" __global__ void many(float *sums, cudaTextureObject_t bytes, cudaTextureObject_t volume, cudaTextureObject_t smooth,
                                cudaSurfaceObject_t out, cudaSurfaceObject_t cube, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    uchar4 p = tex2D<uchar4>(bytes, x, y);
    // Half way between two elements, in the middle of a row: coordinates are of elements' corners.
    sums[y * w + x] = tex3D<float>(volume, x, y, 1) + tex2D<float>(smooth, x + 1.0f, y + 0.5f);
    if (x + SHORT < w)
        surf2Dwrite<unsigned short>((unsigned short)(p.y + WRONG), out, x * 2, y);
    for (int z = 0; z < 3; z++)
        surf3Dwrite<float2>(make_float2(x, z), cube, x * 8, y, z);
}
E
cat >many.json <<'E'
{"kernel": "many.cu", "constants": {"w": 64, "h": 8}, "parameters": {"SHORT": [0, 1], "WRONG": [0, 1]}, "groups": ["w // 32", "h"],
 "local": [32],
 "arguments": {
   "bytes": {"image": ["w", "h"], "type": "uchar4", "fill": {"random": [0, 255]}},
   "volume": {"image": ["w", "h", 3], "type": "float"},
   "smooth": {"image": ["w", "h"], "type": "float", "sampler": "clamp_to_edge linear"},
   "sums": {"size": "w * h", "verify": {"atol": 1e-5},
            "expect": "volume[w * h + i] + 0.5 * (smooth[i] + smooth[min(i % w + 1, w - 1) + i // w * w])"},
   "out": {"image": ["w", "h"], "expect": "bytes[4 * i + 1]"},
   "cube": {"image": ["w", "h", 3], "type": "float2", "expect": "i // 2 % w if i % 2 == 0 else i // (2 * w * h)"},
   "w": "w"}}
E
expect 'formats, 3 dimensions, interpolation' 'OK: 1 configuration is correct' check many.json --where 'SHORT + WRONG == 0'
expect 'mutants of the outputs' 'OK: 1 configuration is correct' check many.json --where 'SHORT + WRONG == 0' --audit
expect 'a surface written in part' 'out: 8 elements unwritten' check many.json --where 'SHORT == 1 and WRONG == 0'
expect 'a surface written wrong' 'out: 512 components wrong' check many.json --where 'SHORT == 0 and WRONG == 1'
expect 'a texture too wide' 'image of 999999 x 8' check many.json --where 'SHORT + WRONG == 0' --set w=999999
for language in cuda opencl; do
    timeout 30 "$hone" tune "$blur" --language $language --device NVIDIA --no-store --budget 12s 2>&1 |
        grep -E '^Best|us \[|ms \[|GB/s|^Speed-up|correct config' | sed "s/^/$language: /"
done
echo "images: $failed failed"
[ $failed = 0 ]
