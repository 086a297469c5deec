// Sizes of buffers. The launch is run at several sizes, its corners alone; what each buffer needs
// then is a row of numbers, and the expression that is never less, and least above them, is its size.
#include "extras/init/study.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define TRIALS     7
#define TERMS_MOST 160
#define TERM_COST  0.0005 // of a factor, beside what an expression is above what is needed

struct term {
    const char *text;
    double values[TRIALS];
    double cost;
    uint64_t factors;
    bool is_plain;
    bool is_of_launch; // other groups make another number of it
    bool is_of_size;   // another size of the problem does
};

struct fitting {
    struct study *study;
    struct term terms[TERMS_MOST];
    uint32_t term_count;
    uint32_t trials;
    double (*needs)[TRIALS];    // by object
    int64_t before[ATOMS_MOST]; // the trial: by atom
};

// ---- trials ------------------------------------------------------------------------------------

// Has the group's shape a say in more than the launch: does it share memory that the launch gives?
static bool has_local_memory(const struct study *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->object_count; i++)
        any |= s->all[i]->space == SPACE_SHARED;
    return any && s->group_axes >= 2 && s->axis[0].local != s->axis[1].local;
}

// The values of trial `trial`: other sizes, twice, then other groups, then another count of groups, then
// groups of another shape. False: there is nothing to change.
static bool set_trial(struct fitting *f, uint32_t trial)
{
    struct study *s = f->study;
    bool changed = trial < 3;
    study_set_sizes(s, trial < 3 ? trial : 0);
    for (uint32_t i = 0; i < s->atom_count; i++)
        f->before[i] = s->atoms[i].value;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        struct atom *a = &s->atoms[i];
        bool mine = (trial == 3 && a->kind == ATOM_GROUP) || (trial == 4 && a->kind == ATOM_COUNT);
        if (trial >= 5)
            mine = a->kind == ATOM_GROUP && s->axis[trial - 5].local == (int32_t)i &&
                   has_local_memory(s);
        if (!mine)
            continue;
        a->value = 2 * f->before[i];
        study_carry(s, i);
        changed = true;
    }
    study_bind(s);
    return changed;
}

static void leave_trial(struct fitting *f)
{
    struct study *s = f->study;
    for (uint32_t i = 0; i < s->atom_count; i++)
        s->atoms[i].value = f->before[i];
    study_set_sizes(s, 0);
}

// ---- terms -------------------------------------------------------------------------------------

static struct term *add_term(struct fitting *f, double cost, uint64_t factors, bool is_plain,
                             const char *text)
{
    if (f->term_count == TERMS_MOST || !text)
        return NULL;
    struct term *t = &f->terms[f->term_count++];
    *t = (struct term){.text = text, .cost = cost, .factors = factors, .is_plain = is_plain};
    return t;
}

static bool is_sized(const struct atom *a)
{
    return a->kind == ATOM_SIZE || a->kind == ATOM_FIXED || a->kind == ATOM_LEADING ||
           a->kind == ATOM_ROW;
}

static bool is_hidden(const struct atom *a)
{
    return a->is_own && a->kind != ATOM_GROUP;
}

static const struct {
    int64_t by;
    bool divides;
} shifts[] = {{1, false}, {2, false}, {4, false}, {-1, false},
              {2, true},  {4, true},  {8, true},  {16, true}};

// n + 2 and n // 2, and n + 2 * RADIUS.
static void add_shifted_terms(struct fitting *f, uint32_t index)
{
    struct study *s = f->study;
    struct arena *a = s->arena;
    const char *name = s->atoms[index].text;
    uint64_t mine = 1ull << index;
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        add_term(f, shifts[i].by < 0 ? 100 : 1.5, mine, false,
                 shifts[i].divides
                     ? arena_printf(a, "(%s // %lld)", name, (long long)shifts[i].by)
                     : arena_printf(a, "(%s %c %lld)", name, shifts[i].by < 0 ? '-' : '+',
                                    llabs(shifts[i].by)));
    for (uint32_t k = 0; k < s->atom_count; k++) {
        const struct atom *p = &s->atoms[k];
        if (is_sized(p) || p->kind == ATOM_GROUP || p->is_switch || is_hidden(p) || p->value > 64)
            continue;
        uint64_t both = mine | 1ull << k;
        add_term(f, 1.6, both, false, arena_printf(a, "(%s + 2 * %s)", name, p->text));
        add_term(f, 1.7, both, false, arena_printf(a, "(%s + %s)", name, p->text));
        add_term(f, 1.7, both, false, arena_printf(a, "(%s + %s - 1)", name, p->text));
        add_term(f, 1.8, both, false, arena_printf(a, "(%s + %s // 2 * 2)", name, p->text));
    }
}

