#define LOAD(to, from, first, most, stride, kstride)\
    for (uint e = y * LOCAL + x; e < TILE * DEPTH; e += LOCAL * LOCAL) {\
        uint t = stride == 1 ? e % TILE : e / DEPTH, q = stride == 1 ? e / TILE : e % DEPTH;\
        ulong at = (first) + t, depth = p + q;\
        to[q][t] = at < most && depth < k ? VALUE(from[at * stride + depth * kstride]) : 0;\
    }
__kernel void hone_gemm(__global const TYPE *a, __global const TYPE *b, __global const TYPE *initial,
                      __global double *c, ulong m, ulong n, ulong k, ulong ai, ulong ap,
                      ulong bp, ulong bj, double alpha, double beta,
                      __global const TYPE *bias, double gamma)
{
    __local double ta[DEPTH][TILE + 1], tb[DEPTH][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    ulong down = (m + TILE - 1) / TILE, matrix = get_group_id(1) / down;
    ulong i0 = get_group_id(1) % down * TILE, j0 = (ulong)get_group_id(0) * TILE;
    a += matrix * m * k; b += matrix * k * n; initial += beta == 0 ? 0 : matrix * m * n;
    c += matrix * m * n;
    double sum[4][4];
    for (uint r = 0; r < 16; r++)
        sum[r / 4][r % 4] = 0;
    for (ulong p = 0; p < k; p += DEPTH) {
        LOAD(ta, a, i0, m, ai, ap)
        LOAD(tb, b, j0, n, bj, bp)
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (uint q = 0; q < DEPTH; q++) {
            double u[4], v[4];
            for (uint r = 0; r < 4; r++) {
                u[r] = ta[q][y + LOCAL * r];
                v[r] = tb[q][x + LOCAL * r];
            }
            for (uint r = 0; r < 4; r++)
                for (uint s = 0; s < 4; s++)
                    sum[r][s] = fma(u[r], v[s], sum[r][s]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint r = 0; r < 4; r++) {
        for (uint s = 0; s < 4; s++) {
            ulong i = i0 + y + LOCAL * r, j = j0 + x + LOCAL * s;
            if (i < m && j < n)
                c[i * n + j] = activate(alpha * sum[r][s] +
                                        (beta == 0 ? 0 : beta * VALUE(initial[i * n + j])) +
                                        (gamma == 0 ? 0 : gamma * VALUE(bias[j])));
        }
    }
}
