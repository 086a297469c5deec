// time: never ends
// verdict: timeout
void map(float *y, const float *x)
{
    for (volatile int go = 1; go;)
        y[0] = x[0];
}