static double shifted_value(const struct study *s, uint32_t index, uint32_t *place, uint32_t at)
{
    // In the order in which add_shifted_terms() adds them.
    uint32_t n = sizeof shifts / sizeof *shifts;
    double value = (double)s->atoms[index].value;
    if (at < n) {
        *place = at;
        return shifts[at].divides ? (double)(s->atoms[index].value / shifts[at].by)
                                  : value + (double)shifts[at].by;
    }
    uint32_t seen = n;
    for (uint32_t k = 0; k < s->atom_count; k++) {
        const struct atom *p = &s->atoms[k];
        if (is_sized(p) || p->kind == ATOM_GROUP || p->is_switch || is_hidden(p) || p->value > 64)
            continue;
        double x = (double)p->value;
        const double all[] = {value + 2 * x, value + x, value + x - 1,
                              value + (double)(p->value / 2 * 2)};
        if (at < seen + 4)
            return all[at - seen];
        seen += 4;
    }
    return 0;
}

static const char *groups_text(struct study *s, uint32_t axis)
{
    uint32_t factors;
    const char *extent = study_extent_text(s, &s->axis[axis].extent);
    return arena_printf(s->arena,
                        s->axis[axis].is_one_less ? "(ceil(%s / (%s)) - 1)" : "ceil(%s / (%s))",
                        extent, study_tile_text(s, axis, &factors));
}

#define SHIFT_TWICE (UINT32_MAX - 1) // 2 * n + 1

// Where the terms of each kind begin, so that their values are found again in each trial.
struct term_places {
    uint32_t atom[TERMS_MOST], shift[TERMS_MOST]; // of a term; shift UINT32_MAX: the atom itself
    uint32_t groups[3];                           // and behind it one more than these
};

static void make_terms(struct fitting *f, struct term_places *p)
{
    struct study *s = f->study;
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        if (a->is_switch || is_hidden(a))
            continue;
        bool sized = is_sized(a);
        struct term *t = add_term(f, sized ? 1 : 1.4, 1ull << i, true, a->text);
        if (!t)
            continue;
        t->is_of_launch =
            a->kind == ATOM_GROUP || a->kind == ATOM_COUNT || a->kind == ATOM_PARAMETER;
        t->is_of_size = sized && a->kind != ATOM_FIXED;
        p->atom[t - f->terms] = i;
        p->shift[t - f->terms] = UINT32_MAX;
        if (a->is_small) {
            t = add_term(f, 1.5, 1ull << i, true, arena_printf(s->arena, "(2 * %s + 1)", a->text));
            if (t) {
                p->atom[t - f->terms] = i;
                p->shift[t - f->terms] = SHIFT_TWICE;
            }
        }
        if (!sized || a->kind == ATOM_ROW)
            continue;
        uint32_t first = f->term_count;
        add_shifted_terms(f, i);
        for (uint32_t k = first; k < f->term_count; k++) {
            p->atom[k] = i;
            p->shift[k] = k - first;
            f->terms[k].is_of_size = a->kind != ATOM_FIXED;
        }
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        const struct launch_axis *x = &s->axis[axis];
        p->groups[axis] = UINT32_MAX;
        if (axis >= s->axes || !x->is_known || x->count_atom >= 0)
            continue;
        struct term *t = add_term(f, 2, 0, false, groups_text(s, axis));
        if (t) {
            t->is_of_launch = x->tile_count > 0;
            t->is_of_size = true;
            p->groups[axis] = (uint32_t)(t - f->terms);
            p->atom[t - f->terms] = UINT32_MAX;
            const bool is_launch = t->is_of_launch;
            t = x->is_guarded
                    ? add_term(f, 2.5, 0, false, arena_printf(s->arena, "(%s + 1)", t->text))
                    : NULL;
            if (t) {
                t->is_of_launch = is_launch;
                t->is_of_size = true;
                p->atom[t - f->terms] = UINT32_MAX;
            }
        }
    }
}

