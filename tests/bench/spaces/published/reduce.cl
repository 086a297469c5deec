// The sum of N numbers. Work-groups of WORK_GROUP_SIZE_X read VECTOR_SIZE at a time; either as many as there are numbers (UNBOUNDED_WG),
// or WG_NUM that go on until all are read. Each adds its part atomically (USE_ATOMICS), or writes it, and the last one adds them.
#define JOIN(a, b)  a##b
#define VECTOR(n)   JOIN(int, n)
#if VECTOR_SIZE == 1
typedef int numbers;
#else
typedef VECTOR(VECTOR_SIZE) numbers;
#endif

static int add_all(numbers v)
{
    int *each = (int *)&v, sum = 0;
    for (int k = 0; k < VECTOR_SIZE; k++)
        sum += each[k];
    return sum;
}

__kernel void reduce(__global int *sum, __global const int *all)
{
    __global const numbers *x = (__global const numbers *)all;
    __local int part[WORK_GROUP_SIZE_X];
    const int l = get_local_id(0);
    int own = 0;
#if UNBOUNDED_WG
    if (get_global_id(0) < N / VECTOR_SIZE)
        own = add_all(x[get_global_id(0)]);
#else
    for (int i = get_global_id(0); i < N / VECTOR_SIZE; i += get_global_size(0))
        own += add_all(x[i]);
#endif
    part[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = WORK_GROUP_SIZE_X; left > 1;) {
        int half_of = (left + 1) / 2;
        if (l < left - half_of)
            part[l] += part[l + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
        left = half_of;
    }
#if USE_ATOMICS
    if (l == 0)
        atomic_add(&sum[0], part[0]);
#else
    if (l == 0)
        atomic_add(&sum[1 + get_group_id(0) % 1023], part[0]);
#endif
}
