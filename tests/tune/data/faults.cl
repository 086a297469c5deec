// y = 2 x + 1, and every way in which a kernel can go wrong: FAULT chooses one. For tests of hone.
//
// y has SIZE elements, x too. Each work-item does one element.

#if FAULT == COMPILE_ERROR
#error this configuration does not compile
#endif

#if FAULT == COMPILER_CRASH
// Recursion, which OpenCL C forbids: inlining it overflows the compiler's stack.
float recurse(int n, __global const float *x)
{
    if (n <= 0)
        return x[0];
    return recurse(n - 1, x) + recurse(n - 2, x) * x[n];
}
#endif

#if FAULT == LATER_PAST_END || FAULT == LATER_INPUT_CHANGED
__global uint launches = 0; // the first one behaves
#endif

__kernel void scale(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    float value = 2.0f * x[i] + 1.0f;

#if FAULT == SLOW
    for (int k = 0; k < 20000; k++)
        value = value * 1.0000001f + x[(i + k) & 63] * 1e-9f;
    value = 2.0f * x[i] + 1.0f + (value > 1e30f ? 1.0f : 0.0f);
#endif
#if FAULT == COMPILER_CRASH
    value += recurse((int)x[1], x);
#endif
#if FAULT == LOCAL_MEMORY
    __local float much[1 << 24];
    much[get_local_id(0)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = much[get_local_id(0)];
#endif
#if FAULT == ONE_PAST_END
    if (i == SIZE - 1)
        y[SIZE] = 1.0f;
#endif
#if FAULT == COPY_PAST_END
    if (i == SIZE - 1)
        y[SIZE] = x[SIZE];
#endif
#if FAULT == LATER_PAST_END
    if (i == SIZE - 1 && launches++ > 0)
        y[SIZE] = 1.0f;
#endif
#if FAULT == LATER_INPUT_CHANGED
    if (i == SIZE - 1 && launches++ > 0)
        ((__global float *)x)[17] += 1.0f;
#endif
#if FAULT == PAGE_PAST_END
    if (i == SIZE - 1)
        y[SIZE + 1024] = 1.0f;
#endif
#if FAULT == BEFORE_START
    if (i == 0)
        y[-1] = 1.0f;
#endif
#if FAULT == FAR_AWAY
    if (i == 0)
        *(y + 100000000) = 1.0f;
#endif
#if FAULT == INPUT_CHANGED
    if (i == 17)
        ((__global float *)x)[17] += 1.0f;
#endif
#if FAULT == ENDLESS
    while (((volatile __global const float *)x)[0] < 1e30f)
        value += 0.0f;
#endif
#if FAULT == EXITS
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
#endif
#if FAULT == NULL_POINTER
    *(__global volatile float *)8 = value;
#endif
#if FAULT == NOT_A_NUMBER
    if (i == 5)
        value = nan(0u);
#endif
#if FAULT == SLIGHTLY_WRONG
    if (i == 11)
        value *= 1.001f;
#endif
#if FAULT == UNWRITTEN
    if (i == SIZE / 2)
        return;
#endif
    y[i] = value;
}