static void value_terms(struct fitting *f, const struct term_places *p, uint32_t trial)
{
    struct study *s = f->study;
    for (uint32_t i = 0; i < f->term_count; i++) {
        uint32_t place;
        if (p->atom[i] == UINT32_MAX)
            continue;
        double value = (double)s->atoms[p->atom[i]].value;
        f->terms[i].values[trial] = p->shift[i] == UINT32_MAX ? value
                                    : p->shift[i] == SHIFT_TWICE
                                        ? 2 * value + 1
                                        : shifted_value(s, p->atom[i], &place, p->shift[i]);
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t at = p->groups[axis];
        if (at == UINT32_MAX)
            continue;
        f->terms[at].values[trial] = (double)study_groups(s, axis);
        if (s->axis[axis].is_guarded && at + 1 < f->term_count)
            f->terms[at + 1].values[trial] = (double)study_groups(s, axis) + 1;
    }
}

// ---- the best expression -----------------------------------------------------------------------

struct choice {
    uint32_t terms[3];
    uint32_t count;
    int64_t factor;
    double cost;
};

#define LOCAL_COST                                                                                 \
    0.05 // of a size of the problem in local memory, as bins are, which depends on the group

#define ROWS_MOST 4096

// So many rows of one term, of which the text has a number each: the number is exact in every trial.
static void judge_rows(const struct fitting *f, const double *need, const struct choice *c,
                       double cost, struct choice *best)
{
    const struct term *term = &f->terms[c->terms[0]];
    const int64_t rows = term->values[0] > 0 ? (int64_t)(need[0] / term->values[0]) : 0;
    bool is_exact = term->is_plain && term->is_of_size && rows > 64 && rows <= ROWS_MOST;
    for (uint32_t t = 0; t < f->trials; t++)
        is_exact = is_exact && term->values[t] * (double)rows == need[t];
    if (!is_exact || cost + 2 * TERM_COST >= best->cost)
        return;
    *best = *c;
    best->factor = rows;
    best->cost = cost + 2 * TERM_COST;
}

static void judge_product(const struct fitting *f, const double *need, bool is_local,
                          const struct choice *c, struct choice *best)
{
    static const int64_t factors[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 25, 27, 32, 36, 64};
    double cost = 0, values[TRIALS];
    uint32_t sizes = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct term *t = &f->terms[c->terms[i]];
        cost += t->cost * TERM_COST;
        if (is_local && t->is_of_size && (sizes++ || t->factors == 0))
            return;
    }
    cost += is_local && sizes ? LOCAL_COST : 0;
    if (cost >= best->cost)
        return;
    for (uint32_t t = 0; t < f->trials; t++) {
        values[t] = 1;
        for (uint32_t i = 0; i < c->count; i++)
            values[t] *= f->terms[c->terms[i]].values[t];
        if (values[t] * 64 < need[t]) {
            if (t == 0 && c->count == 1)
                judge_rows(f, need, c, cost, best);
            return;
        }
    }
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        double excess = cost + (factors[k] > 1 ? TERM_COST : 0);
        bool fits = true;
        for (uint32_t t = 0; t < f->trials; t++) {
            double value = values[t] * (double)factors[k];
            fits = fits && value >= need[t];
            excess += value / need[t] - 1;
        }
        if (!fits || excess >= best->cost)
            continue;
        *best = *c;
        best->factor = factors[k];
        best->cost = excess;
    }
}

