// style: /* comments // in comments */ and lines that go on \
   here, "with quotes' and /* what is none
/* kernel void map(global float *y) { y[0] = 0; } */
kernel /* void */ void map(global float *y /* out */, // "in
                           global const float *x) /**/ { for (int k = 0; k < T; k++) { int i = get_global_id(0)
    * T + k; if (i < N) y[i] = 0.5f /*/ odd /*/ * x[i] * x[i] + 1; } }
