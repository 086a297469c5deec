// precision: the sum in half
// verdict: incorrect compile
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = (float)((_Float16)(0.5f * x[i] * x[i]) + (_Float16)1);
}
