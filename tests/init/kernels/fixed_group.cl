__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void count_steps(__global const uint *start, __global uint *steps, const uint n)
{
    const uint i = get_global_id(0);
    if (i >= n) return;
    uint k = start[i] % 1000 + 1, count = 0;
    for (; k != 1 && count < 1000; count++)
        k = k % 2 ? 3 * k + 1 : k / 2;
    steps[i] = count;
}
