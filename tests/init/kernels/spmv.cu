template <typename IndexType, typename ValueType>
__global__ void spmv_csr_scalar_kernel(const IndexType num_rows, const IndexType *Ap, const IndexType *Aj, const ValueType *Ax, const ValueType *x, ValueType *y)
{
    const IndexType row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        ValueType sum = y[row];
        for (IndexType jj = Ap[row]; jj < Ap[row + 1]; jj++)
            sum += Ax[jj] * x[Aj[jj]];
        y[row] = sum;
    }
}
