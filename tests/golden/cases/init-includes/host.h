typedef struct { float x, y; } point;
__global__ void move(point *p, float by, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += by; }
