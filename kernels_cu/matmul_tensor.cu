// Matrix multiplication by tensor cores, fp32 in and out, any size. What it does and how is said in
// kernels_cl/matmul_tensor.h, which matmul_tensor.cl includes too; here are CUDA's words for it.

#include "words.h"

#define RUN (CORRECTED ? run : 1)

#include "../kernels_cl/matmul_tensor.h"
