// Equal devices that shared the work: how each compares with its siblings, what it did, and why it was left out.
#include "report/members.h"

#include <math.h>

// "card 3 (GPU-6a0c...) is 4.1 % slower than its siblings [3.8 .. 4.4]".
static void put_pace(const struct farm_member *m, struct text *out)
{
    const struct stats_ratio *r = &m->ratio;
    if (!m->compared || (r->interval && r->low <= 1 && r->high >= 1)) {
        text_addf(out, "%s is as fast as its siblings", m->name);
        return;
    }
    bool slower = r->ratio >= 1;
    double low = 100 * (r->low - 1), high = 100 * (r->high - 1);
    text_addf(out, "%s is %.1f %% %s than its siblings %c%.1f .. %.1f%c", m->name,
              fabs(100 * (r->ratio - 1)), slower ? "slower" : "faster", r->interval ? '[' : '(',
              slower ? low : -high, slower ? high : -low, r->interval ? ']' : ')');
}

void report_members(const struct farm_member *members, uint32_t count, bool in_short,
                    struct text *out)
{
    uint32_t usable = 0, asked = 0;
    for (uint32_t i = 0; i < count; i++) {
        usable += farm_is_usable(members[i].state);
        asked += farm_is_usable(members[i].state) && members[i].results + members[i].rounds > 0;
    }
    if (count > 1 && asked == 0 && usable > 0)
        text_addf(out, "%u of %u devices could be used; none had to run anything\n", usable, count);
    else if (count > 1)
        text_addf(out, "%u of %u devices shared the work\n", asked, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct farm_member *m = &members[i];
        bool is_slow = m->compared && m->ratio.interval && m->ratio.low > 1;
        if (!farm_is_usable(m->state)) {
            text_addf(out, "  %s is %s: %s\n", m->name, farm_state_text(m->state), m->why);
            continue;
        }
        if (in_short && !is_slow)
            continue;
        text_add(out, "  ");
        if (m->compared)
            put_pace(m, out);
        else
            text_add(out, m->name);
        if (!in_short)
            text_addf(out, ": %llu results, %u rounds", (unsigned long long)m->results, m->rounds);
        text_add(out, "\n");
    }
}
