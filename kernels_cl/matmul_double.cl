// Matrix multiplication in double precision by tensor cores. What it does and how is said in
// matmul_double.h, which matmul_double.cu includes too; here are OpenCL's words for it.
//
// Tensor cores are reached by inline PTX, on NVIDIA's GPUs alone; elsewhere `instruction` is `portable`.

#include "words.h"

#include "matmul_double.h"
