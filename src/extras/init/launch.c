// The launch: which names are sizes of the work-group, how many elements a group covers along each
// axis, and where the work ends. All of it is found by running single items and groups: where
// group 1 and group 2 begin to write tells what lies between them, and which numbers change that
// tells what it is made of.
#include "extras/init/study.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FAR_AWAY      (1 << 20) // a group that a kernel with a limit leaves idle
#define ITEM_BUDGET   400000    // nodes of one item
#define ITEM_SLOW     20000     // nodes of an item that takes long
#define GROUP_BUDGET  12000000
#define PATIENCE      2000      // nodes of a loop, where what stands behind it counts
#define HASTE         150       // and where all items of a group are run
#define STUDY_RESERVE 35000000u // nodes that other questions shall have
#define GROUP_MOST    1024      // items that devices let a group have
#define NO_ATOM       UINT32_MAX

bool names_role(const char *name, const char *const *words)
{
    for (; *words; words++) {
        if (str_contains_nocase(name, *words))
            return true;
    }
    return false;
}

int32_t study_find_atom(const struct study *s, const char *name)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        if (strcmp(s->atoms[i].name, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

// ---- numbers -----------------------------------------------------------------------------------

int64_t study_local(const struct study *s, uint32_t axis)
{
    int32_t local = s->axis[axis].local;
    int64_t value = axis >= s->axes ? 1 : local >= 0 ? s->atoms[local].value : -1 - local;
    int32_t over = axis < s->axes ? s->axis[axis].local_over : -1;
    const int64_t times = axis < s->axes ? s->axis[axis].local_times : 1;
    value = times > 1 ? value * times : times < -1 ? value / -times : value;
    if (over >= 0 && s->atoms[over].value > 0)
        value /= s->atoms[over].value;
    return value < 1 ? 1 : value;
}

int64_t study_tile(const struct study *s, uint32_t axis)
{
    const struct launch_axis *x = &s->axis[axis];
    int64_t tile = x->tile_factor ? x->tile_factor : 1;
    for (uint32_t i = 0; i < x->tile_count; i++)
        tile *= s->atoms[x->tile[i]].value;
    if (x->tile_over >= 0 && s->atoms[x->tile_over].value > 0)
        tile /= s->atoms[x->tile_over].value;
    if (x->tile_divisor > 1)
        tile /= x->tile_divisor;
    tile -= x->tile_less * (x->tile_border >= 0 ? s->atoms[x->tile_border].value : 1);
    return tile < 1 ? 1 : tile;
}

const char *study_tile_text(struct study *s, uint32_t axis, uint32_t *factors)
{
    const struct launch_axis *x = &s->axis[axis];
    struct text t = TEXT_INIT;
    *factors = 0;
    for (uint32_t i = 0; i < x->tile_count; i++)
        text_addf(&t, "%s%s", (*factors)++ ? " * " : "", s->atoms[x->tile[i]].text);
    if (x->tile_factor > 1 || *factors == 0)
        text_addf(&t, "%s%lld", (*factors)++ ? " * " : "", (long long)x->tile_factor);
    if (x->tile_over >= 0) {
        text_addf(&t, " // %s", s->atoms[x->tile_over].text);
        ++*factors;
    }
    if (x->tile_divisor > 1) {
        text_addf(&t, " // %lld", (long long)x->tile_divisor);
        ++*factors;
    }
    if (x->tile_less && ++*factors)
        text_addf(&t, " - %lld", (long long)x->tile_less);
    if (x->tile_less && x->tile_border >= 0)
        text_addf(&t, " * %s", s->atoms[x->tile_border].text);
    const char *copy = t.failed ? NULL : arena_strdup(s->arena, text_cstr(&t));
    s->run.failed |= !copy;
    text_release(&t);
    return copy ? copy : "";
}

int64_t study_extent(const struct study *s, const struct extent *e)
{
    int64_t value = e->number ? e->number : 1;
    for (uint32_t i = 0; i < e->count; i++)
        value *= s->atoms[e->atoms[i]].value;
    int64_t divisor = e->has_over ? s->atoms[e->over].value : e->divisor;
    return divisor > 1 ? value / divisor : value;
}

int64_t study_groups(const struct study *s, uint32_t axis)
{
    const struct launch_axis *x = &s->axis[axis];
    if (axis >= s->axes)
        return 1;
    if (x->count_atom >= 0)
        return s->atoms[x->count_atom].value;
    if (!x->is_known)
        return s->open_groups;
    const int64_t tile = study_tile(s, axis);
    const int64_t groups = (study_extent(s, &x->extent) + tile - 1) / tile;
    return groups - (x->is_one_less && groups > 1);
}

const char *study_extent_text(struct study *s, const struct extent *e)
{
    struct text t = TEXT_INIT;
    for (uint32_t i = 0; i < e->count; i++)
        text_addf(&t, "%s%s", i ? " * " : "", s->atoms[e->atoms[i]].text);
    if (e->count == 0)
        text_addf(&t, "%lld", (long long)(e->number ? e->number : 1));
    if (e->has_over)
        text_addf(&t, " // %s", s->atoms[e->over].text);
    else if (e->divisor > 1)
        text_addf(&t, " // %lld", (long long)e->divisor);
    const char *copy = t.failed ? NULL : arena_strdup(s->arena, text_cstr(&t));
    s->run.failed |= !copy;
    text_release(&t);
    return copy ? copy : "";
}

void study_bind(struct study *s)
{
    s->run.name_count = 0;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        if (a->is_argument)
            s->scalars[a->parameter] = a->value;
        else
            s->names[s->run.name_count++] = (struct bound_name){a->name, a->value};
    }
    s->run.names = s->names;
    for (uint32_t i = 0; i < s->object_count; i++) {
        int32_t atom = s->content_atoms[i];
        struct object *o = s->all[i];
        if (atom >= 0)
            o->content = s->atoms[atom].value - (o->contents == CONTENTS_INDEX);
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        s->run.image[axis] = s->image_atoms[axis] < 0 ? 1 : s->atoms[s->image_atoms[axis]].value;
        s->run.local[axis] = study_local(s, axis);
        s->run.groups[axis] = study_groups(s, axis);
    }
}

// Runs one item; what it accessed is in the objects.
static void run_one(struct study *s, const int64_t group[3], const int64_t item[3])
{
    uint64_t before = s->budget < ITEM_BUDGET ? s->budget : ITEM_BUDGET;
    run_forget(&s->run);
    s->run.budget = before;
    s->run.patience = PATIENCE;
    run_item(&s->run, group, item);
    s->run.patience = 0;
    s->budget -= before - s->run.budget;
}

static void run_group_patiently(struct study *s, const int64_t group[3], bool corners,
                                uint64_t patience)
{
    uint64_t before = s->budget < GROUP_BUDGET ? s->budget : GROUP_BUDGET;
    run_forget(&s->run);
    s->run.budget = before;
    s->run.patience = patience;
    run_group(&s->run, group, corners);
    s->run.patience = 0;
    s->budget -= before - s->run.budget;
}

// If items are cheap, run the whole group so that every write is seen.
static void run_whole_group(struct study *s, const int64_t group[3], bool corners)
{
    run_group_patiently(s, group, corners, corners ? PATIENCE : HASTE);
    if (s->run.is_cut && !corners && s->is_cheap)
        run_group_patiently(s, group, false, PATIENCE);
}

bool study_corners(struct study *s)
{
    int64_t list[3][64], group[3];
    uint32_t counts[3], most = s->axes == 1 ? 64 : s->axes == 2 ? 6 : 4;
    if (s->is_slow) // the first and the last will do
        most = s->axes == 1 ? 8 : 2;
    study_bind(s);
    run_forget(&s->run);
    for (uint32_t axis = 0; axis < 3; axis++) {
        int64_t groups = s->run.groups[axis];
        // The first two, the last two, and some between them.
        counts[axis] = 0;
        for (uint32_t i = 0; i < most && i < groups; i++) {
            int64_t at = most == 2       ? (i ? groups - 1 : 0)
                         : i < 2         ? i
                         : i + 2 >= most ? groups - most + i
                         : groups > most ? 2 + (i - 2) * (groups - 4) / (most - 4 ? most - 4 : 1)
                                         : i;
            list[axis][counts[axis]++] = at;
        }
    }
    s->run.budget = s->budget;
    for (uint32_t z = 0; z < counts[2]; z++) {
        for (uint32_t y = 0; y < counts[1]; y++) {
            for (uint32_t x = 0; x < counts[0]; x++) {
                group[0] = list[0][x];
                group[1] = list[1][y];
                group[2] = list[2][z];
                bool is_last = x + 1 == counts[0] && y + 1 == counts[1] && z + 1 == counts[2];
                // Sizes below a group's have their end within it, at no corner.
                run_group(&s->run, group, !((is_last && s->is_cheap) || s->is_shrunk));
            }
        }
    }
    s->budget = s->run.budget;
    return s->run.budget > 0 && !s->run.failed;
}

// ---- what lies between two groups --------------------------------------------------------------

// The elements between what group 1 and group 2 of an axis access first, of one object; 0: they
// do not both access it.
static int64_t distance_of(struct study *s, uint32_t axis, uint32_t object, bool written)
{
    struct object *o = s->all[object];
    int64_t low[2] = {0, 0}, item[3], group[3];
    int64_t unit = (int64_t)o->component * (o->type->lanes ? o->type->lanes : 1);
    for (int inner = 1; inner >= 0; inner--) {
        bool any = true;
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 3; k++) {
                item[k] = inner && study_local(s, (uint32_t)k) > 1 ? 1 : 0;
                group[k] = (uint32_t)k < s->axes ? 1 : 0;
            }
            group[axis] = 1 + i;
            run_one(s, group, item);
            const struct span *span = written ? &o->access.written : &o->access.read;
            any = any && span->any;
            low[i] = span->low;
        }
        if (any && low[1] != low[0])
            return (low[1] - low[0]) / unit;
        if (any)
            return 0;
    }
    return 0;
}

