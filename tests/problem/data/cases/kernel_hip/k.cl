struct pair { int a; float b; };
kernel void blur(global float *out, read_only image2d_t image, sampler_t s, struct pair p)
{
    out[get_global_id(0)] = read_imagef(image, s, (int2)(get_global_id(0), 0)).x + p.b;
}
