__kernel void hone_compare(__global const TYPE *got, __global const REFERENCE *expected,
                         ulong first, ulong count, double scale, double atol, double rtol,
                         double poison_atol, double poison_rtol, uint judge_poison,
                         uint allow_nan, ulong stamp, __global struct part *out)
{
    __local struct part parts[LOCAL];
    struct bounds b = {scale, atol, rtol, poison_atol, poison_rtol, judge_poison,
                       allow_nan};
    struct part p = part_none(first + get_global_id(0));
    ulong step = get_global_size(0);
    uint me = get_local_id(0);
    for (ulong i = get_global_id(0); i < count; i += BATCH * step) {
        TYPE raw[BATCH];
        REFERENCE other[BATCH];
        for (uint k = 0; k < BATCH; k++) {
            ulong at = first + (i + k * step < count ? i + k * step : i);
            raw[k] = got[PLACE(at)];
            other[k] = expected[REFERENCE_PLACE(at)];
        }
        for (uint k = 0; k < BATCH && i + k * step < count; k++, p.seen++)
            p = with_component(p, first + i + k * step, raw[k], other[k], b);
    }
    parts[me] = p;
    for (uint reach = LOCAL / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < reach)
            parts[me] = part_merged(parts[me], parts[me + reach]);
    }
    if (me == 0) {
        parts[0].stamp = stamp;
        out[get_group_id(0)] = parts[0];
    }
}
