// A blur of an image of four channels of 8 bits: the mean of a pixel and its neighbours, of which the near
// ones weigh more. The sampler reads the edge again where a neighbour is beyond it.
//
// Work-items: (W, H / PER_ITEM) in work-groups of GROUP_X x GROUP_Y. A work-item makes PER_ITEM pixels of a column; what three
// rows add is kept in registers, so that each pixel above and below is read once.
//
// ../../kernels_cu/examples/blur.cu: the same with a texture and a surface object.

__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

float4 across(read_only image2d_t in, int x, int y)
{
    return read_imagef(in, edge, (int2)(x - 1, y)) + 2.0f * read_imagef(in, edge, (int2)(x, y)) +
           read_imagef(in, edge, (int2)(x + 1, y));
}

__attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
__kernel void blur(write_only image2d_t out, read_only image2d_t in)
{
    const int x = (int)get_global_id(0), y = (int)get_global_id(1) * PER_ITEM;
    float4 above = across(in, x, y - 1), here = across(in, x, y);
    for (int row = 0; row < PER_ITEM; row++) {
        const float4 below = across(in, x, y + row + 1);
        write_imagef(out, (int2)(x, y + row), (above + 2.0f * here + below) / 16.0f);
        above = here;
        here = below;
    }
}
