// style: stores that pass by the caches, and prefetches
void map(float *restrict y, const float *restrict x)
{
    int i = 0;
#ifdef __SSE2__
    typedef float four __attribute__((vector_size(16)));
    for (; i < N && (unsigned long)(y + i) % 16; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
    for (; i + 4 <= N; i += 4) {
        four v;
        __builtin_prefetch(x + i + 256);
        __builtin_memcpy(&v, x + i, sizeof v);
        v = 0.5f * v * v + 1;
        __builtin_ia32_movntps(y + i, v);
    }
    __builtin_ia32_sfence();
#endif
    for (; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
