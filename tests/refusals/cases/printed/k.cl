kernel void scale(global float *out, global const float *in)
{
    if (get_global_id(0) == 3)
        printf("item %d doubles %d\n", (int)get_global_id(0), 7);
    out[get_global_id(0)] = 2 * in[get_global_id(0)];
}

kernel void tell(global float *out, global const float *in)
{
    if (get_global_id(0) == 0)
        for (int i = 0; i < 400; i++)
            printf("line %d of four hundred\n", i);
    out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
