#define LINE 8
#ifndef WIDE
#define WIDE 32
#endif
#ifndef HIGH
#define HIGH 16
#endif
// An item turns a column of LINE elements round; the pitch is that of a padded picture.
__kernel __attribute__((reqd_work_group_size(WIDE, HIGH / LINE, 1)))
void turn_columns(__global float *to, __global const float *from, uint pitch, uint height, uint width)
{
    uint x = get_group_id(0) * WIDE + get_local_id(0);
    uint y = get_group_id(1) * HIGH + get_local_id(1) * LINE;
    if (x >= width || y + LINE > height)
        return;
    for (uint k = 0; k < LINE; k++)
        to[(y + k) * pitch + x] = from[(y + LINE - 1 - k) * pitch + x];
}
