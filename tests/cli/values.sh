#!/bin/bash
# values.sh HONE SCRATCH: what a spec can say as a value, and what it expects of integers, in OpenCL. 77: no device.
set -u
hone=$1 scratch=$2 failures=0
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
export XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data" HONE_LOCKS="$scratch"
"$hone" devices --json 2>/dev/null | grep -q '"opencl"' || exit 77
# expect STATUS PATTERN COMMAND...: the exit status, and what both outputs together contain.
expect() {
    local status=$1 pattern=$2 is=0
    shift 2
    "$@" >out 2>&1 || is=$?
    if [ "$is" != "$status" ] || ! grep -qE -- "$pattern" out; then
        cat out
        echo "FAILED: status $is, not $status, or no '$pattern': $*" >&2
        failures=$((failures + 1))
    fi
}
check() { # STATUS PATTERN NAME ...
    local status=$1 pattern=$2 name=$3
    shift 3
    expect "$status" "$pattern" "$hone" check "$name.json" --language opencl --no-store "$@"
}
spec() { # NAME ARGUMENTS: of NAME.cl
    cat >"$1.json" <<END
{"kernel": "$1.cl", "constants": {"count": 1024, "FAULT": 0}, "parameters": {"GROUP": [32]},
 "global": ["count"], "local": ["GROUP"], "arguments": {$2, "count": "count"}}
END
}

# ---- unsigned integers: 64 bits of them, and sums that wrap ---------------------------------------
cat >fnv.cl <<'END'
__kernel void fnv(__global ulong *out, __global const uint *key, ulong start, int count)
{
    int i = get_global_id(0);
    ulong h = start;
    for (int b = 0; b < 32; b += 8)
        h = (h ^ (key[i] >> b & 255)) * 1099511628211UL;
    out[i] = h + FAULT;
}
END
key='"key": {"size": "count", "fill": {"random": [0, 4294967295]}}'
lines='["h = start", "for b in range(0, 32, 8): h = (h ^ key[i] >> b & 255) * 1099511628211 % 2**64", "h"]'
for start in 14695981039346656037 '"0xcbf29ce484222325"' 0xcbf29ce484222325 '"14695981039346656037"'; do
    spec fnv "\"out\": {\"size\": \"count\", \"expect\": $lines}, $key, \"start\": $start"
    check 0 'OK: 1 configuration is correct' fnv
done
check 1 'correctness' fnv --set FAULT=1
spec fnv "\"out\": {\"size\": \"count\", \"expect\": $lines}, $key, \"start\": 18446744073709551616"
check 2 'too big integer' fnv
# As a constant it is the compiler's, too.
cat >seed.cl <<'END'
__kernel void seed(__global ulong *out, int count)
{
    out[get_global_id(0)] = SEED ^ get_global_id(0);
}
END
spec seed '"out": {"size": "count", "expect": "SEED ^ i"}'
sed -i 's/"FAULT": 0/"SEED": 0xfedcba9876543210/' seed.json
check 0 'OK: 1 configuration is correct' seed
expect 0 '"SEED":18364758544493064720' "$hone" check seed.json --language opencl --no-store --format json

cat >mix.cl <<'END'
__kernel void mix_bits(__global uint *out, __global const uint *key, int count)
{
    int i = get_global_id(0);
    out[i] = key[i] * 2654435761u - 7 + FAULT;
}
END
spec mix "\"out\": {\"size\": \"count\", \"expect\": \"key[i] * 2654435761 - 7\"}, $key"
check 0 'OK: 1 configuration is correct' mix
check 1 'correctness' mix --set FAULT=1

# ---- hashes and random numbers, as they are published --------------------------------------------
cat >crc.cl <<'END'
__kernel void crc(__global uint *out, __global const uint *key, int count)
{
    int i = get_global_id(0);
    uint c = ~key[i];
    for (int k = 0; k < 32; k++)
        c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    out[i] = ~c;
}
END
spec crc "\"out\": {\"size\": \"count\", \"expect\": [
  \"c = key[i] ^ 0xffffffff\",
  \"for k in range(32): c = c >> 1 ^ (0xedb88320 if c & 1 else 0)\",
  \"~c\"]}, $key"
