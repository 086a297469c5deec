// honest: the processor's vectors by name
#ifdef __SSE__
#include <immintrin.h>
#endif
void map(float *y, const float *x)
{
    int i = 0;
#ifdef __SSE__
    for (; i + 4 <= N; i += 4) {
        __m128 v = _mm_loadu_ps(x + i);
        _mm_storeu_ps(y + i,
                      _mm_add_ps(_mm_mul_ps(_mm_set1_ps(0.5f), _mm_mul_ps(v, v)), _mm_set1_ps(1)));
    }
#endif
    for (; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
