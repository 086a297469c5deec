#define __kernel extern "C" __global__
#define function static __device__
#define __global
#define __local __shared__
#define CLK_LOCAL_MEM_FENCE
#define barrier(fence) __syncthreads()
#define get_local_id(axis) ((axis) ? threadIdx.y : threadIdx.x)
#define get_local_size(axis) ((axis) ? blockDim.y : blockDim.x)
#define get_group_id(axis) ((axis) ? blockIdx.y : blockIdx.x)
#define get_num_groups(axis) ((axis) ? gridDim.y : gridDim.x)
#define get_global_id(axis) (get_group_id(axis) * get_local_size(axis) + get_local_id(axis))
#define get_global_size(axis) (get_num_groups(axis) * get_local_size(axis))
#define as_float(x) __uint_as_float(x)
#define as_uint(x) __float_as_uint(x)
#define as_ulong(x) ((ulong)__double_as_longlong(x))
#define as_double(x) __longlong_as_double((long long)(x))
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