check 0 'OK: 1 configuration is correct' crc

cat >xxhash.cl <<'END'
ulong left(ulong x, int by) { return rotate(x, (ulong)by); }
__kernel void xxhash64(__global ulong *out, __global const ulong *key, ulong start, int count)
{
    const ulong P1 = 11400714785074694791UL, P2 = 14029467366897019727UL, P3 = 1609587929392839161UL,
                P4 = 9650029242287828579UL, P5 = 2870177450012600261UL;
    int i = get_global_id(0);
    ulong h = start + P5 + 8;
    h = left(h ^ left(key[i] * P2, 31) * P1, 27) * P1 + P4;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    out[i] = h ^ h >> 32;
}
END
spec xxhash '"out": {"size": "count", "expect": [
  "k = key[i] * 14029467366897019727 % 2**64",
  "h = (start + 2870177450012600261 + 8 ^ (k << 31 | k >> 33) * 11400714785074694791) % 2**64",
  "h = ((h << 27 | h >> 37) * 11400714785074694791 + 9650029242287828579) % 2**64",
  "h = (h ^ h >> 33) * 14029467366897019727 % 2**64; h = (h ^ h >> 29) * 1609587929392839161 % 2**64",
  "h ^ h >> 32"]}, "key": {"size": "count", "fill": {"random": [0, 9007199254740991]}}, "start": "2**63"'
check 2 'integer overflow' xxhash
sed -i 's/"2\*\*63"/9223372036854775809/' xxhash.json
check 0 'OK: 1 configuration is correct' xxhash

cat >philox.cl <<'END'
__kernel void philox(__global uint4 *out, uint seed, int count)
{
    uint4 c = (uint4)(get_global_id(0), 0, 0, 0);
    uint2 k = (uint2)(seed, 0);
    for (int r = 0; r < 10; r++) {
        uint ph = mul_hi(0xd2511f53u, c.x), pl = 0xd2511f53u * c.x;
        uint qh = mul_hi(0xcd9e8d57u, c.z), ql = 0xcd9e8d57u * c.z;
        c = (uint4)(qh ^ c.y ^ k.x, ql, ph ^ c.w ^ k.y, pl);
        k += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    out[get_global_id(0)] = c;
}
END
spec philox '"out": {"size": "count", "expect": [
  "a, b, c, d, k, l = i // 4, 0, 0, 0, seed, 0",
  "for r in range(10):",
  "    p, q = 0xd2511f53 * a, 0xcd9e8d57 * c",
  "    a, b, c, d = q >> 32 ^ b ^ k, q % 2**32, p >> 32 ^ d ^ l, p % 2**32",
  "    k, l = (k + 0x9e3779b9) % 2**32, (l + 0xbb67ae85) % 2**32",
  "a if i % 4 == 0 else b if i % 4 == 1 else c if i % 4 == 2 else d"]}, "seed": 4000000000'
check 0 'OK: 1 configuration is correct' philox