static void choose_product(const struct fitting *f, const double *need, bool is_local,
                           struct choice *best)
{
    struct choice c = {.count = 0};
    for (c.terms[0] = 0; c.terms[0] < f->term_count; c.terms[0]++) {
        c.count = 1;
        judge_product(f, need, is_local, &c, best);
        for (c.terms[1] = c.terms[0]; c.terms[1] < f->term_count; c.terms[1]++) {
            c.count = 2;
            judge_product(f, need, is_local, &c, best);
            bool plain = f->terms[c.terms[0]].is_plain && f->terms[c.terms[1]].is_plain;
            for (c.terms[2] = c.terms[1]; c.terms[2] < f->term_count; c.terms[2]++) {
                c.count = 3;
                if (plain || !f->terms[c.terms[2]].is_plain)
                    judge_product(f, need, is_local, &c, best);
            }
        }
    }
}

static bool write_size(struct fitting *f, const struct choice *c, struct needed *out)
{
    struct text t = TEXT_INIT;
    bool first = c->factor == 1;
    if (!first)
        text_addf(&t, "%lld", (long long)c->factor);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct term *one = &f->terms[c->terms[i]];
        size_t length = strlen(one->text);
        bool alone = c->count == 1 && c->factor == 1 && one->text[0] == '(';
        text_add(&t, first ? "" : " * ");
        text_addn(&t, one->text + alone, length - 2 * (size_t)alone);
        out->factors |= one->factors;
        out->is_per_group |= one->is_of_launch;
        first = false;
    }
    out->size = t.failed ? NULL : arena_strdup(f->study->arena, text_cstr(&t));
    text_release(&t);
    return out->size;
}

static bool fit_size(struct fitting *f, uint32_t object, struct needed *out)
{
    const double *need = f->needs[object];
    bool is_same = true;
    double most = 0;
    for (uint32_t t = 0; t < f->trials; t++) {
        is_same = is_same && need[t] == need[0];
        most = need[t] > most ? need[t] : most;
    }
    out->least = (int64_t)most;
    struct choice best = {.cost = 0.3};
    if (most <= 0) {
        out->is_guess = true;
        out->size = NULL;
        return true;
    }
    choose_product(f, need, f->study->all[object]->space == SPACE_SHARED, &best);
    if (is_same && f->trials > 1 && (best.count == 0 || best.cost > 2 * TERM_COST)) {
        out->size = arena_printf(f->study->arena, "%lld", (long long)need[0]);
        return out->size;
    }
    out->is_loose = best.cost > 0.05;
    if (best.count)
        return write_size(f, &best, out);
    out->is_guess = true;
    return true;
}

// ---- all buffers -------------------------------------------------------------------------------

int64_t study_need(const struct object *o)
{
    int64_t high = o->access.read.any ? o->access.read.high : 0;
    if (o->access.written.any && o->access.written.high > high)
        high = o->access.written.high;
    return (high + o->component - 1) / o->component;
}

static void note_needs(struct fitting *f, uint32_t trial, struct needed *out)
{
    struct study *s = f->study;
    for (uint32_t i = 0; i < s->object_count; i++) {
        const struct object *o = s->all[i];
        const struct touched *a = &o->access;
        f->needs[i][trial] = (double)study_need(o);
        out[i].is_read |= a->read.any;
        out[i].is_written |= a->written.any;
        out[i].is_added |= a->by_atomic;
        if (trial == 0)
            out[i].is_whole = a->written.any && a->written.low == 0 && !a->by_data &&
                              (!a->read.any || a->written.high >= a->read.high);
        else
            out[i].is_whole = out[i].is_whole && a->written.low == 0;
    }
}

// Adds the elements that the launch reaches with the data that the spec fills buffers with.
static void note_data_needs(struct fitting *f, uint32_t trial)
{
    struct study *s = f->study;
    for (enum data data = DATA_MOST; data <= DATA_LEAST; data++) {
        const uint64_t before = s->budget, some = before / 16;
        s->budget = some;
        s->run.data = data;
        study_corners(s);
        s->run.data = DATA_UNKNOWN;
        s->budget = before - (some - s->budget);
        for (uint32_t i = 0; i < s->object_count; i++) {
            const double need = (double)study_need(s->all[i]);
            if (need > f->needs[i][trial] && need < 1e9)
                f->needs[i][trial] = need;
        }
    }
}

