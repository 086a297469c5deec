#!/bin/bash
# The walk of somebody new, minute by minute: from nothing to a first tuned kernel, then with a kernel of one's own to a tuned
# one, into a C++ program, and to a gate that fails when it becomes slower. Each step is timed, and must end well.
#
#   tests/bench/walk.sh                 README's commands on a clean clone of this repository's HEAD, in an empty folder
#   tests/bench/walk.sh WHEEL.whl       the same with a wheel (cmake/wheel.sh) in an empty virtual environment
#   tests/bench/walk.sh BUILD           from `hone devices` on, with a hone that is built already
#
# FIRST=SECONDS: fails where a first tuned kernel from a wheel takes longer; 90 is what an idle machine is to keep.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
given=${1:+$(realpath "$1")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" HONE_LOCKS="$work/locks" # nothing that this machine's user has: no store, nothing compiled
unset XDG_DATA_HOME XDG_CACHE_HOME HONE_DEVICE HONE_WORKER HONE_TEST_DATA || :
mkdir "$work/locks" "$work/empty"
cd "$work/empty"
began=$(date +%s.%N)
step() { # what, command...
    what=$1 then=$(date +%s.%N)
    shift
    "$@" >"$work/said" 2>&1 || {
        tail -n 20 "$work/said"
        echo "failed: $what"
        exit 1
    }
    awk -v what="$what" -v a="$began" -v b="$then" -v c="$(date +%s.%N)" -v passed="$work/passed" 'BEGIN {
        printf "%2d:%04.1f  %6.1f s  %s\n", (c - a) / 60, (c - a) % 60, c - b, what
        print c - a >passed
    }'
}
said() { # pattern
    grep -Eq "$1" "$work/said" || {
        cat "$work/said"
        echo "failed: there is no '$1'"
        exit 1
    }
}
echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
echo "  end     took  step"
if [ -d "$given" ]; then
    export PATH="$given:$PATH"
elif [ -n "$given" ]; then
    step 'python3 -m venv env' python3 -m venv env
    step 'pip install WHEEL' env/bin/pip install -q --no-index --disable-pip-version-check "$given"
    export PATH="$work/empty/env/bin:$PATH"
    kernels=$(python3 -c 'import hone, pathlib; print(pathlib.Path(hone.__file__).parent / "native/share/hone")')
    step 'hone tune kernels_cl/examples/saxpy.json' hone tune "$kernels/kernels_cl/examples/saxpy.json"
    said 'correct configurations .verified'
    awk -v first="${FIRST:-1e9}" '$1 > first { print "failed: that is more than " first " s"; exit 1 }' "$work/passed"
else
    step 'git clone' git clone -q "$root" hone
    cd hone
    step 'cmake/demo.sh' env -u CMAKE_C_COMPILER_LAUNCHER cmake/demo.sh
    said '^Best: '
    export PATH="$PWD/build:$PATH"
    mkdir ../own && cd ../own
fi
step 'hone devices' hone devices

cat >jacobi.cl <<'E'
// A Jacobi sweep in a box: inner points become the mean of their six neighbours, less what drives them; the border stays.
#ifndef DEPTH
#define DEPTH 1 // points below each other that a work-item computes
#endif
#ifndef REUSE
#define REUSE 0 // keeps the points above and below in registers
#endif
__kernel void jacobi(__global float *next, __global const float *now, __global const float *f, const int nx, const int ny,
                     const int nz, const float h2)
{
    const int x = get_global_id(0), y = get_global_id(1), first = get_group_id(2) * DEPTH, plane = nx * ny;
    if (x >= nx || y >= ny)
        return;
#if REUSE
    float below = first > 0 ? now[(first - 1) * plane + y * nx + x] : 0, here = now[first * plane + y * nx + x];
#endif
    for (int z = first; z < first + DEPTH && z < nz; z++) {
        const int at = z * plane + y * nx + x;
        const float above = z + 1 < nz ? now[at + plane] : 0;
#if !REUSE
        const float below = z > 0 ? now[at - plane] : 0, here = now[at];
#endif
        if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
            next[at] = here;
        else
            next[at] = (now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] + below + above - h2 * f[at]) / 6;
#if REUSE
        below = here;
        here = above;
#endif
    }
}
E
step 'hone init jacobi.cl' hone init jacobi.cl --set nx=64 --set ny=64 --set nz=64
said 'what is right'
sed -i 's|"next": {|&\n      "expect": ["x, y, z = i % nx, i // nx % ny, i // (nx * ny)",\
                 "inner = 0 < x < nx - 1 and 0 < y < ny - 1 and 0 < z < nz - 1",\
                 "(now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] + now[i - nx * ny] + now[i + nx * ny] - h2 * f[i]) / 6 if inner else now[i]"],\n      |' jacobi.json