# Of a key of four bytes: the words of its digest.
cat >md5.cl <<'END'
__constant uint table[64] = {TABLE};
__constant uint turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
__kernel void md5(__global uint4 *out, __global const uint *key, int count)
{
    uint w[16] = {key[get_global_id(0)], 128}, a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    w[14] = 32;
    for (int k = 0; k < 64; k++) {
        uint f = k < 16 ? (b & c) | (~b & d) : k < 32 ? (d & b) | (~d & c) : k < 48 ? b ^ c ^ d : c ^ (b | ~d);
        int g = (k < 16 ? k : k < 32 ? 5 * k + 1 : k < 48 ? 3 * k + 5 : 7 * k) % 16;
        uint t = a + f + table[k] + w[g];
        a = d, d = c, c = b;
        b += rotate(t, turns[k / 16 * 4 + k % 4]);
    }
    out[get_global_id(0)] = (uint4)(a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476);
}
END
awk 'BEGIN { for (k = 1; k <= 64; k++) { s = sin(k); printf "%s%.0fu", (k > 1 ? "," : ""), int((s < 0 ? -s : s) * 4294967296) } }' >table
sed -i "s/{TABLE}/{$(cat table)}/" md5.cl
spec md5 "\"out\": {\"size\": \"count\", \"expect\": [
  \"a, b, c, d = 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476\",
  \"for k in range(64):\",
  \"    f = (b & c | ~b & d) if k < 16 else (d & b | ~d & c) if k < 32 else b ^ c ^ d if k < 48 else c ^ (b | ~d)\",
  \"    g = (k if k < 16 else 5 * k + 1 if k < 32 else 3 * k + 5 if k < 48 else 7 * k) % 16\",
  \"    t = (a + f + int(abs(sin(k + 1)) * 2**32) + (key[i // 4] if g == 0 else 128 if g == 1 else 32 if g == 14 else 0)) % 2**32\",
  \"    s = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21][k // 16 * 4 + k % 4]\",
  \"    a, b, c, d = d, (b + (t << s | t >> 32 - s)) % 2**32, b, c\",
  \"a + 0x67452301 if i % 4 == 0 else b + 0xefcdab89 if i % 4 == 1 else c + 0x98badcfe if i % 4 == 2 else d + 0x10325476\"]}, $key"
check 0 'OK: 1 configuration is correct' md5
sed -i 's/< 48 else c ^ (b/< 48 else b ^ (b/' md5.json
check 1 'correctness' md5

# ---- null, vectors and structs by value ----------------------------------------------------------
cat >bias.cl <<'END'
__kernel void add_bias(__global float *out, __global const float *a, __global const float *bias, int count)
{
    int i = get_global_id(0);
    out[i] = a[i] + (bias ? bias[i] : (float)FAULT);
}
END
spec bias '"out": {"size": "count", "expect": "a[i]"}, "a": {"size": "count"}, "bias": null'
check 0 'OK: 1 configuration is correct' bias
check 1 'correctness' bias --set FAULT=1
expect 0 '"MemoryType": "Null"' "$hone" convert bias.json --to t1
"$hone" convert bias.json --to t1 >bias_long.json 2>/dev/null
check 0 'OK: 1 configuration is correct' bias_long
spec bias '"out": {"size": "count"}, "a": null, "bias": {"size": "count"}'
sed -i 's/"count": "count"/"count": null/' bias.json
check 2 'arguments.count: kernel .add_bias. .*null is for pointers' bias

cat >tint.cl <<'END'
__kernel void tint(__global float4 *image, float4 gain, int2 from, uchar3 add, int count)
{
    int i = get_global_id(0) + from.y;
    if (i < count)
        image[i] = gain + convert_float4((uchar4)(add, (uchar)FAULT));
}
END
image='"image": {"size": "count", "access": "readwrite", "fill": 0, "expect": "[4, 6.5, 9.25, 1][i % 4]"}'
spec tint "$image, \"gain\": [1, 0.5, \"1 / 4\", 1], \"from\": \"[7, 0]\", \"add\": [3, 6, 9]"
check 0 'OK: 1 configuration is correct' tint
check 1 'correctness' tint --set FAULT=1
spec tint "$image, \"gain\": [1, 0.5, 0.25], \"from\": [0, 0], \"add\": [3, 6, 9]"
check 2 'arguments.gain: \[1, 0.5, 0.25\] is not a value of float4: a list of 4 is wanted' tint

