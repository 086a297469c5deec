// A comparison on several equal devices. Each device on which all sides run, with a view of its own
// each, is a lane: an evaluator of views with interleaved launches (runner/several.h), and a member
// of a farm of such evaluators. A paired run's jobs are verified on any lane that has room; its
// rounds take place on all lanes, and a block is a round of one device, so that no ratio compares
// two devices. If sides are on different devices there is one lane, with the first device of each.
#include "workflows/compare/compare_inside.h"

#include "os/process.h"
#include "runner/several.h"

// ---- lanes -------------------------------------------------------------------------------------

static const struct place *place_on_card(const struct compare_side *s, const struct place *card)
{
    for (uint32_t i = 0; i < s->place_count; i++) {
        if (place_same_card(&s->places[i], card))
            return &s->places[i];
    }
    return NULL;
}

// All sides on the card of the first one's place; stored ones need none.
static bool make_lane(const struct compare *c, const struct place *card, struct compare_lane *out)
{
    *out = (struct compare_lane){{NULL}};
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct compare_side *s = &c->sides[i].o;
        if (!s->stored && !(out->of[i] = place_on_card(s, card)))
            return false;
    }
    return true;
}

bool compare_make_lanes(struct compare *c)
{
    const struct compare_side *first = NULL;
    bool all_placed = true;
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct compare_side *s = &c->sides[i].o;
        first = first || s->stored ? first : s;
        all_placed = all_placed && (s->stored || s->place_count > 0);
    }
    if (!first || !all_placed)
        return true;
    c->cards = arena_array(&c->arena, first->place_count, sizeof *c->cards);
    for (uint32_t i = 0; c->cards && i < first->place_count && c->lane_count < FARM_MOST; i++)
        c->lane_count += make_lane(c, &first->places[i], &c->cards[c->lane_count]);
    if (!c->cards || c->lane_count > 0)
        return c->cards != NULL;
    c->lane_count = 1;
    for (uint32_t i = 0; i < c->side_count; i++)
        c->cards[0].of[i] = c->sides[i].o.stored ? NULL : c->sides[i].o.places;
    return true;
}

// ---- evaluators --------------------------------------------------------------------------------

// Sides of one device in one language share their workers.
static uint32_t find_view(struct compare *c, const struct side *s)
{
    for (uint32_t i = 0; i < c->view_count; i++) {
        const struct side *other = &c->sides[c->views[i]];
        const struct place *own = c->lane_count ? c->cards[0].of[s - c->sides] : NULL;
        const struct place *its = c->lane_count ? c->cards[0].of[c->views[i]] : NULL;
        if (other->device->language == s->device->language &&
            str_equal(other->device->id, s->device->id) &&
            (own ? own->node : NULL) == (its ? its->node : NULL))
            return i;
    }
    c->views[c->view_count] = (uint32_t)(s - c->sides);
    return c->view_count++;
}

// Give the rounds the coarsest timer of the devices, and whether other load affects them.
static void find_views(struct compare *c)
{
    for (uint32_t i = 0; i < c->side_count; i++) {
        struct side *s = &c->sides[i];
        struct device_info *all = &c->common;
        const struct device_info *d = s->device;
        if (s->o.stored)
            continue;
        s->member = find_view(c, s);
        if (!all->name)
            *all = *d;
        all->timer_ns = d->timer_ns > all->timer_ns ? d->timer_ns : all->timer_ns;
        all->shares_host = all->shares_host || d->shares_host || d->type == DEVICE_CPU;
    }
    c->builds_alone = c->view_count > 1 && c->common.shares_host;
}

static struct evaluator *make_views(void *compare, uint32_t lane, const struct live_options *live,
                                    struct error *e)
{
    const struct compare *c = compare;
    struct live_options views[COMPARE_SIDES];
    struct several_options route = {
        .members = views, .count = c->view_count, .lock_folder = c->o.setup.lock_folder};
    uint32_t jobs = live->at.jobs / c->view_count;
    for (uint32_t i = 0; i < c->view_count; i++) {
        views[i] = *live;
        if (c->lane_count > 0)
            views[i].at = *c->cards[lane].of[c->views[i]];
        else
            views[i].at.device = c->sides[c->views[i]].device;
        views[i].at.jobs = jobs > 0 ? jobs : 1;
    }
    return several_new(&route, e);
}

bool compare_make_evaluator(struct compare *c, struct error *e)
{
    find_views(c);
    if (c->view_count == 0)
        return true;
    struct live_options live = {.no_timing = true};
    setup_live(&c->o.setup, &live);
    const struct place *first = c->lane_count ? c->cards[0].of[c->views[0]] : NULL;
    if (c->lane_count < 2) {
        live.at.jobs = live.at.jobs           ? live.at.jobs * c->view_count
                       : first && first->node ? live_default_jobs(first->node, first->device)
                                              : process_cores();
        c->w.evaluator = make_views(c, 0, &live, e);
        return c->w.evaluator != NULL;
    }
    struct place *cards = arena_array(&c->arena, c->lane_count, sizeof *cards);
    if (!cards)
        return error_memory(e);
    for (uint32_t i = 0; i < c->lane_count; i++)
        cards[i] = *c->cards[i].of[c->views[0]];
    c->w.evaluator =
        farm_new(&(struct farm_options){.places = cards,
                                        .count = c->lane_count,
                                        .live = live,
                                        .cached = {.lock_folder = c->o.setup.lock_folder},
                                        .make = make_views,
                                        .context = c,
                                        .views = c->view_count},
                 e);
    return c->w.evaluator != NULL;
}

// ---- rounds ------------------------------------------------------------------------------------

uint32_t compare_rounds(const struct compare *c, uint32_t rounds)
{
    uint32_t lanes = c->lane_count ? c->lane_count : 1;
    return c->o.rounds ? c->o.rounds : (rounds + lanes - 1) / lanes * lanes;
}
