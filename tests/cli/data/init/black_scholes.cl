float phi(float x) { return 0.5f * erfc(-x * 0.70710678f); }
__kernel void black_scholes(__global float *call, __global float *put,
                            __global const float *price, __global const float *strike,
                            __global const float *years, float riskfree, float volatility_, uint opt_n)
{
    for (uint opt = get_global_id(0); opt < opt_n; opt += get_global_size(0)) {
        float sq = sqrt(years[opt]);
        float d1 = (log(price[opt] / strike[opt]) +
                    (riskfree + 0.5f * volatility_ * volatility_) * years[opt]) / (volatility_ * sq);
        float d2 = d1 - volatility_ * sq;
        float e = exp(-riskfree * years[opt]);
        call[opt] = price[opt] * phi(d1) - strike[opt] * e * phi(d2);
        put[opt] = strike[opt] * e * phi(-d2) - price[opt] * phi(-d1);
    }
}
