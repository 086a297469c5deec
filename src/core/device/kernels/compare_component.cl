struct bounds {
    double scale, atol, rtol, poison_atol, poison_rtol;
    uint judge_poison, allow_nan;
};
#define FINITE(v) ((v) - (v) == 0)
function struct part with_special(struct part p, ulong at, double g, double r, uint allow)
{
    p.got_nans += g != g;
    p.expected_nans += r != r;
#if SUMS
    p.sum_got += g != g ? 0 : g;
    p.sum_reference += r != r ? 0 : r;
#else
    r = ROUND(r);
    if (g == r || (allow && g != g && r != r))
        return p;
    p.wrong++;
    p.nans += !FINITE(g);
    p.most_wrong = FINITE(r) ? fmax(p.most_wrong, fabs(r)) : p.most_wrong;
    if (p.specials++ == 0)
        p.first_special = at;
#endif
    return p;
}
function struct part with_ordinary(struct part p, ulong at, double d, double g, double r,
                                   struct bounds b)
{
    double size = fabs(d), scaled = d * b.scale, base = r * b.scale;
    p.difference += scaled * scaled;
    p.reference += base * base;
    p.compared++;
    p.most = fmax(p.most, fabs(r));
    if (size > p.largest) {
        p.largest = size;
        p.at = at;
    }
#if SUMS
    p.sum_got += g;
    p.sum_reference += r;
#else
    if (size > b.atol + b.rtol * fabs(r)) {
        p.wrong++;
        p.most_wrong = fmax(p.most_wrong, fabs(r));
    }
#endif
    return p;
}
function struct part with_component(struct part p, ulong at, TYPE raw, REFERENCE other,
                                    struct bounds b)
{
    double g = VALUE(raw), r = REFERENCE_VALUE(other), d = g - r;
#if WIDE
    d = raw > other ? (double)((ulong)raw - (ulong)other) :
                      -(double)((ulong)other - (ulong)raw);
#endif
#if POISONS
    p.expected_poisoned += r == VALUE(POISON);
#endif
    if (!FINITE(g) || !FINITE(r))
        return with_special(p, at, g, r, b.allow_nan);
#if POISONS
    if (raw == POISON) {
        p.poisoned++;
#if SUMS
        if (p.unwritten++ == 0)
            p.first_unwritten = at;
        return with_ordinary(p, at, d, g, r, b);
#endif
        if (!b.judge_poison)
            return p;
        if (!(fabs(d) <= b.poison_atol + b.poison_rtol * fabs(r))) {
            p.wrong++;
            if (p.unwritten++ == 0)
                p.first_unwritten = at;
            return p;
        }
    }
#endif
    return with_ordinary(p, at, d, g, r, b);
}
