// Matrix multiplication in double precision by tensor cores. What it does and how is said in
// kernels_cl/matmul_double.h, which matmul_double.cl includes too; here are CUDA's words for it.

#include "words.h"

#include "../kernels_cl/matmul_double.h"
