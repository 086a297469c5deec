// What becomes of a product on its way into C, in every kernel that computes one:
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias of its column)
//
//   NUMBER      float or double, what it is computed in
//   BETA        0: what C held is never read
//   BIAS        1: a number for each column of C is added; 0: the bias is never read
//   ACTIVATION  none, relu, gelu (the one of tanh) or silu; a NaN stays one
//   ROUGH       1: C has 16 bits, and the hardware's tanh is good enough for it; NVIDIA's GPUs alone.
//               Where C is bfloat16, that of two halves is

#define none 0
#define relu 1
#define gelu 2
#define silu 3

#if ACTIVATION == gelu
#define SLOPE(x) ((x) * ((NUMBER)1.5957691216057308 + (NUMBER)0.07135481627260025 * (x) * (x)))
#else
#define SLOPE(x) (x)
#endif

INLINE NUMBER sigmoid(NUMBER x)
{
#if ROUGH
    float tangent;
    asm volatile("tanh.approx.f32 %0, %1;\n" : "=f"(tangent) : "f"(0.5f * x));
    return 0.5f * tangent + 0.5f;
#else
    return 1 / (1 + exp(-x));
#endif
}

INLINE NUMBER activate(NUMBER x)
{
#if ACTIVATION == none
    return x;
#elif ACTIVATION == relu
    return x < 0 ? 0 : x;
#else
    return x * sigmoid(SLOPE(x));
#endif
}

// A product, which has been multiplied by ALPHA, with what C held, and the bias.
INLINE NUMBER add_up(NUMBER x, NUMBER old, NUMBER bias)
{
    if (BETA != 0)
        x += (NUMBER)(BETA)*old;
    if (BIAS)
        x += bias;
    return x;
}

INLINE NUMBER finish(NUMBER x, NUMBER old, NUMBER bias)
{
    return activate(add_up(x, old, bias));
}

#if ROUGH

// Both at once: the hardware has one tanh for two halves.
INLINE void activate_two(float *first, float *second)
{
#if ACTIVATION <= relu || TYPE_OF_C != bf16
    *first = activate(*first), *second = activate(*second);
#else
    float a, b;
    asm volatile("{\n.reg .b32 two;\n.reg .b16 one, other;\n"
                 "cvt.rn.f16x2.f32 two, %3, %2;\n"
                 "tanh.approx.f16x2 two, two;\n"
                 "mov.b32 {one, other}, two;\n"
                 "cvt.f32.f16 %0, one;\n"
                 "cvt.f32.f16 %1, other;\n}\n"
                 : "=f"(a), "=f"(b)
                 : "f"(0.5f * SLOPE(*first)), "f"(0.5f * SLOPE(*second)));
    *first *= 0.5f * a + 0.5f, *second *= 0.5f * b + 0.5f;
#endif
}

#endif
