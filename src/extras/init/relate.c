// Relations between the size of a work-group and other parameters, found by experiment: with both at
// one value the group makes sense (study_group_faults), then one or both are doubled. Two that
// have to grow together are equal; where one may grow alone it is a multiple of the other.
#include "extras/init/study.h"

#define PAIRS_MOST 24

static bool is_good_pair(struct study *s, uint32_t a, int64_t x, uint32_t b, int64_t y)
{
    s->atoms[a].value = x;
    s->atoms[b].value = y;
    return study_group_faults(s) == 0;
}

static void add_relation(struct study *s, enum relation_kind kind, uint32_t less, uint32_t more)
{
    if (s->relation_count < RELATIONS_MOST)
        s->relations[s->relation_count++] = (struct relation){kind, less, more};
}

static void relate_pair(struct study *s, uint32_t group, uint32_t other)
{
    const int64_t v = s->atoms[group].value, w = s->atoms[other].value, m = v > w ? v : w;
    if (!is_good_pair(s, group, m, other, m) || m < 2)
        return;
    bool group_alone = is_good_pair(s, group, 2 * m, other, m);
    bool other_alone = is_good_pair(s, group, m, other, 2 * m);
    if (group_alone == other_alone && (group_alone || v != w))
        return;
    if (!is_good_pair(s, group, 2 * m, other, 2 * m))
        return;
    uint32_t less = other_alone ? group : other, more = other_alone ? other : group;
    int64_t least = other_alone ? v : w, most = other_alone ? w : v;
    if (!other_alone && !group_alone)
        add_relation(s, RELATION_EQUAL, less, more);
    else if (least > 0 && most % least == 0) // is one and a half of it enough?
        add_relation(
            s, is_good_pair(s, less, m, more, m + m / 2) ? RELATION_AT_LEAST : RELATION_MULTIPLE,
            less, more);
}

void study_relations(struct study *s)
{
    uint32_t pairs = 0;
    if (s->is_slow || s->is_group_guess || study_group_faults(s) != 0)
        return;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        for (uint32_t k = 0; s->atoms[i].kind == ATOM_GROUP && k < s->atom_count; k++) {
            const struct atom *other = &s->atoms[k];
            const int64_t v = s->atoms[i].value, w = other->value;
            if (other->kind != ATOM_PARAMETER || other->is_switch || other->is_lane ||
                other->is_argument || other->is_own || pairs++ >= PAIRS_MOST)
                continue;
            relate_pair(s, i, k);
            s->atoms[i].value = v;
            s->atoms[k].value = w;
        }
    }
    study_bind(s);
}

// Gives an atom's value to the atoms that have to agree with it.
void study_carry(struct study *s, uint32_t atom)
{
    for (uint32_t i = 0; i < s->relation_count; i++) {
        const struct relation *r = &s->relations[i];
        int64_t *less = &s->atoms[r->less].value, *more = &s->atoms[r->more].value;
        bool agrees = *less == *more || (r->kind == RELATION_AT_LEAST && *more > *less) ||
                      (r->kind == RELATION_MULTIPLE && *less > 0 && *more % *less == 0);
        if (agrees)
            continue;
        if (r->less == atom)
            *more = *less;
        else if (r->more == atom)
            *less = *more;
    }
}

const char *study_relation_text(struct study *s, const struct relation *r)
{
    const char *less = s->atoms[r->less].text, *more = s->atoms[r->more].text;
    return r->kind == RELATION_EQUAL      ? arena_printf(s->arena, "%s == %s", more, less)
           : r->kind == RELATION_MULTIPLE ? arena_printf(s->arena, "%s %% %s == 0", more, less)
                                          : arena_printf(s->arena, "%s >= %s", more, less);
}
