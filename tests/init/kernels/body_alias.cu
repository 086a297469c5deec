#include <cstdio>
// A struct that has its name by typedef alone, in a file with a header of the host's.
typedef struct {
    float x, y, mass;
} Star;

__global__ void pull(Star *stars, float step, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float dx = 0.0f;
    for (int k = 0; k < count; k++)
        dx += stars[k].mass * (stars[k].x - stars[i].x);
    stars[i].y += step * dx;
}
