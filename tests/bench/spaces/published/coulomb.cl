// The electrostatic potential of ATOMS charges at the points of a cubic grid. A work-item has Z_ITERATIONS points above each other
// and takes VECTOR_SIZE atoms at a time (USE_SOA: each coordinate in an array of its own), from constant memory or from global.
#if USE_CONSTANT_MEMORY
#define ATOMS_IN __constant
#else
#define ATOMS_IN __global const
#endif

__kernel void coulomb(__global float *grid, ATOMS_IN float *x, ATOMS_IN float *y, ATOMS_IN float *z, ATOMS_IN float *q,
                      ATOMS_IN float4 *all)
{
    const int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2) * Z_ITERATIONS;
    const float px = SPACING * i, py = SPACING * j;
    float sum[Z_ITERATIONS];
    for (int n = 0; n < Z_ITERATIONS; n++)
        sum[n] = 0;
    for (int a = 0; a < ATOMS; a += VECTOR_SIZE) {
#pragma unroll
        for (int v = 0; v < VECTOR_SIZE; v++) {
#if USE_SOA
            float dx = px - x[a + v], dy = py - y[a + v], oz = z[a + v], charge = q[a + v];
#else
            float4 atom = all[a + v];
            float dx = px - atom.x, dy = py - atom.y, oz = atom.z, charge = atom.w;
#endif
            float flat = dx * dx + dy * dy + 1.0f;
#if INNER_UNROLL_FACTOR > 0
#pragma unroll INNER_UNROLL_FACTOR
#endif
            for (int n = 0; n < Z_ITERATIONS; n++) {
                float dz = SPACING * (k + n) - oz;
                sum[n] += charge * native_rsqrt(fma(dz, dz, flat));
            }
        }
    }
    for (int n = 0; n < Z_ITERATIONS; n++)
        grid[((k + n) * SIDE + j) * SIDE + i] = sum[n];
}