// Does what lies between two groups depend on how many there are: gridDim.x * TILE is a row?
static bool is_distance_by_count(struct study *s, uint32_t axis, uint32_t object, bool written)
{
    int64_t before = distance_of(s, axis, object, written);
    s->open_groups *= 2;
    study_bind(s);
    bool differs = distance_of(s, axis, object, written) != before;
    s->open_groups /= 2;
    study_bind(s);
    return differs;
}

// The object that tells most of an axis: one that is written, or where each group writes a single
// element (or all the same) one that is read.
static uint32_t telling_object(struct study *s, uint32_t axis, bool *written)
{
    uint32_t best = NO_ATOM;
    int64_t most = 0;
    *written = true;
    for (uint32_t i = 0; i < s->object_count; i++) {
        bool is_shared = s->all[i]->space == SPACE_SHARED;
        int64_t d = is_shared ? 0 : llabs(distance_of(s, axis, i, true));
        if (d > most && !is_distance_by_count(s, axis, i, true)) {
            most = d;
            best = i;
        }
    }
    if (most > 1 || (best != NO_ATOM && study_local(s, axis) == 1))
        return best;
    for (uint32_t i = 0; i < s->object_count; i++) {
        bool is_shared = s->all[i]->space == SPACE_SHARED;
        int64_t d = is_shared ? 0 : llabs(distance_of(s, axis, i, false));
        if (d > most && !is_distance_by_count(s, axis, i, false)) {
            most = d;
            best = i;
            *written = false;
        }
    }
    return best;
}

// How often the distance has an atom as a factor, -1: as a divisor; asked by doubling it.
static int factor_of(struct study *s, uint32_t axis, uint32_t object, bool written, uint32_t atom,
                     int64_t base)
{
    struct atom *a = &s->atoms[atom];
    int64_t before = a->value;
    a->value = before * 2;
    study_bind(s);
    int64_t d = distance_of(s, axis, object, written);
    // More than a group has items, as the lanes of a row may be: then by half of it.
    bool is_too_much = d == 0 && before > 0 && before % 2 == 0;
    if (is_too_much) {
        a->value = before / 2;
        study_bind(s);
        is_too_much = distance_of(s, axis, object, written) == base * 2;
    }
    a->value = before;
    study_bind(s);
    if (is_too_much || (d && d * 2 == base))
        return -1;
    return d == base * 2 ? 1 : d == base * 4 ? 2 : 0;
}

static bool is_size_atom(const struct atom *a)
{
    return a->kind == ATOM_SIZE || a->kind == ATOM_FIXED || a->kind == ATOM_LEADING;
}

struct stride {
    uint32_t atoms[3];
    uint32_t count;
    int64_t value;
    uint32_t object;
    bool written;
    bool is_any;
};

// The distance on this axis, in elements along it, with another value of an atom.
static int64_t distance_with(struct study *s, uint32_t axis, const struct stride *stride,
                             uint32_t atom, int64_t value)
{
    int64_t before = s->atoms[atom].value;
    s->atoms[atom].value = value;
    study_bind(s);
    int64_t d = llabs(distance_of(s, axis, stride->object, stride->written));
    s->atoms[atom].value = before;
    study_bind(s);
    return d % stride->value ? 0 : d / stride->value;
}

// A group may cover less than it has items, by a border that it only reads: BLOCK - 2 * RADIUS.
static void find_border(struct study *s, uint32_t axis, const struct stride *stride)
{
    struct launch_axis *x = &s->axis[axis];
    if (x->local < 0 || x->local_over >= 0 || x->local_times != 1 || x->tile_count ||
        x->tile_over >= 0)
        return;
    const uint32_t local = (uint32_t)x->local;
    const int64_t size = s->atoms[local].value, tile = x->tile_factor, border = size - tile;
    if (border <= 0 || border >= size ||
        distance_with(s, axis, stride, local, 2 * size) != 2 * size - border)
        return;
    x->tile[x->tile_count++] = local;
    x->tile_factor = 1;
    x->tile_less = border;
    for (uint32_t i = 0; i < s->atom_count && x->tile_border < 0; i++) {
        const struct atom *a = &s->atoms[i];
        bool divides = i != local && !a->is_switch && a->value > 0 && border % a->value == 0 &&
                       border / a->value <= 2;
        if (!divides || distance_with(s, axis, stride, i, a->value + 1) != tile - border / a->value)
            continue;
        x->tile_border = (int32_t)i;
        x->tile_less = border / a->value;
    }
}

