// Inclusive prefix sums in three launches: what each work-group's part of x adds up to; prefix sums of these; and those of
// each part, which begin there. A work-item adds ITEMS neighbours; local memory turns reading in order into that.
#define PART (GROUP * ITEMS)
// One place in 32 is left free, so that the rows of work-items begin in other memory banks.
#define PLACE(i) ((i) + (i) / 32)

// The sum of the work-items before this one; *all: of all. `room` has GROUP places.
int sum_before(int value, __local int *room, int *all)
{
    const uint l = get_local_id(0), size = get_local_size(0);
    room[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < size; reach *= 2) {
        int other = l >= reach ? room[l - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        room[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *all = room[size - 1];
    int before = l > 0 ? room[l - 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}

__kernel void part_sums(__global int *sums, __global const int *x)
{
    __local int room[GROUP];
    const size_t first = get_group_id(0) * (size_t)PART + get_local_id(0);
    int sum = 0, all;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        sum += x[first + k * GROUP];
    sum_before(sum, room, &all);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = all;
}

// One work-group: what stands before each part, in place.
__kernel void sums_before(__global int *sums)
{
    __local int room[GROUP];
    int carry = 0;
    for (uint first = 0; first < N / PART; first += GROUP) {
        const uint i = first + get_local_id(0);
        int all, before = sum_before(i < N / PART ? sums[i] : 0, room, &all);
        if (i < N / PART)
            sums[i] = carry + before;
        carry += all;
    }
}

__kernel void scan_parts(__global int *out, __global const int *x, __global const int *sums)
{
    __local int part[PLACE(PART)], room[GROUP];
    const size_t first = get_group_id(0) * (size_t)PART;
    const uint l = get_local_id(0);
    int own[ITEMS], sum = 0, all;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        part[PLACE(l + k * GROUP)] = x[first + l + k * GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        own[k] = sum += part[PLACE(l * ITEMS + k)];
    int before = sums[get_group_id(0)] + sum_before(sum, room, &all);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        part[PLACE(l * ITEMS + k)] = before + own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        out[first + l + k * GROUP] = part[PLACE(l + k * GROUP)];
}
