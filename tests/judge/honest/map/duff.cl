// honest: pointers that walk, and a loop that is entered in its middle
kernel void map(global float *y, global const float *x)
{
    const int first = get_global_id(0) * T, count = min(T, N - first);
    if (count <= 0)
        return;
    global float *to = y + first;
    global const float *from = x + first, *const end = from + count;
    switch (count % 4) {
        do {
        case 0: *to++ = 0.5f * *from * *from + 1, from++;
        case 3: *to++ = 0.5f * *from * *from + 1, from++;
        case 2: *to++ = 0.5f * *from * *from + 1, from++;
        case 1: *to++ = 0.5f * *from * *from + 1, from++;
        } while (from < end);
    }
}
