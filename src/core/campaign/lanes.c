// The one place that joins what a farm says of its members with what the rounds on them said.
#include "campaign/lanes.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void lanes_use(struct lanes *l, const struct evaluator *ev, const struct setup *setup,
               struct final_ranking_options *o)
{
    uint32_t members = farm_members(ev, l->members), working = 0;
    for (uint32_t i = 0; i < members; i++)
        working += l->members[i].state == FARM_WORKING;
    l->place_count = 0;
    for (uint32_t i = 0; i < members; i++) {
        enum farm_state state = l->members[i].state;
        if (!l->list[i].why[0] && (working ? state == FARM_WORKING : farm_is_usable(state)))
            l->places[l->place_count++] = (struct ranked_place){.place = i};
    }
    o->places = l->places;
    o->place_count = l->place_count;
    o->outlier = working || l->compared ? 0 : setup->terms.rules.outlier;
}

void lanes_tell(struct lanes *l, const struct evaluator *ev, const struct log *log)
{
    for (uint32_t i = 0; i < l->place_count; i++) {
        const struct ranked_place *p = &l->places[i];
        char *why = l->list[p->place].why;
        if (!p->why[0] || why[0])
            continue;
        str_format(why, sizeof l->list->why, "%s", p->why);
        farm_members(ev, l->members);
        log_add(log, LOG_WARNING, "%s is left out: %s", l->members[p->place].name, p->why);
    }
}

bool lanes_end(struct lanes *l)
{
    bool ok = true;
    for (uint32_t i = 0; i < l->place_count; i++) {
        const struct ranked_place *p = &l->places[i];
        struct lane *lane = &l->list[p->place];
        lane->rounds += p->rounds;
        if (!p->compared)
            continue;
        l->compared = true;
        lane->last = p->ratio;
        ok = ARRAY_ROOM(lane->ratios, lane->room, lane->count + 1) && ok;
        if (ok)
            lane->ratios[lane->count++] = p->ratio.ratio;
    }
    l->place_count = 0;
    return ok;
}

uint32_t lanes_members(struct lanes *l, const struct evaluator *ev, double level)
{
    uint32_t count = ev ? farm_members(ev, l->members) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct farm_member *m = &l->members[i];
        struct lane *lane = &l->list[i];
        m->rounds = lane->rounds;
        if (lane->count > 0) {
            struct stats_ratio mean = {.ratio = stats_geometric_mean(lane->ratios, lane->count)};
            mean.interval =
                stats_geometric_interval(lane->ratios, lane->count, level, &mean.low, &mean.high);
            m->compared = true;
            m->ratio = lane->count > 1 ? mean : lane->last;
        }
        if (lane->why[0] && farm_is_usable(m->state)) {
            m->state = FARM_LEFT_OUT;
            m->why = lane->why;
        }
    }
    return count;
}

void lanes_forget(struct lanes *l)
{
    for (uint32_t i = 0; i < FARM_MOST; i++)
        free(l->list[i].ratios);
    memset(l->list, 0, sizeof l->list);
    l->place_count = 0;
    l->compared = false;
}
