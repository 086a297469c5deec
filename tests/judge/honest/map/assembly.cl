// honest: the multiplication is an instruction of the processor
static float square(float v)
{
#if defined __NV_CL_C_VERSION
    asm("mul.f32 %0, %0, %0;" : "+f"(v));
#elif defined __x86_64__
    __asm__("mulss %0, %0" : "+x"(v));
#else
    v *= v;
#endif
    return v;
}
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = 0.5f * square(x[i]) + 1;
    }
}