cat >shape.cl <<'END'
typedef struct { float2 at; char kind; } Point;
typedef struct { int rows, cols; float gain; Point from[2]; double3 scale; ulong seed; } Shape;
__kernel void shape(__global double *out, Shape s, int count)
{
    double v[] = {s.rows, s.cols, s.gain, s.from[0].at.x, s.from[0].at.y, s.from[0].kind, s.from[1].at.x, s.from[1].at.y,
                  s.from[1].kind, s.scale.x, s.scale.y, s.scale.z, (double)(s.seed >> 40), sizeof(Shape) + FAULT};
    int i = get_global_id(0);
    out[i] = v[i % 14];
}
END
right='[64, 32, 1.5, 7, 8, -3, 9, 10, 4, 0.1, 0.2, 0.3, 16777215, 128]'
members='"rows": 64, "cols": "rows_of // 2", "gain": 1.5, "from": [[[7, 8], -3], {"at": [9, 10], "kind": 4}], "scale": [0.1, 0.2, 0.3]'
spec shape "\"out\": {\"size\": \"count\", \"expect\": \"$right[i % 14]\"}, \"s\": {\"value\": {$members, \"seed\": 18446744073709551615}}"
sed -i 's/"FAULT": 0/"FAULT": 0, "rows_of": 64/' shape.json
check 0 'OK: 1 configuration is correct' shape
check 1 'correctness' shape --set FAULT=1
"$hone" convert shape.json --to t1 >shape_long.json 2>/dev/null
check 0 'OK: 1 configuration is correct' shape_long
sed 's/"gain"/"gains"/' shape.json >other.json
check 2 "arguments.s.*gains: the struct has no member 'gains'; did you mean 'gain'" other
sed 's/"kind": 4/"kind": 400/' shape.json >other.json
check 2 '400 is not a value of type int8' other
sed 's/, "seed": [0-9]*//' shape.json >other.json
check 2 'seed: is missing: a member of the struct' other

# ---- options that hang on the configuration ------------------------------------------------------
cat >fast.cl <<'END'
__kernel void fast(__global float *out, int count)
{
#ifdef __FAST_RELAXED_MATH__
    out[get_global_id(0)] = 1;
#else
    out[get_global_id(0)] = 2;
#endif
}
END
cat >fast.json <<'END'
{"kernel": "fast.cl", "constants": {"count": 1024, "RIGHT": 1},
 "parameters": {"FAST": [0, 1], "LEVEL": ["", "-cl-mad-enable"]},
 "options": ["{'-cl-fast-relaxed-math' if FAST else ''}", "{LEVEL}", "-cl-std=CL{1 + 0}.2"],
 "global": ["count"], "local": [32], "arguments": {"out": {"size": "count", "expect": "RIGHT"}, "count": "count"}}
END
check 1 '2 correct' fast
check 0 'OK: 1 configuration is correct' fast --config FAST=1,LEVEL=
check 0 'OK: 1 configuration is correct' fast --config FAST=0,LEVEL= --set RIGHT=2
check 1 'correctness' fast --config FAST=1,LEVEL=-cl-mad-enable --set RIGHT=2
sed 's/{LEVEL}/{LEVELS}/' fast.json >other.json
check 2 "options: '.LEVELS.': in braces: column 1: unknown name 'LEVELS'; did you mean 'LEVEL'" other
sed 's/{LEVEL}/{LEVEL/' fast.json >other.json
check 2 'a brace is not closed' other
sed 's/"{LEVEL}"/"-I{LEVEL}"/' fast.json >other.json
check 2 'files are the same for all configurations' other
sed 's/"-cl-mad-enable"/"-DX=1"/' fast.json >other.json
check 1 "gives '-DX=1': it defines a macro" other
sed 's/"-cl-mad-enable"/"-cl-a -cl-b"/' fast.json >other.json
check 1 "it has a blank; each option is a word of its own" other
sed 's/"{LEVEL}"/"-DINIT={1,2}"/' fast.json >other.json # braces of C
check 1 '2 correct' other

# The tuned options are what an application is told.
"$hone" tune fast.json --language opencl --store fast.db --unranked >/dev/null 2>&1
expect 0 'cl-std=CL1.2' "$hone" deploy fast.json --language opencl --store fast.db --format json
grep -q '[{]LEVEL' out && {
    echo "FAILED: a table has an option's text, not its value" >&2
    failures=$((failures + 1))
}

[ $failures -eq 0 ] || echo "$failures failed"
exit $((failures > 0))
