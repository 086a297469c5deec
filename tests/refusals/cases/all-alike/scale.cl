__kernel void scale(__global float *out)
{
    out[get_global_id(0) + way] = FACTOR;
}