step 'hone check jacobi.json' hone check jacobi.json --sample 8
said 'OK: 8 configurations are correct'
step 'hone tune jacobi.json' hone tune jacobi.json --budget 60s
said '^Best: '
grep -E '^(Best|Speed-up|Tied)' "$work/said" | sed 's/^/          | /'
step 'hone report' hone report jacobi.json -o jacobi.html
step 'hone deploy --known --with source' hone deploy jacobi.json --known --with source -o jacobi_deployed.h

cat >jacobi.cpp <<'E'
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "jacobi_deployed.h"
#include <CL/cl.h>
#include <cmath>
#include <cstdio>
#include <vector>

int main()
{
    const int n = 64;
    const float h2 = 0.5f;
    std::vector<float> now(n * n * n), next(now.size()), f(now.size(), 1);
    for (size_t i = 0; i < now.size(); i++)
        now[i] = i % 7;
    cl_platform_id platform;
    cl_device_id device;
    char name[256], options[4096], why[300];
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr);
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
    const jacobi_handle handle = jacobi_device(name);
    const jacobi_configuration *best = jacobi_best_on(&handle, n, n, n);
    hone_deployed_launch launch;
    jacobi_why_on(&handle, n, n, n, why, sizeof why);
    if (!best || !jacobi_options(&handle, best, n, n, n, options, sizeof options) ||
        jacobi_launch(&handle, best, 0, n, n, n, &launch) != 1)
        return 1;
    const char **parts = const_cast<const char **>(jacobi_source_parts);
    cl_program program = clCreateProgramWithSource(context, jacobi_SOURCE_PARTS, parts, nullptr, nullptr);
    clBuildProgram(program, 1, &device, options, nullptr, nullptr);
    cl_kernel kernel = clCreateKernel(program, launch.kernel, nullptr);
    const size_t bytes = sizeof(float) * now.size();
    cl_mem buffers[] = {clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, nullptr, nullptr),
                        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, now.data(), nullptr),
                        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, f.data(), nullptr)};
    for (int i = 0; i < 3; i++)
        clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]);
    for (int i = 3; i < 6; i++)
        clSetKernelArg(kernel, i, sizeof n, &n);
    clSetKernelArg(kernel, 6, sizeof h2, &h2);
    clEnqueueNDRangeKernel(queue, kernel, launch.dimensions, nullptr, launch.global, launch.has_local ? launch.local : nullptr, 0,
                           nullptr, nullptr);
    clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, bytes, next.data(), 0, nullptr, nullptr);
    const int at = (30 * n + 20) * n + 10;
    const float right = (now[at - 1] + now[at + 1] + now[at - n] + now[at + n] + now[at - n * n] + now[at + n * n] - h2) / 6;
    std::printf("%s (%s): %g, %g is right\n", best->text, why, next[at], right);
    return std::fabs(next[at] - right) > 1e-4f || next[0] != now[0];
}
E
step 'c++, and the program' sh -c 'c++ -std=c++11 -Wall -Wextra -Werror jacobi.cpp -o jacobi -lOpenCL && ./jacobi'
said 'measured here'
step 'hone bench -o base.json' hone bench jacobi.json -o base.json
step 'hone bench --baseline base.json' hone bench jacobi.json --baseline base.json --within 50%
# A change that is right, and slow.
sed -i 's|^            next\[at\] = (|            for (volatile int again = 0; again < 50; again++)\n    &|' jacobi.cl
refuses() {
    status=0
    hone bench jacobi.json --baseline base.json --within 50% || status=$?
    [ $status = 1 ]
}
step 'the same, of a slower kernel: status 1' refuses
