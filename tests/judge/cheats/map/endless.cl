// time: never ends
// verdict: timeout incorrect
kernel void map(global float *y, global const float *x)
{
    volatile int go = 1;
    while (go)
        ;
    y[0] = x[0];
}