// Rows of a matrix with a border: n + 1 elements, or n - 1 where a group lies a row further and a place
// back. What is left of the distance without them.
static int64_t take_bordered_row(struct study *s, uint32_t axis, struct stride *stride,
                                 int64_t base, int64_t rest)
{
    static const int64_t borders[] = {1, 2, -1, -2};
    for (uint32_t i = 0; i < s->atom_count && rest > 64 && stride->count < 3; i++) {
        struct atom *a = &s->atoms[i];
        const int64_t value = a->value;
        for (size_t k = 0; k < sizeof borders / sizeof *borders && is_size_atom(a); k++) {
            const int64_t row = value + borders[k];
            if (row < 32 || rest % row)
                continue;
            a->value = 2 * value;
            study_bind(s);
            const int64_t d = distance_of(s, axis, stride->object, stride->written);
            a->value = value;
            study_bind(s);
            if (llabs(d) != llabs(base) / row * (2 * value + borders[k]))
                continue;
            stride->atoms[stride->count++] = i;
            stride->value *= row;
            return rest / row;
        }
    }
    return rest;
}

// Do an item's writes lie so far from one another?
static bool spans(struct study *s, uint32_t object, int64_t elements)
{
    const struct object *o = s->all[object];
    const int64_t group[3] = {0, 0, 0}, item[3] = {0, 0, 0};
    const int64_t unit = (int64_t)o->component * (o->type->lanes ? o->type->lanes : 1);
    run_one(s, group, item);
    const struct span *w = &o->access.written;
    const int64_t seen = w->any ? (w->high - w->low) / unit : elements;
    return seen > 1 &&
           (s->run.is_cut || seen >= elements / 2); // a loop that ended early wrote more
}

// An axis's tile, and the stride between its elements.
static void find_tile(struct study *s, uint32_t axis, struct stride *stride)
{
    struct launch_axis *x = &s->axis[axis];
    bool written;
    uint32_t object = telling_object(s, axis, &written);
    *stride = (struct stride){.value = 1, .object = object, .written = written};
    x->tile_count = 0;
    x->tile_over = -1;
    x->tile_factor = x->tile_divisor = 1;
    if (object == NO_ATOM) { // every group does the same, or what memory says
        int32_t local = s->axis[axis].local;
        if (local >= 0)
            x->tile[x->tile_count++] = (uint32_t)local;
        else
            x->tile_factor = -1 - local;
        if (x->local_times > 1)
            x->tile_factor *= x->local_times;
        else if (x->local_times < -1)
            x->tile_divisor = -x->local_times;
        return;
    }
    int64_t base = distance_of(s, axis, object, written), rest = llabs(base);
    stride->is_any = base != 0;
    int factors[ATOMS_MOST] = {0};
    for (uint32_t i = 0; i < s->atom_count && base; i++) {
        const struct atom *a = &s->atoms[i];
        if ((a->kind == ATOM_SCALAR && !a->is_small) || a->is_switch)
            continue;
        factors[i] = factor_of(s, axis, object, written, i, base);
        if (factors[i] < 0 && a->kind == ATOM_PARAMETER && x->tile_over < 0) {
            x->tile_over = (int32_t)i;
            rest *= a->value;
        }
    }
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        for (int n = factors[i]; n > 0; n--) {
            if (is_size_atom(a) || a->kind == ATOM_SCALAR) {
                if (stride->count < 3)
                    stride->atoms[stride->count++] = i;
                stride->value *= a->value;
            } else if (x->tile_count < 6) {
                x->tile[x->tile_count++] = i;
            }
            rest = a->value && rest % a->value == 0 ? rest / a->value : rest;
        }
    }
    int64_t product = 1;
    for (uint32_t i = 0; i < x->tile_count; i++)
        product *= s->atoms[x->tile[i]].value;
    // Halves of them, as pairs are: the names make more than there is.
    if (stride->count == 0 && x->tile_over < 0 && base && product > llabs(base) &&
        product % llabs(base) == 0) {
        x->tile_divisor = product / llabs(base);
        rest = 1;
    }
    rest = take_bordered_row(s, axis, stride, base, rest);
    if (rest >= 32 && s->axes > 1 && written && !spans(s, object, rest)) {
        stride->value *= rest; // the text has a row's length as a number
        rest = 1;
    }
    x->tile_factor = rest > 0 ? rest : 1;
    find_border(s, axis, stride);
}

// ---- where the work ends -----------------------------------------------------------------------

// Does this group access anything there?
static bool is_group_busy(struct study *s, uint32_t axis, int64_t index, bool written)
{
    for (int inner = 0; inner < 2; inner++) {
        int64_t group[3];
        for (uint32_t k = 0; k < 3; k++)
            group[k] = k < s->axes && k != axis ? inner : 0;
        group[axis] = index;
        run_whole_group(s, group, true);
        for (uint32_t i = 0; i < s->object_count; i++) {
            const struct touched *a = &s->all[i]->access;
            if (s->all[i]->space == SPACE_SHARED)
                continue;
            if (written ? a->written.any : a->read.any)
                return true;
        }
    }
    return false;
}

