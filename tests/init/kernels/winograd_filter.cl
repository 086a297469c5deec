/* F(2x2,3x3) filter transform */
__kernel void winograd_filter(__global const float *g, __global float *U, int K, int C)
{
    int k = get_global_id(0), c = get_global_id(1);
    if (k >= K || c >= C) return;
    __global const float *f = g + (k * C + c) * 9;
    float t[4][3];
    for (int j = 0; j < 3; j++) {
        t[0][j] = f[j];
        t[1][j] = 0.5f * (f[j] + f[3 + j] + f[6 + j]);
        t[2][j] = 0.5f * (f[j] - f[3 + j] + f[6 + j]);
        t[3][j] = f[6 + j];
    }
    for (int i = 0; i < 4; i++) {
        float u0 = t[i][0], u1 = 0.5f * (t[i][0] + t[i][1] + t[i][2]), u2 = 0.5f * (t[i][0] - t[i][1] + t[i][2]), u3 = t[i][2];
        U[((i * 4 + 0) * K + k) * C + c] = u0;
        U[((i * 4 + 1) * K + k) * C + c] = u1;
        U[((i * 4 + 2) * K + k) * C + c] = u2;
        U[((i * 4 + 3) * K + k) * C + c] = u3;
    }
}
