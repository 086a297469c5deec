// A product of matrices whose work-group has TM / IM x TN / IN items: quotients that only the text's divisions say.
#ifndef TM
#define TM 32
#endif
#ifndef TN
#define TN 32
#endif
#ifndef TK
#define TK 16
#endif
#ifndef IM
#define IM 4
#endif
#ifndef IN
#define IN 4
#endif
#define GROUP_M (TM / IM)
#define GROUP_N (TN / IN)
kernel void product(const int m, const int n, const int k, global const float *a, global const float *b,
                    global float *c)
{
    local float as[TK][TM], bs[TN][TK + 1];
    const int im = get_local_id(0), in = get_local_id(1), item = in * GROUP_M + im;
    const int row = TM * get_group_id(0), column = TN * get_group_id(1);
    float sums[IN][IM];
    for (int y = 0; y < IN; y++)
        for (int x = 0; x < IM; x++)
            sums[y][x] = 0;
    for (int from = 0; from < k; from += TK) {
        for (int i = 0; i < TM * TK / (GROUP_M * GROUP_N); i++) {
            int at = i * GROUP_M * GROUP_N + item;
            as[at / TM][at % TM] = a[(from + at / TM) * m + row + at % TM];
        }
        for (int i = 0; i < TN * TK / (GROUP_M * GROUP_N); i++) {
            int at = i * GROUP_M * GROUP_N + item;
            bs[at % TN][at / TN] = b[(from + at / TN) * n + column + at % TN];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TK; p++)
            for (int y = 0; y < IN; y++)
                for (int x = 0; x < IM; x++)
                    sums[y][x] += as[p][im + x * GROUP_M] * bs[in + y * GROUP_N][p];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < IN; y++)
        for (int x = 0; x < IM; x++)
            c[(column + in + y * GROUP_N) * m + row + im + x * GROUP_M] = sums[y][x];
}
