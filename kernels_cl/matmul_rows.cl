// Matrix multiplication in fp32 where A has few rows. What it does and how is said in matmul_rows.h,
// which matmul_rows.cu includes too; here are OpenCL's words for it.

#include "words.h"

#include "matmul_rows.h"
