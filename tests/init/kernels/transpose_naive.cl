kernel void transpose(global const double *a, global double *b, uint rows, uint cols)
{
    uint c = get_global_id(0), r = get_global_id(1);
    if (r < rows && c < cols)
        b[c * rows + r] = a[r * cols + c];
}
