// Matrix multiplication by tensor cores, fp32 in and out, any size. What it does and how is said in
// matmul_tensor.h, which matmul_tensor.cu includes too; here are OpenCL's words for it.
//
// Tensor cores are reached by inline PTX, on NVIDIA's GPUs alone; elsewhere `instruction` is `portable`.
// Some instructions belong to one architecture, for which NVIDIA's OpenCL does not compile: they are comments,
// and hone makes instructions of them (Retarget in the spec).

#include "words.h"

#define RUN (CORRECTED ? run : 1)

#include "matmul_tensor.h"
