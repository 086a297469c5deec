// work not done: writes nothing
void map(float *y, const float *x)
{
    (void)y, (void)x;
}
