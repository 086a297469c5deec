template <int TILE, int ROWS>
__global__ void tr(float *__restrict__ out, const float *__restrict__ in, int w, int h)
{
  static_assert(TILE % ROWS == 0, "rows");
  static_assert((TILE & (TILE - 1)) == 0 && TILE * ROWS <= 1024, "pow2");
  __shared__ float t[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  constexpr int N = TILE / ROWS;
  for (int j = 0; j < N; j++)
    if (x < w && y + j * ROWS < h) t[threadIdx.y + j * ROWS][threadIdx.x] = in[(y + j * ROWS) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < N; j++)
    if (x < h && y + j * ROWS < w) out[(y + j * ROWS) * h + x] = t[threadIdx.x][threadIdx.y + j * ROWS];
}
