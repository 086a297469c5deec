// DATA is compared with an int, which says nothing of it; COUNT with an item's number.
__kernel void clip(__global const DATA *x, __global DATA *y, const int limit, const COUNT n)
{
    const int i = get_global_id(0) + 1;
    if (i >= n)
        return;
    DATA v = x[i];
    if (v > limit)
        v = limit;
    for (int k = 0; v < k; k++)
        v += 1;
    y[i] = v;
}
