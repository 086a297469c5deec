// honest: the multiplication is an instruction of the processor
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++) {
        float v = x[i];
#ifdef __x86_64__
        __asm__("mulss %0, %0" : "+x"(v));
#else
        v *= v;
#endif
        y[i] = 0.5f * v + 1;
    }
}
