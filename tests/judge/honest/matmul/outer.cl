// style: a work-group's first item computes its whole tile, by outer products
kernel void matmul(global float *C, global const float *A, global const float *B)
{
    const int x0 = get_group_id(0) * BX, y0 = get_group_id(1) * BY;
    float tile[BY][BX];
    if (get_local_id(0) || get_local_id(1))
        return;
    for (int j = 0; j < BY; j++)
        for (int i = 0; i < BX; i++)
            tile[j][i] = 0;
    for (int k = 0; k < K; k++)
        for (int j = 0; j < BY && y0 + j < M; j++)
            for (int i = 0; i < BX && x0 + i < N; i++)
                tile[j][i] = fma(A[(y0 + j) * K + k], B[k * N + x0 + i], tile[j][i]);
    for (int j = 0; j < BY && y0 + j < M; j++)
        for (int i = 0; i < BX && x0 + i < N; i++)
            C[(y0 + j) * N + x0 + i] = tile[j][i];
}