// Is every element written? Small launches are run whole.
static void prove_whole(struct study *s, struct needed *out, const double (*needs)[TRIALS])
{
    uint64_t items = 1;
    int64_t group[3];
    study_bind(s);
    for (uint32_t axis = 0; axis < 3; axis++)
        items *= (uint64_t)(s->run.groups[axis] * s->run.local[axis]);
    if (items > 1u << 18)
        return;
    bool any = false;
    for (uint32_t i = 0; i < s->object_count; i++) {
        struct object *o = s->all[i];
        o->map_size = (size_t)needs[i][0];
        bool wanted = out[i].is_whole && o->map_size < 1u << 24;
        o->map = wanted ? calloc(o->map_size + 1, 1) : NULL;
        any |= o->map != NULL;
    }
    uint64_t before = s->budget < 8000000 ? s->budget : 8000000;
    s->run.budget = any ? before : 0;
    run_forget(&s->run);
    for (group[2] = 0; group[2] < s->run.groups[2] && s->run.budget; group[2]++) {
        for (group[1] = 0; group[1] < s->run.groups[1] && s->run.budget; group[1]++) {
            for (group[0] = 0; group[0] < s->run.groups[0] && s->run.budget; group[0]++)
                run_group(&s->run, group, false);
        }
    }
    bool is_told = s->run.budget > 0;
    s->budget -= any ? before - s->run.budget : 0;
    for (uint32_t i = 0; i < s->object_count; i++) {
        struct object *o = s->all[i];
        for (size_t k = 0; o->map && is_told && k < o->map_size; k++)
            out[i].is_whole = out[i].is_whole && o->map[k] == MAP_WRITTEN;
        free(o->map);
        o->map = NULL;
    }
}

// A group that covers 48 elements, and stops nowhere by itself, needs sizes that 48 divides; powers of two
// they are anyway.
static void set_odd(struct study *s)
{
    s->odd = 1;
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        int64_t tile = study_tile(s, axis);
        while (tile % 2 == 0)
            tile /= 2;
        if (!s->axis[axis].is_guarded && tile < 64 && s->odd % tile)
            s->odd *= tile;
    }
}

static bool fit_sizes(struct study *s, struct needed *out)
{
    struct fitting f = {.study = s};
    struct term_places places;
    memset(&places, 0xff, sizeof places); // UINT32_MAX: no atom, no groups
    f.needs = arena_array(s->arena, s->object_count + 1, sizeof *f.needs);
    if (!f.needs)
        return false;
    memset(out, 0, s->object_count * sizeof *out);
    set_odd(s);
    make_terms(&f, &places);
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        if (set_trial(&f, trial)) {
            value_terms(&f, &places, f.trials);
            bool is_run = study_corners(s);
            note_needs(&f, f.trials, out);
            note_data_needs(&f, f.trials);
            f.trials += is_run || f.trials == 0;
        }
        leave_trial(&f);
    }
    for (uint32_t i = 0; i < s->object_count; i++) {
        if (!fit_size(&f, i, &out[i]))
            return false;
    }
    prove_whole(s, out, (const double(*)[TRIALS])f.needs);
    return !s->run.failed;
}

// How many buffers are used at places that no product of sizes explains.
static uint32_t count_odd_places(const struct study *s, const struct needed *needs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->object_count; i++)
        count += s->all[i]->space != SPACE_SHARED && needs[i].is_guess && needs[i].least > 0;
    return count;
}

// The groups along each axis are one fewer, or as many as cover it. False: nothing changes.
static bool set_one_less(struct study *s, bool is_less)
{
    bool any = false;
    for (uint32_t axis = 0; axis < s->axes; axis++) {
        struct launch_axis *x = &s->axis[axis];
        if (!x->is_known || x->is_guarded || x->count_atom >= 0 || x->tile_count == 0 ||
            !s->asks_group[axis])
            continue;
        any = true;
        x->is_one_less = is_less;
    }
    return any;
}

