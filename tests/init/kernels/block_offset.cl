// One block on the diagonal of a matrix. Where it begins is an argument that is no size.
#ifndef SIDE
#define SIDE 16
#endif
__kernel void scale_block(__global float *matrix, __local float *diagonal, int dim, int offset)
{
    const int lane = get_local_id(0);
    int first = offset * dim + offset;
    diagonal[lane] = matrix[first + lane * dim + lane];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = 0; row < SIDE; row++) {
        matrix[first + lane] /= diagonal[row];
        first += dim;
    }
}
