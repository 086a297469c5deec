// exp() and log() by reduction of the argument and a polynomial or series, in operations that every
// machine rounds alike.
#include "search/maths.h"

#include <stdint.h>
#include <string.h>

#define LOG2_E   0x1.71547652b82fep+0
#define LN2_HIGH 0x1.62e42feep-1 // few bits, so that a multiple of it is exact
#define LN2_LOW  0x1.a39ef35793c76p-33
#define SQRT_2   0x1.6a09e667f3bcdp+0
// Added and taken away again it leaves the nearest whole number.
#define ROUNDER     0x1.8p52
#define LARGEST     700.0
#define BIAS        1023
#define SIGNIFICAND 52

static double power_of_two(int64_t exponent)
{
    uint64_t bits = (uint64_t)(exponent + BIAS) << SIGNIFICAND;
    double out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

// exp(x) = 2^k exp(r), |r| <= ln 2 / 2, and that by Taylor's series.
double maths_exp(double x)
{
    if (!(x >= -LARGEST))
        return 0;
    if (x > LARGEST)
        x = LARGEST;
    double k = x * LOG2_E + ROUNDER - ROUNDER;
    double r = x - k * LN2_HIGH - k * LN2_LOW, sum = 1;
    static const double inverse[] = {1.0 / 12, 1.0 / 11, 1.0 / 10, 1.0 / 9, 1.0 / 8, 1.0 / 7,
                                     1.0 / 6,  1.0 / 5,  1.0 / 4,  1.0 / 3, 1.0 / 2, 1.0};
    for (int i = 0; i < 12; i++)
        sum = 1 + r * inverse[i] * sum;
    return sum * power_of_two((int64_t)k);
}

// x = 2^k m, m around 1, and log(m) = 2 artanh((m - 1) / (m + 1)).
double maths_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t k = (int64_t)(bits >> SIGNIFICAND) - BIAS;
    double m = x * power_of_two(-k);
    if (m > SQRT_2)
        m *= 0.5, k++;
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int i = 23; i >= 1; i -= 2)
        sum = sum * square + 1.0 / i;
    return (double)k * LN2_HIGH + ((double)k * LN2_LOW + 2 * s * sum);
}
