#include "findings.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct findings *f)
{
    if (f->count < f->room)
        return true;
    size_t room = f->room ? 2 * f->room : 8;
    struct check_finding *list = realloc(f->list, room * sizeof *list);
    if (!list)
        return false;
    f->list = list;
    f->room = room;
    return true;
}

// Where the race is, or belongs.
static size_t place_of(const struct findings *f, const struct race *race)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (race_compare(&f->list[middle].race, race) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_race(struct findings *f, const struct race *race, const struct check_record *r)
{
    size_t i = place_of(f, race);
    if (i == f->count || !race_same(&f->list[i].race, race)) {
        if (!make_room(f))
            return false;
        memmove(&f->list[i + 1], &f->list[i], (f->count - i) * sizeof *f->list);
        f->list[i] = (struct check_finding){.race = *race, .example = r};
        f->list[i].race.count = 0;
        f->count++;
    }
    f->list[i].race.count += race->count;
    f->list[i].race.more |= race->more;
    f->list[i].configurations++;
    return true;
}

bool findings_add(struct findings *f, const struct check_record *r)
{
    for (size_t i = 0; r->races && i < r->races->count; i++) {
        if (!add_race(f, &r->races->races[i], r))
            return false;
    }
    return true;
}

void findings_release(struct findings *f)
{
    free(f->list);
    *f = (struct findings){.list = NULL};
}