// A group may work on what lies one group further, as in a factorization that leaves its first block alone: with as
// many groups as cover the extent some places lie behind all sizes, and with one less none does.
bool study_sizes(struct study *s, struct needed *out)
{
    struct needed *less = arena_array(s->arena, s->object_count + 1, sizeof *less);
    if (!less || !fit_sizes(s, out))
        return false;
    if (count_odd_places(s, out) == 0 || !set_one_less(s, true))
        return true;
    const uint64_t before = s->budget;
    s->budget = before / 2;
    if (!fit_sizes(s, less))
        return false;
    const bool is_better = count_odd_places(s, less) == 0;
    if (is_better)
        memcpy(out, less, s->object_count * sizeof *out);
    else
        set_one_less(s, false);
    s->budget = is_better ? before - (before / 2 - s->budget) : before;
    study_set_sizes(s, 0);
    return true;
}

// ---- what buffers hold -------------------------------------------------------------------------

// The size that indices out of memory are below: by its name, else the extent of the first axis.
static int32_t index_atom(const struct study *s)
{
    static const char *const words[] = {"bin", "bucket", "class", "vocab", "col", "label", NULL};
    for (uint32_t i = 0; i < s->atom_count; i++) {
        if (s->atoms[i].kind == ATOM_SIZE && names_role(s->atoms[i].name, words))
            return (int32_t)i;
    }
    const struct extent *e = &s->axis[0].extent;
    return s->axis[0].is_known && e->count ? (int32_t)e->atoms[0] : -1;
}

// Loops over several sizes may be too long to be run to their end: then with smaller ones, where no
// group has to be full.
static void shrink_sizes(struct study *s)
{
    bool is_guarded = s->is_slow && s->axes > 0;
    for (uint32_t axis = 0; axis < s->axes; axis++)
        is_guarded = is_guarded && s->axis[axis].is_guarded;
    if (!is_guarded)
        return;
    const uint64_t before = s->budget, some = before / 6;
    study_set_sizes(s, 0);
    s->budget = some;
    s->is_shrunk = !study_corners(s);
    s->budget = before - (some - s->budget);
}

// How far apart one item reads what chooses where it writes.
static void note_item_spans(struct study *s)
{
    static const int64_t first[3] = {0, 0, 0};
    const uint64_t before = s->budget;
    study_bind(s);
    run_forget(&s->run);
    s->run.budget = before;
    run_item(&s->run, first, first);
    s->budget = s->run.budget;
    for (uint32_t i = 0; i < s->object_count; i++) {
        struct object *o = s->all[i];
        if (o->is_scatter && o->access.read.any)
            o->item_span = (o->access.read.high - o->access.read.low) / o->component;
    }
}

bool study_contents(struct study *s)
{
    int32_t row = -1;
    bool has_integers = false, has_scatter = false;
    for (uint32_t i = 0; i < s->object_count; i++)
        has_integers |= s->all[i]->type->base == TYPE_INTEGER && s->all[i]->space != SPACE_SHARED;
    shrink_sizes(s);
    for (int round = 0; has_integers && round < 3; round++) {
        bool changed = false;
        study_set_sizes(s, 0);
        study_corners(s);
        for (uint32_t i = 0; i < s->object_count; i++) {
            struct object *o = s->all[i];
            bool is_integer = o->type->base == TYPE_INTEGER;
            if (o->contents != CONTENTS_UNKNOWN || !is_integer || o->access.written.any)
                continue;
            if (o->access.is_offsets || (o->access.is_length && o->access.is_index)) {
                if (row < 0 && s->atom_count < ATOMS_MOST) {
                    row = (int32_t)s->atom_count;
                    s->atoms[s->atom_count++] = (struct atom){
                        .name = "16", .text = "16", .kind = ATOM_ROW, .value = 6, .initial = 16};
                }
                o->contents = CONTENTS_OFFSETS;
                s->content_atoms[i] = row;
                changed = true;
            } else if (o->access.is_index && index_atom(s) >= 0) {
                o->contents = CONTENTS_INDEX;
                has_scatter |= o->is_scatter = o->access.is_scatter;
                s->content_atoms[i] = index_atom(s);
                changed = true;
            }
        }
        if (!changed)
            break;
    }
    if (has_scatter)
        note_item_spans(s);
    return !s->run.failed;
}
