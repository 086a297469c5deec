__kernel void gain(__global float *out, __global float *in)
{
    size_t i = get_global_id(0);
#if BETA
    out[i] = 2 * in[i] + out[i];
#else
#ifdef BRACKETS
    if (in[i]) ++i;
    (out[i]) = 2 * in[i]; // as a macro writes it
#else
    out[i] = 2 * in[i];
#endif
    out[i] += 1; // of its own
#endif
#ifdef SPOIL
    in[i] = 0;
#endif
}
