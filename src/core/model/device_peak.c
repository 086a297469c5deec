// The names of a device's limits, and what is known of them.
#include "model/device_peak.h"

#include "base/text.h"

static const char *const texts[PEAK_COUNT] = {
#define X(name, text, title) [PEAK_##name] = text,
    PEAK_LIMITS(X)
#undef X
};

static const char *const titles[PEAK_COUNT] = {
#define X(name, text, title) [PEAK_##name] = title,
    PEAK_LIMITS(X)
#undef X
};

const char *peak_limit_text(enum peak_limit limit)
{
    return texts[limit];
}

const char *peak_limit_title(enum peak_limit limit)
{
    return titles[limit];
}

bool peak_limit_parse(const char *text, enum peak_limit *out)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        if (str_equal(text, texts[i])) {
            *out = (enum peak_limit)i;
            return true;
        }
    }
    return false;
}

bool peak_is_known(const struct peak *p)
{
    for (unsigned i = 0; p && i < PEAK_COUNT; i++) {
        if (p->rates[i].known)
            return true;
    }
    return false;
}