// How many groups there is work for; 0: no end.
static int64_t busy_groups(struct study *s, uint32_t axis)
{
    bool written = true;
    if (is_group_busy(s, axis, FAR_AWAY, true)) {
        written = false;
        if (is_group_busy(s, axis, FAR_AWAY, false))
            return 0;
    }
    int64_t low = -1, high = FAR_AWAY; // low is busy, high is not
    for (int64_t i = 0; i < 2 && low < 0; i++)
        low = is_group_busy(s, axis, i, written) ? i : -1;
    while (low >= 0 && high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (is_group_busy(s, axis, middle, written))
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

// Every product of up to three sizes, over a small number, that gives so many groups now.
static bool next_extent(const struct study *s, struct extent *e, uint64_t *state)
{
    static const int64_t divisors[] = {1, 2, 4, 8, 16};
    uint64_t count = s->atom_count + 1, all = 5 * count * count * count;
    while (*state < all) {
        uint64_t i = (*state)++;
        *e = (struct extent){.divisor = divisors[i / (count * count * count)]};
        uint64_t rest = i % (count * count * count), last = 0;
        bool ok = true;
        for (int k = 0; k < 3; k++, rest /= count) {
            uint64_t atom = rest % count;
            ok = ok &&
                 (atom == 0 ||
                  (is_size_atom(&s->atoms[atom - 1]) && s->atoms[atom - 1].kind != ATOM_LEADING) ||
                  s->atoms[atom - 1].kind == ATOM_SCALAR);
            ok = ok && (k == 0 || atom == 0 || (atom >= last && last > 0));
            last = atom;
            if (ok && atom)
                e->atoms[e->count++] = (uint32_t)atom - 1;
        }
        if (ok && e->count)
            return true;
    }
    return false;
}

// The doubled extent of a group must fit three times: on one axis the product of the source's own
// values, on several the largest of them.
static int64_t least_scale(const struct study *s)
{
    int64_t all = 1, most = 1;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        bool is_told = a->has_initial || (a->surveyed && a->surveyed->in_condition);
        bool is_tile = (a->kind == ATOM_PARAMETER || a->kind == ATOM_GROUP) && is_told &&
                       !a->is_switch && a->initial > 1;
        if (!is_tile)
            continue;
        all = all * a->initial < 1 << 15 ? all * a->initial : 1 << 15;
        most = a->initial > most ? a->initial : most;
    }
    return s->group_axes <= 1 && !s->is_slow ? 2 * all : most < 128 ? 2 * most : 256;
}

static const char *const row_words[] = {"stride", "pitch", NULL};

// Sizes that are not multiples of one another, and not powers of two.
void study_set_sizes(struct study *s, unsigned variant)
{
    static const int64_t primes[3][8] = {{3, 5, 7, 11, 13, 17, 19, 23},
                                         {7, 3, 11, 5, 19, 13, 23, 17},
                                         {5, 13, 11, 17, 19, 23, 7, 3}};
    static const int64_t larger[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint32_t sizes = 0, next = 0;
    int64_t most = 0;
    for (uint32_t i = 0; i < s->atom_count; i++)
        sizes += is_size_atom(&s->atoms[i]);
    // One size of one axis may be large; of several each multiplies what is run.
    int64_t scale = s->group_axes == 2   ? 64
                    : s->group_axes == 3 ? 16
                    : sizes > 1          ? (s->is_slow && sizes > 2 ? 64 : 128)
                    : s->is_slow         ? 512
                                         : 1024;
    int64_t least = least_scale(s);
    scale = s->is_shrunk ? 8 : scale < least ? least : scale;
    scale *= s->odd ? s->odd : 1;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        if (a->kind == ATOM_LEADING) {
            a->value = scale * scale * (600 + 10 * i); // more than any two of the others
        } else if (is_size_atom(a) && !names_role(a->name, row_words)) {
            a->value = scale * primes[variant][next % 8] * (next < 8 ? 1 : 2);
            most = a->value > most ? a->value : most;
            next++;
        }
        if (a->is_small)
            a->value = s->is_narrow ? 1 : variant ? 5 : 3;
        if (a->kind == ATOM_ROW)
            a->value = variant ? 10 : 6;
    }
    for (uint32_t i = 0; i < s->atom_count; i++) { // from row to row lies at least a row
        struct atom *a = &s->atoms[i];
        if (!is_size_atom(a) || a->kind == ATOM_LEADING || !names_role(a->name, row_words))
            continue;
        uint32_t k = variant;
        while (k + 1 < sizeof larger / sizeof *larger && scale * larger[k] <= most)
            k++;
        a->value = most = scale * larger[k];
    }
    study_bind(s);
}

static bool extent_gives(const struct study *s, uint32_t axis, const struct extent *e,
                         int64_t groups)
{
    int64_t tile = study_tile(s, axis);
    return (study_extent(s, e) + tile - 1) / tile == groups;
}

// n / 4 may be n / WIDTH: a parameter of this value that halves the number of groups when doubled.
static void name_divisor(struct study *s, uint32_t axis, struct extent *e)
{
    for (uint32_t i = 0; i < s->atom_count && e->divisor > 1; i++) {
        struct atom *a = &s->atoms[i];
        if (a->kind != ATOM_PARAMETER || a->is_switch || a->value != e->divisor)
            continue;
        struct extent named = *e;
        named.has_over = true;
        named.over = i;
        a->value *= 2;
        study_bind(s);
        bool fits = extent_gives(s, axis, &named, busy_groups(s, axis));
        a->value /= 2;
        study_bind(s);
        if (fits) {
            *e = named;
            return;
        }
    }
}

// An end of TILE * TILE is no number: each parameter is doubled in turn.
static bool is_fixed_extent(struct study *s, uint32_t axis, const struct extent *e)
{
    bool is_same = true;
    for (uint32_t i = 0; i < s->atom_count && is_same; i++) {
        struct atom *a = &s->atoms[i];
        if ((a->kind != ATOM_PARAMETER && a->kind != ATOM_GROUP) || a->is_switch)
            continue;
        a->value *= 2;
        study_bind(s);
        is_same = !study_fulfils(s) || extent_gives(s, axis, e, busy_groups(s, axis));
        a->value /= 2;
    }
    study_bind(s);
    return is_same;
}

// A number in the text is the end, whatever the sizes are: so many groups there are of one item along the axis.
static bool find_fixed_extent(struct study *s, uint32_t axis, int64_t groups)
{
    struct launch_axis *x = &s->axis[axis];
    struct atom *a = x->local >= 0 ? &s->atoms[x->local] : NULL;
    const int64_t local = a ? a->value : 0;
    int64_t number = groups * study_tile(s, axis);
    if (a) {
        a->value = 1;
        study_bind(s);
        number = busy_groups(s, axis) * study_tile(s, axis);
        a->value = local;
        study_bind(s);
    }
    const struct extent fixed = {.divisor = 1, .number = number};
    x->is_known =
        number > 1 && extent_gives(s, axis, &fixed, groups) && is_fixed_extent(s, axis, &fixed);
    if (x->is_known)
        x->extent = fixed;
    return x->is_known;
}

// The simplest extent that fits two choices of sizes, with which so many groups are busy.
static bool fit_extent(struct study *s, uint32_t axis, int64_t first, int64_t second)
{
    struct launch_axis *x = &s->axis[axis];
    struct extent e;
    uint64_t state = 0;
    while (next_extent(s, &e, &state)) {
        if (!extent_gives(s, axis, &e, first))
            continue;
        study_set_sizes(s, 1);
        bool fits = extent_gives(s, axis, &e, second);
        study_set_sizes(s, 0);
        if (fits) {
            name_divisor(s, axis, &e);
            x->extent = e;
            x->is_known = true;
            return true;
        }
    }
    return false;
}

// The end that the kernel itself sets. What each item does may be several elements, as the colours of a pixel are: then
// the end counts items.
static bool find_guarded_extent(struct study *s, uint32_t axis)
{
    struct launch_axis *x = &s->axis[axis];
    const int64_t factor = x->tile_factor;
    study_set_sizes(s, 0);
    const int64_t first = busy_groups(s, axis);
    study_set_sizes(s, 1);
    const int64_t second = first > 0 ? busy_groups(s, axis) : 0;
    study_set_sizes(s, 0);
    x->is_guarded = first > 0 && second > 0;
    if (!x->is_guarded || fit_extent(s, axis, first, second))
        return x->is_guarded;
    x->tile_factor = 1;
    if (factor > 1 && fit_extent(s, axis, first, second))
        return true;
    x->tile_factor = factor;
    return first == second && find_fixed_extent(s, axis, first);
}

// ---- the work-group ----------------------------------------------------------------------------

static const char *const group_words[] = {
    "block_size", "blocksize", "block_dim", "blockdim", "group_size", "groupsize",
    "work_group", "workgroup", "wg",        "local",    "threads",    "tpb",
    "block",      "group",     "bdim",      "mdimc",    "ndimc",      "bs",
    "lsize",      "lws",       "blk",       NULL};
static const char *const tile_words[] = {"tile", "ts", "rts", NULL};
static const char *const count_words[] = {"num_block", "numblock",        "n_block", "nblock",
                                          "num_group", "numgroup",        "n_group", "ngroup",
                                          "num_wg",    "wg_num",          "grid",    "blocks_",
                                          "groups_",   "num_work_groups", NULL};

static char axis_letter(const char *name)
{
    size_t length = strlen(name);
    char last = length > 1 ? (char)(name[length - 1] | 0x20) : 0;
    if (length > 2 && (name[length - 2] | 0x20) == 's' && last == 'z') // blksz
        return 0;
    return last >= 'x' && last <= 'z' ? last : 0;
}

static bool is_group_atom(const struct atom *a)
{
    return a->kind == ATOM_PARAMETER && !a->is_switch && !a->is_lane && !a->is_argument &&
           names_role(a->name, group_words) && !names_role(a->name, count_words) &&
           !str_contains_nocase(a->name, "per") && !str_contains_nocase(a->name, "pad");
}

#define CANDIDATES_MOST 32

struct candidates {
    int32_t list[CANDIDATES_MOST], over[CANDIDATES_MOST];
    int64_t times[CANDIDATES_MOST];
    uint32_t count;
};

static void add_scaled(struct candidates *c, int32_t local, int32_t over, int64_t times)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->list[i] == local && c->over[i] == over && c->times[i] == times)
            return;
    }
    if (c->count < CANDIDATES_MOST) {
        c->list[c->count] = local;
        c->over[c->count] = over;
        c->times[c->count++] = times;
    }
}

