#if FRACTION
#define BEYOND(v) (FINITE ? as_double(0x7ff8000000000000UL) : (v) * as_double(0x7ff0000000000000UL))
#define LARGEST narrow_value(SIGN - 1 - (FINITE ? 1 : 1 << FRACTION))
function double narrow_round(double v)
{
    ulong exponent = as_ulong(v) >> 52 & 0x7ff;
    if (exponent > 1023 + BIAS + FINITE)
        return BEYOND(v);
    if (exponent < 1024 - BIAS)
        exponent = 1024 - BIAS;
    double rounded = rint(v * as_double((2046 + FRACTION - exponent) << 52));
    rounded *= as_double((exponent - FRACTION) << 52);
    return fabs(rounded) > LARGEST ? BEYOND(v) : rounded;
}
#endif
