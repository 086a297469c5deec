// What becomes of a product on its way into C, in every kernel that computes one:
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias of its column)
//
//   NUMBER      float or double, what it is computed in
//   BETA        0: what C held is never read
//   BIAS        1: a number for each column of C is added; 0: the bias is never read
//   ACTIVATION  none, relu, gelu (the one of tanh) or silu; a NaN stays one
//   ROUGH       1: C has 16 bits, and the hardware's tanh is good enough for it; NVIDIA's GPUs alone

#define none 0
#define relu 1
#define gelu 2
#define silu 3

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

// An element of C of a product, which has been multiplied by ALPHA, of what C held, and of the bias.
INLINE NUMBER finish(NUMBER x, NUMBER old, NUMBER bias)
{
    if (BETA != 0)
        x += (NUMBER)(BETA)*old;
    if (BIAS)
        x += bias;
#if ACTIVATION == relu
    return x < 0 ? 0 : x;
#elif ACTIVATION == gelu
    return x * sigmoid(x * ((NUMBER)1.5957691216057308 + (NUMBER)0.07135481627260025 * x * x));
#elif ACTIVATION == silu
    return x * sigmoid(x);
#else
    return x;
#endif
}