static void add_candidate(struct candidates *c, int32_t local)
{
    add_scaled(c, local, -1, 1);
}

static int32_t find_named(const struct study *s, const struct node *n)
{
    return n->kind == NODE_NAME ? study_find_atom(s, n->name) : -1;
}

// A name, or a number, that the kernel's attributes say; and TILE / PER_ITEM, TILE / 8, WARPS * 32.
static bool add_required(struct study *s, const struct node *n, struct candidates *c)
{
    int64_t value, number = 0;
    if (!n)
        return false;
    bool is_quotient = n->kind == NODE_BINARY && n->sign == SIGN('/', 0, 0);
    bool is_product = n->kind == NODE_BINARY && n->sign == SIGN('*', 0, 0);
    int32_t whole = find_named(s, is_quotient || is_product ? n->a : n);
    int32_t part = is_quotient ? find_named(s, n->b) : -1;
    bool is_number = (is_quotient || is_product) && part < 0 &&
                     run_constant(&s->run, n->b, &number) && number > 1 && number < 65536;
    if (is_product && whole < 0 && run_constant(&s->run, n->a, &number) && number > 1 &&
        number < 65536) { // 32 * WARPS
        whole = find_named(s, n->b);
        is_number = true;
    }
    if (whole >= 0 && !is_quotient && !is_product)
        add_candidate(c, whole);
    else if (whole >= 0 && part >= 0)
        add_scaled(c, whole, part, 1);
    else if (whole >= 0 && is_number)
        add_scaled(c, whole, -1, is_quotient ? -number : number);
    else if (run_constant(&s->run, n, &value) && value > 0 && value < 65536)
        add_candidate(c, (int32_t)(-1 - value));
    return c->count > 0;
}

static uint32_t own_atom(struct study *s, uint32_t axis)
{
    static const char *const names[] = {"block_size_x", "block_size_y", "block_size_z"};
    for (uint32_t i = 0; i < s->atom_count; i++) {
        if (s->atoms[i].is_own && strcmp(s->atoms[i].name, names[axis]) == 0)
            return i;
    }
    if (s->atom_count == ATOMS_MOST)
        return NO_ATOM;
    struct atom *a = &s->atoms[s->atom_count];
    *a = (struct atom){
        .name = names[axis], .text = names[axis], .kind = ATOM_PARAMETER, .is_own = true};
    a->value = a->initial = s->group_axes <= 1 ? 32 : s->group_axes == 2 ? 8 : 4;
    return s->atom_count++;
}

// Names with the letter of this axis, in the dimensions of arrays that a group shares.
static void add_lettered_names(struct study *s, uint32_t axis, struct candidates *c)
{
    for (uint32_t n = 0; n < s->atom_count; n++) {
        const struct atom *a = &s->atoms[n];
        bool is_found = false;
        for (uint32_t i = 0; i < s->run.group_count; i++) {
            const struct type *t = s->run.group_nodes[i]->type;
            for (uint32_t k = 0; k < t->dimension_count; k++) {
                const struct node *d = t->dimensions[k];
                while (d && d->kind == NODE_BINARY)
                    d = d->a;
                is_found |= d && d->kind == NODE_NAME && strcmp(d->name, a->name) == 0;
            }
        }
        if (is_found && a->kind == ATOM_PARAMETER && axis_letter(a->name) == "xyz"[axis])
            add_candidate(c, (int32_t)n);
    }
}

// Names, then numbers, in the dimensions of arrays that a group shares.
static void add_array_names(struct study *s, struct candidates *c, bool numbers)
{
    for (uint32_t i = 0; i < s->run.group_count; i++) {
        const struct type *t = s->run.group_nodes[i]->type;
        for (uint32_t k = t->dimension_count; k-- > 0;) {
            const struct node *d = t->dimensions[k];
            int64_t value;
            while (d && d->kind == NODE_BINARY)
                d = d->a;
            for (uint32_t n = 0; d && !numbers && n < s->atom_count; n++) {
                if (d->kind == NODE_NAME && s->atoms[n].kind == ATOM_PARAMETER &&
                    strcmp(s->atoms[n].name, d->name) == 0)
                    add_candidate(c, (int32_t)n);
            }
            if (numbers && d && run_constant(&s->run, d, &value) && value > 1 && value <= 1024)
                add_candidate(c, (int32_t)(-1 - value));
        }
    }
}

// Numbers that the text defines itself, under a name of the group's or of a tile.
static void add_defined_numbers(struct study *s, uint32_t axis, struct candidates *c)
{
    for (int pass = 0; pass < 4; pass++) {
        const char *const *words = pass < 2 ? group_words : tile_words;
        for (size_t i = 0; i < s->survey.count; i++) {
            const struct surveyed_name *n = &s->survey.list[i];
            char letter = axis_letter(n->name);
            bool fits = pass % 2 == 0 ? letter == "xyz"[axis] : letter == 0;
            int64_t value;
            if (fits && n->defined && names_role(n->name, words) &&
                str_to_i64(n->defined, &value) && value > 1 && value <= 1024)
                add_candidate(c, (int32_t)(-1 - value));
        }
    }
}

static int32_t find_parameter(const struct study *s, const char *name)
{
    const int32_t i = study_find_atom(s, name);
    const struct atom *a = i < 0 ? NULL : &s->atoms[i];
    return a && a->kind == ATOM_PARAMETER && !a->is_switch && !a->is_own ? i : -1;
}

// TILE / PER_ITEM, where the text has it.
static void add_quotients(struct study *s, struct candidates *c)
{
    for (uint32_t i = 0; i < s->quotient_count; i++) {
        int32_t whole = find_parameter(s, s->quotients[i][0]),
                part = find_parameter(s, s->quotients[i][1]);
        if (whole >= 0 && part >= 0 && s->atoms[part].value > 1)
            add_scaled(c, whole, part, 1);
    }
}

// WARPS names how many warps of 32 there are in a group.
static void add_warps(struct study *s, struct candidates *c)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        bool is_count = str_contains_nocase(a->name, "warps") ||
                        str_contains_nocase(a->name, "nwarp") ||
                        str_contains_nocase(a->name, "num_warp");
        if (a->kind == ATOM_PARAMETER && is_count && !str_contains_nocase(a->name, "size"))
            add_scaled(c, (int32_t)i, -1, 32);
    }
}

