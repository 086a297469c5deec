float cnd(float d) { return 0.5f * erfc(-d * M_SQRT1_2_F); }
__kernel void black_scholes(__global float *call, __global float *put, __global const float *S, __global const float *X, __global const float *T, float R, float V, uint optN)
{
    for (uint i = get_global_id(0); i < optN; i += get_global_size(0)) {
        float sq = V * sqrt(T[i]), d1 = (log(S[i] / X[i]) + (R + 0.5f * V * V) * T[i]) / sq, d2 = d1 - sq;
        float e = exp(-R * T[i]);
        call[i] = S[i] * cnd(d1) - X[i] * e * cnd(d2);
        put[i] = X[i] * e * cnd(-d2) - S[i] * cnd(-d1);
    }
}
