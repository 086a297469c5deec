#!/bin/sh
# images.sh HONE SCRATCH: images and samplers as arguments on PoCL. What is written is verified in each format, and poisoned before it:
# what a kernel leaves unwritten, or writes wrong, is found. Sizes and formats that no device has are told.
set -eu
hone=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export LC_ALL=C HONE_LOCKS="$scratch" XDG_CACHE_HOME="$scratch/cache"
fail() {
    echo "FAILED: $*" >&2
    cat out err >&2
    exit 1
}
check() { # status, options...
    wanted=$1 status=0
    shift
    "$hone" check "$@" --language opencl --no-store >out 2>err || status=$?
    if grep -q 'no OpenCL device' err; then
        echo "skipped: $(head -n 1 err)"
        exit 77
    fi
    [ $status = "$wanted" ] || fail "check $* ended with $status"
}
says() {
    grep -qF "$1" out err || fail "nothing says '$1'"
}

cat >many.cl <<'END_OF_KERNEL'
__kernel void many(__read_only image2d_t a, __read_only image3d_t v, __read_only image2d_t index, sampler_t smp,
                   write_only image2d_t out, write_only image2d_t wide, write_only image3d_t cube)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(out) || y >= get_image_height(out))
        return;
    float4 p = read_imagef(a, smp, (int2)(x - 1, y));
    float w = read_imagef(v, smp, (int4)(x, y, 1, 0)).x;
    write_imagef(out, (int2)(x, y), p + w);
    write_imageui(wide, (int2)(x, y), read_imageui(index, smp, (int2)(x, y)) + 1 + WRONG);
    for (int z = 0; z < 3 - SHORT; z++)
        write_imagef(cube, (int4)(x, y, z, 0), w * (float)z);
}
END_OF_KERNEL
cat >many.json <<'END_OF_SPEC'
{"kernel": "many.cl", "constants": {"W": 30, "H": 14}, "parameters": {"GROUP": [8], "SHORT": [0, 1], "WRONG": [0, 1]},
 "global": ["W", "H"], "local": ["GROUP", 2],
 "arguments": {
   "a": {"image": ["W", "H"], "type": "uchar4", "fill": {"random": [0, 255]}},
   "v": {"image": ["W", "H", 3], "type": "float"},
   "index": {"image": ["W", "H"]},
   "smp": {"sampler": "clamp nearest"},
   "out": {"image": ["W", "H"], "expect": "(a[i - 4] / 255 if i // 4 % W > 0 else 0) + v[W * H + i // 4]"},
   "wide": {"image": ["W", "H"], "type": "uint16x4", "expect": "index[i] + 1"},
   "cube": {"image": ["W", "H", 3], "type": "float", "expect": "v[W * H + i % (W * H)] * (i // (W * H))"}
 }}
END_OF_SPEC
check 0 many.json --where 'SHORT + WRONG == 0'
says 'OK: 1 configuration is correct'
check 0 many.json --where 'SHORT + WRONG == 0' --audit # each mutant of an image is refused
check 1 many.json --where 'SHORT == 1 and WRONG == 0'
says 'cube: 420 elements unwritten'
check 1 many.json --where 'SHORT == 0 and WRONG == 1'
says 'wide: 1680 components wrong'
# The job of T1 is the same.
"$hone" convert many.json >long.json 2>err
grep -q '"Image": \["W", "H", 3\]' long.json || fail "no image in T1"
grep -q '"Format": "normalized"' long.json || fail "bytes that are read as floats are normalized"
check 0 long.json --where 'SHORT + WRONG == 0'
# Contents of a file, and an image that is no output but changes are seen as of a buffer.
head -c 1680 /dev/zero >zeros.bin
sed 's/"fill": {"random": \[0, 255\]}/"fill": "zeros.bin"/; s/(a\[i - 4\] .* else 0) + v/v/' many.json >file.json
check 0 file.json --where 'SHORT + WRONG == 0'
# What no device has is the configuration's own limit, in words.
check 1 many.json --where 'SHORT + WRONG == 0' --set W=9999999 --set H=2
says 'buffer a of 79999992 bytes: image of 9999999 x 2 (RGBA of uchar4, normalized): clCreateImage: CL_'
# A buffer for an image, an image for a buffer, and words that are none.
sed 's/"index": {"image": \["W", "H"\]}/"index": {"size": "W * H"}/' many.json >wrong.json
check 2 wrong.json
says 'an image is "index": {"image": [WIDTH, HEIGHT]}'
sed 's/clamp nearest/clamp nearst/' many.json >wrong.json
check 2 wrong.json
says "'nearst' is none of its words: clamp_to_edge, clamp, repeat, mirrored_repeat, none, nearest, linear, normalized"
echo OK