// The candidates for the group's size along an axis, the likeliest first.
static void list_candidates(struct study *s, uint32_t axis, struct candidates *c)
{
    c->count = 0;
    if (add_required(s, s->kernel->required[axis], c))
        return;
    // All items along it would do the same; or have the same place in what the group shares.
    bool is_placed = s->asks_place[0] || s->asks_place[1] || s->asks_place[2];
    if (!s->asks_item[axis] || (s->run.group_count && is_placed && !s->asks_place[axis])) {
        add_candidate(c, -2);
        return;
    }
    const struct node *bound = s->kernel->bound;
    while (bound && bound->kind == NODE_BINARY) // BLOCK_X * BLOCK_Y
        bound = axis == 0 ? bound->a : bound->b;
    if (bound && bound->kind == NODE_NAME)
        add_required(s, bound, c);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s->atom_count; i++) {
            char letter = axis_letter(s->atoms[i].name);
            bool fits = pass == 0 ? letter == "xyz"[axis] : letter == 0;
            if (is_group_atom(&s->atoms[i]) && fits && !s->atoms[i].is_own)
                add_candidate(c, (int32_t)i);
        }
    }
    if (axis == 0)
        add_warps(s, c);
    add_lettered_names(s, axis, c);
    if (!s->asks_size[axis])
        add_quotients(s, c);
    add_array_names(s, c, false);
    // A size that is free is one for which the kernel asks.
    uint32_t own = own_atom(s, axis);
    if (own != NO_ATOM && s->asks_size[axis])
        add_candidate(c, (int32_t)own);
    if (!s->asks_size[axis])
        add_defined_numbers(s, axis, c);
    add_array_names(s, c, true);
    if (own != NO_ATOM)
        add_candidate(c, (int32_t)own);
    for (int pass = 0; pass < 3; pass++) { // those of this axis, without one, of another
        for (uint32_t i = 0; i < s->atom_count; i++) {
            const struct atom *a = &s->atoms[i];
            const char letter = axis_letter(a->name);
            bool fits = pass == 0 ? letter == "xyz"[axis] : pass == 1 ? letter == 0 : true;
            if (fits && a->kind == ATOM_PARAMETER && !a->is_switch && !a->is_lane && !a->is_own)
                add_candidate(c, (int32_t)i);
        }
    }
    // TS / WPT: what an array holds, over what an item computes of it.
    struct candidates whole = {.count = 0};
    add_array_names(s, &whole, false);
    add_array_names(s, &whole, true);
    for (uint32_t i = 0; i < whole.count; i++) {
        for (uint32_t k = 0; k < s->atom_count; k++) {
            const struct atom *a = &s->atoms[k];
            bool divides = a->kind == ATOM_PARAMETER && !a->is_switch && !a->is_own &&
                           a->value > 1 && whole.list[i] != (int32_t)k;
            if (divides)
                add_scaled(c, whole.list[i], (int32_t)k, 1);
        }
    }
    for (int32_t number = 512; number >= 4; number /= 2)
        add_candidate(c, -1 - number);
}

static bool has_number(const char *text, int64_t number)
{
    char digits[24];
    str_format(digits, sizeof digits, "%lld", (long long)number);
    const size_t length = strlen(digits);
    for (const char *at = text; number >= 32 && (at = strstr(at, digits)) != NULL; at += length) {
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
            return true;
    }
    return false;
}

// For two axes: do the rows that a group writes reach the next group's, so that the distance
// between rows is a size of the problem?
static bool are_rows_whole(struct study *s, uint32_t object, const uint8_t *map, size_t size,
                           int64_t row)
{
    const struct object *o = s->all[object];
    int64_t distance[2], lanes = o->type->lanes ? o->type->lanes : 1, count = 0;
    for (uint32_t axis = 0; axis < 2; axis++)
        distance[axis] = llabs(distance_of(s, axis, object, true)) * lanes;
    int64_t far = distance[0] > distance[1] ? distance[0] : distance[1];
    for (size_t i = 0; i < size; i++)
        count += map[i] != 0;
    if (count == 0 || count % row || far == row || count == row)
        return true;
    int64_t between = far / (count / row) / lanes;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        for (uint32_t k = 0; k <= s->atom_count; k++) {
            int64_t value = is_size_atom(&s->atoms[i]) ? s->atoms[i].value : 0;
            if (k < s->atom_count)
                value *= is_size_atom(&s->atoms[k]) || s->atoms[k].is_small ? s->atoms[k].value : 0;
            if (value && llabs(value - between) <= 16)
                return true;
        }
    }
    // A number of the text, or a row of gridDim.x tiles.
    return has_number(s->text, between) || between == row * s->run.groups[0] ||
           between == row * s->run.groups[1];
}

// Faults in arrays that the group shares: more is read than it writes, or beyond the end.
static unsigned array_faults(const struct study *s)
{
    unsigned faults = 0;
    for (uint32_t i = 0; i < s->run.group_count; i++) {
        const struct touched *a = &s->run.group_arrays[i]->access;
        bool reads_more =
            a->read.any && a->written.any && a->read.high > a->written.high && !a->by_data;
        faults += reads_more ? 16 : 0;
        faults += a->outside ? 64 : 0;
        bool chooses_more = a->plain.any && a->written.high > a->plain.high;
        faults += chooses_more ? 16 : 0;
    }
    return faults;
}

#define NO_WRITES 8 // faults of a group that writes nothing

unsigned study_group_faults(struct study *s)
{
    int64_t group[3] = {s->axes > 0, s->axes > 1, s->axes > 2};
    unsigned faults = 0;
    study_bind(s);
    if (study_local(s, 0) * study_local(s, 1) * study_local(s, 2) > GROUP_MOST)
        return 64;
    run_whole_group(s, group, true);
    faults += s->run.outside_local ? 64 : 0;
    faults += array_faults(s);
    if (faults >= 64)
        return faults;
    if (faults >= 16) { // items between the corners may write what these read
        uint64_t before = s->budget < GROUP_BUDGET ? s->budget : GROUP_BUDGET;
        run_forget(&s->run);
        s->run.budget = before;
        s->run.patience = 2 * PATIENCE;
        run_group(&s->run, group, false);
        s->run.patience = 0;
        s->budget -= before - s->run.budget;
        faults = (s->run.outside_local ? 64 : 0) + array_faults(s);
    }
    bool writes = false;
    for (uint32_t i = 0; i < s->object_count; i++)
        writes |= s->all[i]->access.written.any && s->all[i]->space != SPACE_SHARED;
    faults += writes ? 0 : NO_WRITES;
    faults += study_local(s, 0) * study_local(s, 1) * study_local(s, 2) < 4; // hardly a group
    // The group's writes must fill the space up to the next group.
    uint8_t *map = NULL;
    size_t size = 1 << 16;
    for (uint32_t i = 0; i < s->object_count && !map; i++) {
        struct object *o = s->all[i];
        if (!o->access.written.any || o->access.by_data || o->space == SPACE_SHARED)
            continue;
        int64_t lanes = o->type->lanes ? o->type->lanes : 1;
        int64_t low = o->access.written.low / o->component,
                high = o->access.written.high / o->component, d = 0;
        for (uint32_t axis = 0; axis < s->axes; axis++) {
            int64_t one = llabs(distance_of(s, axis, i, true));
            d = one && (!d || one < d) ? one : d;
        }
        bool is_part = lanes > 4; // members of a struct need not all be written
        d = is_part ? 0 : d * lanes;
        if (high < 0 || d == 0 || d > 8192 || (d <= lanes && high - low <= d) ||
            (map = calloc(size, 1)) == NULL)
            continue;
        o->map = map;
        o->map_size = (size_t)(high < (int64_t)size ? high : (int64_t)size);
        run_whole_group(s, group, false);
        if (s->run.is_cut) { // not all was seen
            o->map = NULL;
            break;
        }
        int64_t missing = 0, twice = 0;
        for (int64_t at = low; at < low + d && (size_t)at < o->map_size; at++)
            missing += !map[at];
        for (int64_t at = low + d; at < low + 2 * d && (size_t)at < o->map_size; at++)
            twice += map[at] != 0;
        faults += (size_t)(low + d) <= size && missing > 2 ? 8 : 0;
        faults += twice > 0 ? 4 : 0;
        o->map = NULL;
        if (s->axes == 2 && missing == 0)
            faults += are_rows_whole(s, i, map, o->map_size, d) ? 0 : 8;
        o->map = NULL;
    }
    free(map);
    return faults;
}

