#if FRACTION
function double narrow_value(ushort bits)
{
    uint exponent = (bits & (SIGN - 1)) >> FRACTION, fraction = bits & ((1 << FRACTION) - 1);
    double magnitude = as_double(fraction ? 0x7ff8000000000000UL : 0x7ff0000000000000UL);
    if (exponent == 0)
        magnitude = fraction * as_double((ulong)(1024 - BIAS - FRACTION) << 52);
    else if (FINITE ? (bits & (SIGN - 1)) != SIGN - 1 : exponent <= 2 * BIAS)
        magnitude = (fraction | (1 << FRACTION)) *
                    as_double((ulong)(1023 - BIAS - FRACTION + exponent) << 52);
    return bits & SIGN ? -magnitude : magnitude;
}
#endif
