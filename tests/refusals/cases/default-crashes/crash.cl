kernel void k(global int *out)
{
#ifdef ERROR
#if A == 1
#error this configuration does not build
#endif
#elif A < BAD
    out[((size_t)1 << 40) + get_global_id(0)] = 1; // nobody's address
#endif
    out[get_global_id(0)] = 2 * get_global_id(0) + A - A;
}
