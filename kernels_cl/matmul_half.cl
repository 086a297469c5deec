// Matrix multiplication by tensor cores, floats of 16 or 8 bits in, of 16 out. What it does and how
// is said in matmul_half.h, which matmul_half.cu includes too; here are OpenCL's words for it.
//
// Tensor cores are reached by inline PTX, on NVIDIA's GPUs alone; elsewhere `instruction` is `portable`.

#include "words.h"

#include "matmul_half.h"