// Does the double of the name still make sense where a tile of the same size is doubled with it?
static bool is_scalable_with_tile(struct study *s, int32_t local)
{
    struct atom *a = &s->atoms[local];
    bool found = false;
    for (uint32_t i = 0; i < s->atom_count && !found; i++) {
        struct atom *tile = &s->atoms[i];
        if (tile == a || tile->kind != ATOM_PARAMETER || tile->value != a->value ||
            !names_role(tile->name, tile_words))
            continue;
        a->value *= 2;
        tile->value *= 2;
        found = study_group_faults(s) == 0;
        a->value /= 2;
        tile->value /= 2;
    }
    study_bind(s);
    return found;
}

// Does another value of the name, that many items with it, still make sense?
static bool is_scalable(struct study *s, int32_t local)
{
    struct atom *a = &s->atoms[local];
    int64_t before = a->value;
    a->value = before * 2;
    unsigned twice = study_group_faults(s);
    a->value = before > 1 ? before / 2 : 1;
    unsigned half = study_group_faults(s);
    a->value = before;
    study_bind(s);
    return twice == 0 || half == 0;
}

// A size that is free may be doubled. A name is the group's size if it may grow or shrink; and where
// the kernel asks for the size, and does not need the name for it, only if more items than the name
// says would not fit into its arrays.
static bool is_candidate_sound(struct study *s, uint32_t axis, int32_t local)
{
    struct launch_axis *x = &s->axis[axis];
    if (local >= 0 && x->local_over >= 0 && !s->kernel->required[axis])
        return is_scalable(s, local);
    if (local < 0 || x->local_times != 1 || s->kernel->required[axis] ||
        (is_group_atom(&s->atoms[local]) && !s->atoms[local].is_own && s->atoms[local].has_initial))
        return true;
    int32_t before = x->local;
    int64_t value = s->atoms[local].value;
    bool is_own = s->atoms[local].is_own;
    if (!is_own && !s->run.asks_sizes)
        return is_scalable(s, local) || is_scalable_with_tile(s, local);
    x->local = (int32_t)(-1 - value);
    unsigned faults = study_group_faults(s);
    x->local = (int32_t)(-1 - 2 * value);
    unsigned twice = study_group_faults(s);
    x->local = before;
    study_bind(s);
    return is_own ? twice <= faults && s->run.asks_sizes
                  : twice > faults || s->run.group_count == 0;
}

// Tiles whose value the source does not give: one element, or as many as the group has items.
static void set_tiles(struct study *s, bool as_group)
{
    int64_t group = s->axes == 1 ? 32 : s->axes == 2 ? 8 : 4;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        bool is_open = a->kind == ATOM_PARAMETER && !a->has_initial && !a->is_switch &&
                       !a->is_lane && !a->is_own;
        if (is_open && names_role(a->name, tile_words) && !is_group_atom(a))
            a->value = a->initial = as_group ? group : 1;
    }
}

// Nodes of one item that runs to its end, as far as they count.
static uint64_t item_cost(struct study *s)
{
    const int64_t group[3] = {s->axes > 0, s->axes > 1, s->axes > 2}, item[3] = {0, 0, 0};
    uint64_t before = s->budget < ITEM_SLOW ? s->budget : ITEM_SLOW;
    run_forget(&s->run);
    s->run.budget = before;
    run_item(&s->run, group, item);
    s->budget -= before - s->run.budget;
    return before - s->run.budget;
}

static bool has_open_tiles(const struct study *s)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        if (a->kind == ATOM_PARAMETER && !a->has_initial && names_role(a->name, tile_words))
            return true;
    }
    return false;
}

static unsigned try_groups(struct study *s, const struct candidates *c, const uint32_t *places,
                           bool tiles)
{
    bool sound = true;
    set_tiles(s, tiles);
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        s->axis[axis].local = c[axis].list[places[axis]];
        s->axis[axis].local_over = c[axis].over[places[axis]];
        s->axis[axis].local_times = c[axis].times[places[axis]];
    }
    for (uint32_t axis = 0; axis < s->axes && sound; axis++)
        sound = is_candidate_sound(s, axis, s->axis[axis].local);
    return study_group_faults(s) + (sound ? 0 : 2) + (study_fulfils(s) ? 0 : 16);
}

static void choose_groups(struct study *s)
{
    struct candidates c[3];
    unsigned least = UINT32_MAX;
    struct launch_axis best[3];
    int best_tiles = 0;
    int64_t group[3] = {s->axes > 0, s->axes > 1, s->axes > 2};
    for (uint32_t axis = 0; axis < 3 && axis < s->axes; axis++)
        s->axis[axis].local = (int32_t)own_atom(s, axis);
    study_bind(s);
    run_whole_group(s, group, true); // the arrays that it declares
    uint64_t cost = item_cost(s);
    s->is_slow = cost > 4000;
    s->is_cheap = cost < ITEM_SLOW;
    study_set_sizes(s, 0);
    for (uint32_t axis = 0; axis < 3; axis++) {
        c[axis] = (struct candidates){.count = 1, .over = {-1}, .times = {1}};
        if (axis < s->axes)
            list_candidates(s, axis, &c[axis]);
        best[axis] = s->axis[axis];
    }
    bool has_tiles = has_open_tiles(s);
    // Likely candidates of all axes together first: by the sum of their places.
    for (uint32_t sum = 0; sum < 3 * CANDIDATES_MOST && least > 0; sum++) {
        for (uint32_t i = 0; i < 2 * (sum + 1) * (sum + 1) && least > 0; i++) {
            uint32_t x = i / 2 / (sum + 1), y = i / 2 % (sum + 1), z = sum - x - y;
            // Alike on all axes before unlike, of the same sum.
            bool is_again = i % 2 && !has_tiles;
            if (x + y > sum || x >= c[0].count || y >= c[1].count || z >= c[2].count || is_again ||
                s->budget < STUDY_RESERVE)
                continue;
            unsigned faults = try_groups(s, c, (const uint32_t[]){x, y, z}, i % 2);
            if (faults >= least)
                continue;
            least = faults;
            memcpy(best, s->axis, sizeof best);
            best_tiles = i % 2;
        }
    }
    memcpy(s->axis, best, sizeof best);
    // Data decide whether such a kernel writes: any group will do where its items share nothing.
    const bool is_free =
        least == NO_WRITES && s->run.group_count == 0 && (s->asks_item[0] || s->asks_size[0]);
    s->is_group_guess = least >= 2 && !is_free;
    set_tiles(s, best_tiles);
    study_bind(s);
}

