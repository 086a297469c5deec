// Included, so that a fault is found in this file.

inline void put_past_the_end(__global float *y, int i)
{
    y[i + 1] = 1;
}
