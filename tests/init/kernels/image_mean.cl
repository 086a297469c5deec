__kernel void image_mean(__read_only image2d_t in, __write_only image2d_t out, sampler_t smp)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(out) || y >= get_image_height(out))
        return;
    float4 sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += read_imagef(in, smp, (int2)(x + dx, y + dy));
    write_imagef(out, (int2)(x, y), sum / 9.0f);
}
