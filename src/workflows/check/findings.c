// Findings of a whole check, gathered in the order of file and line: a binary search finds the
// entry of a race or the place of a new one.
#include "workflows/check/findings.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static bool add_race(struct findings *f, const struct race *race, const struct check_record *r)
{
    size_t low = 0, high = f->count; // where the race is, or belongs
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (race_compare(&f->list[middle].race, race) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->count || !race_same(&f->list[low].race, race)) {
        if (!ARRAY_ROOM(f->list, f->room, f->count + 1))
            return false;
        memmove(&f->list[low + 1], &f->list[low], (f->count - low) * sizeof *f->list);
        f->list[low] = (struct check_finding){.race = *race, .example = r};
        f->list[low].race.count = 0;
        f->count++;
    }
    f->list[low].race.count += race->count;
    f->list[low].race.more |= race->more;
    f->list[low].configurations++;
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
