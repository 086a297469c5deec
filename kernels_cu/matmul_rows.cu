// Matrix multiplication in fp32 where A has few rows. What it does and how is said in
// kernels_cl/matmul_rows.h, which matmul_rows.cl includes too; here are CUDA's words.

#include "words.h"

#include "../kernels_cl/matmul_rows.h"
