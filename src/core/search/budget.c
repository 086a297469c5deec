// Budgets as text, "200, 60s, 10%": each part a time, a count or a share of the space, in any
// order; the first that is used up ends the search.
#include "search/search.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define BUDGET_FORMS                                                                               \
    "a time (60s, 1.5m, 2h; 60s+ without the ranking), a number of configurations (200) or a "     \
    "share (10%%)"

static bool refuse_budget(struct error *e, const char *part, const char *why)
{
    return error_set(e, ERROR_USAGE, "'%s': %s; give " BUDGET_FORMS, part, why);
}

static bool set_share(struct budget *b, const char *part, struct error *e)
{
    char digits[64];
    double percent;
    size_t length = strlen(part) - 1; // without the sign
    if (length >= sizeof digits)
        return refuse_budget(e, part, "not a share");
    memcpy(digits, part, length);
    digits[length] = '\0';
    if (!str_to_f64(digits, &percent) || !(percent > 0 && percent <= 100))
        return refuse_budget(e, part, "a share is above 0 and at most 100 percent");
    if (b->fraction > 0)
        return refuse_budget(e, part, "a second share");
    b->fraction = percent / 100;
    return true;
}

// Bare digits count configurations, a percent sign makes a share, anything else is a time.
static bool set_part(struct budget *b, const char *part, struct error *e)
{
    size_t length = strlen(part);
    if (length == 0)
        return refuse_budget(e, part, "is empty");
    if (part[length - 1] == '%')
        return set_share(b, part, e);
    if (strspn(part, "+-.0123456789") == length) {
        uint64_t count;
        if (!str_to_u64(part, &count))
            return refuse_budget(e, part, "not a whole number of configurations");
        if (count == 0)
            return refuse_budget(e, part, "allows nothing");
        if (b->configurations > 0)
            return refuse_budget(e, part, "a second number of configurations");
        b->configurations = count;
        return true;
    }
    char time[64]; // without the plus
    uint64_t ns;
    bool on_top = part[length - 1] == '+';
    str_format(time, sizeof time, "%.*s", (int)(length - on_top), part);
    if (!str_to_duration_ns(time, &ns))
        return refuse_budget(e, part, "not a budget");
    if (ns == 0)
        return refuse_budget(e, part, "allows nothing");
    if (b->nanoseconds > 0)
        return refuse_budget(e, part, "a second time");
    b->nanoseconds = ns;
    b->ranks_on_top = on_top;
    return true;
}

bool budget_parse(const char *text, struct budget *out, struct error *e)
{
    struct budget b = {0};
    const char *rest = text;
    while (rest) {
        char part[64];
        size_t length = strcspn(rest, ",");
        const char *next = rest[length] == ',' ? rest + length + 1 : NULL;
        while (length > 0 && *rest == ' ')
            rest++, length--;
        while (length > 0 && rest[length - 1] == ' ')
            length--;
        if (length >= sizeof part)
            return refuse_budget(e, text, "too long");
        memcpy(part, rest, length);
        part[length] = '\0';
        if (!set_part(&b, part, e))
            return false;
        rest = next;
    }
    *out = b;
    return true;
}

uint64_t budget_configurations(const struct budget *b, uint64_t valid)
{
    uint64_t allowed = valid;
    if (b->configurations > 0 && b->configurations < allowed)
        allowed = b->configurations;
    if (b->fraction > 0 && b->fraction < 1) {
        double share = ceil((double)valid * b->fraction * (1 - 1e-12)); // 10 % of 50 is 5
        if (share < (double)allowed)
            allowed = (uint64_t)share;
    }
    return allowed > 0 ? allowed : 1;
}
