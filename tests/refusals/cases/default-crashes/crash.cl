kernel void k(global int *out)
{
#ifdef ERROR
#if A == 1
#error this configuration does not build
#endif
#elif A < BAD
    global int *nowhere = 0;
    for (int i = 0; i < 1 << 20; i++)
        nowhere[i * 977] = i;
#endif
    out[get_global_id(0)] = 2 * get_global_id(0) + A - A;
}
