// build: includes what lies above its folder
// verdict: invalid compile
#include "../../CMakeLists.txt"
kernel void map(global float *y, global const float *x)
{
}