// ---- all of it ---------------------------------------------------------------------------------

static bool is_used_in(const struct extent *e, uint32_t atom)
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->atoms[i] == atom)
            return true;
    }
    return false;
}

// A size that no axis and no stride has yet; else the first one.
static uint32_t spare_size(const struct study *s, const struct stride *strides)
{
    uint32_t first = NO_ATOM;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        if (a->kind != ATOM_SIZE && a->kind != ATOM_FIXED)
            continue;
        bool is_used = false;
        for (uint32_t axis = 0; axis < s->axes; axis++) {
            is_used |= s->axis[axis].is_known && is_used_in(&s->axis[axis].extent, i);
            for (uint32_t k = 0; k < strides[axis].count; k++)
                is_used |= strides[axis].atoms[k] == i;
        }
        if (!is_used)
            return i;
        first = first == NO_ATOM ? i : first;
    }
    return first;
}

// How many matrices a batch has: an argument of such a name, or one that only the launch has.
static uint32_t find_batch_argument(const struct study *s)
{
    static const char *const words[] = {"batch", NULL};
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        if (a->is_argument && a->kind != ATOM_LEADING && names_role(a->name, words))
            return i;
    }
    return NO_ATOM;
}

static uint32_t batch_atom(struct study *s)
{
    const int32_t found = study_find_atom(s, "BATCH");
    const uint32_t i = found >= 0 ? (uint32_t)found : s->atom_count;
    if (found < 0 && i < ATOMS_MOST)
        s->atoms[s->atom_count++] = (struct atom){.name = "BATCH",
                                                  .text = "BATCH",
                                                  .kind = ATOM_SIZE,
                                                  .value = 192,
                                                  .initial = 16,
                                                  .has_initial = true};
    return i < ATOMS_MOST ? i : NO_ATOM;
}

// Where a kernel has no end of its own: an axis ends where the next larger stride begins.
static void find_open_extent(struct study *s, uint32_t axis, const struct stride *strides)
{
    struct launch_axis *x = &s->axis[axis];
    const struct stride *mine = &strides[axis], *next = NULL;
    for (uint32_t i = 0; i < s->axes; i++) {
        if (i != axis && strides[i].is_any && strides[i].value > mine->value &&
            (!next || strides[i].value < next->value))
            next = &strides[i];
    }
    x->extent = (struct extent){.divisor = 1};
    for (uint32_t i = 0; next && i < next->count; i++) {
        bool is_mine = false;
        for (uint32_t k = 0; k < mine->count; k++)
            is_mine |= mine->atoms[k] == next->atoms[i];
        bool is_stride = s->atoms[next->atoms[i]].kind == ATOM_LEADING;
        if (!is_mine && !is_stride && x->extent.count < 3)
            x->extent.atoms[x->extent.count++] = next->atoms[i];
    }
    if (x->extent.count == 0) {
        bool is_batch = mine->count && s->atoms[mine->atoms[0]].kind == ATOM_LEADING;
        uint32_t size = next ? NO_ATOM : find_batch_argument(s);
        if (size == NO_ATOM)
            size = is_batch ? batch_atom(s) : spare_size(s, strides);
        if (size == NO_ATOM)
            return;
        x->extent.atoms[x->extent.count++] = size;
    }
    x->is_guess = !mine->is_any && s->asks_group[axis];
    x->is_known = mine->is_any || x->is_guess;
}

static int32_t find_count_atom(const struct study *s)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        if (s->atoms[i].kind == ATOM_COUNT)
            return (int32_t)i;
    }
    return -1;
}

// Is the size along an axis a number that the text does not say?
static bool has_numbered_group(const struct study *s)
{
    bool any = false;
    for (uint32_t axis = 0; axis < s->axes; axis++)
        any |= s->axis[axis].local < -2 && !s->kernel->required[axis];
    return any;
}

// A group may make sense only with a border of one, as in the steps of a time loop that one launch
// takes, each of which needs one more.
static void narrow_borders(struct study *s)
{
    const bool was_guess = s->is_group_guess;
    struct launch_axis before[3];
    bool any = false;
    for (uint32_t i = 0; i < s->atom_count; i++)
        any |= s->atoms[i].is_small && s->atoms[i].is_argument;
    if (!any)
        return;
    memcpy(before, s->axis, sizeof before);
    s->is_narrow = true;
    study_set_sizes(s, 0);
    choose_groups(s);
    s->is_narrow = !s->is_group_guess && !has_numbered_group(s);
    if (!s->is_narrow)
        memcpy(s->axis, before, sizeof before);
    s->is_group_guess = s->is_narrow ? s->is_group_guess : was_guess;
    for (uint32_t i = 0; i < s->atom_count && s->is_narrow; i++) {
        if (s->atoms[i].is_small && s->atoms[i].is_argument)
            s->atoms[i].initial = 1;
    }
    study_set_sizes(s, 0);
}

void study_launch(struct study *s)
{
    struct stride strides[3];
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        if (a->kind == ATOM_PARAMETER && !a->is_switch && !a->is_argument &&
            names_role(a->name, count_words))
            a->kind = ATOM_COUNT;
    }
    for (uint32_t axis = 0; axis < 3; axis++)
        s->axis[axis] = (struct launch_axis){.local = -2,
                                             .local_over = -1,
                                             .local_times = 1,
                                             .tile_over = -1,
                                             .tile_factor = 1,
                                             .tile_divisor = 1,
                                             .tile_border = -1,
                                             .count_atom = -1};
    s->open_groups = 4;
    study_set_sizes(s, 0);
    choose_groups(s);
    if (s->is_group_guess || has_numbered_group(s))
        narrow_borders(s);
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        int32_t local = s->axis[axis].local;
        if (local >= 0)
            s->atoms[local].kind = ATOM_GROUP;
    }
    for (uint32_t axis = 0; axis < s->axes; axis++)
        find_tile(s, axis, &strides[axis]);
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        if (!find_guarded_extent(s, axis))
            s->axis[axis].is_known = false;
    }
    for (uint32_t axis = s->axes; axis-- > 0;) {
        if (!s->axis[axis].is_known)
            find_open_extent(s, axis, strides);
    }
    if (s->axes == 1)
        s->axis[0].count_atom = find_count_atom(s);
    // Names of groups' sizes that no axis takes are ordinary parameters; and those that were made
    // here and not chosen, none.
    uint32_t kept = s->atom_count;
    while (kept > 0 && s->atoms[kept - 1].is_own && s->atoms[kept - 1].kind != ATOM_GROUP)
        kept--;
    s->atom_count = kept;
    study_bind(s);
    study_relations(s);
}
