// Chooses the configurations to compare: those that all sides have. One side's list is walked (its
// space or a sample of it, the configurations of a stored run, or those that the caller named),
// each configuration is looked up on all other sides by its text, and those that only one side has
// are counted.
#include "workflows/compare/compare_inside.h"

#include "base/array.h"
#include "search/permutation.h"

// ---- the fastest that are known ----------------------------------------------------------------

// The fastest of each side that has a store, each configuration once, in place of those that the caller chose.
bool compare_choose_top(struct compare *c, struct error *e)
{
    struct compare_options *o = &c->o;
    const char **chosen = arena_array(&c->arena, o->top * o->side_count + 1, sizeof *chosen);
    uint32_t count = 0;
    for (uint32_t i = 0; chosen && i < o->side_count; i++) {
        const struct compare_side *side = &o->sides[i];
        const char **top;
        size_t more = 0;
        if (side->store && !stored_fastest(side->store, side->spec, side->device,
                                           o->setup.terms.cold, o->top, &c->arena, &top, &more, e))
            return false;
        for (size_t k = 0; k < more; k++) {
            uint32_t at = 0;
            while (at < count && !str_equal(chosen[at], top[k]))
                at++;
            if (at == count)
                chosen[count++] = top[k];
        }
    }
    if (!chosen)
        return error_memory(e);
    o->chosen = chosen;
    o->chosen_count = count;
    return count > 0 ||
           error_set(e, ERROR_STORE,
                     "the store has no results of %s for this device; run hone tune first",
                     o->sides[0].spec->name);
}

// ---- a configuration on another side -----------------------------------------------------------

// All parameters by name; NULL without memory.
static const char *text_of_choice(struct compare *c, const struct spec *spec,
                                  const uint32_t *choice)
{
    struct text text = TEXT_INIT;
    spec_configuration_text(spec, choice, true, &text);
    return text_to_arena(&text, &c->arena);
}

// The choice that a text stands for; NULL where the spec has no such values, or not all are named.
static const uint32_t *parse_whole(struct compare *c, const struct spec *spec, const char *text)
{
    struct error ignored = ERROR_INIT;
    uint32_t *choice = arena_array(&c->arena, spec->parameter_count + 1, sizeof *choice);
    for (uint32_t i = 0; choice && i < spec->parameter_count; i++)
        choice[i] = UINT32_MAX;
    if (!choice || !spec_parse_configuration(spec, text, choice, &ignored))
        return NULL;
    for (uint32_t i = 0; i < spec->parameter_count; i++) {
        if (choice[i] == UINT32_MAX)
            return NULL;
    }
    return choice;
}

// The configuration of that text on a side; NULL where it has none.
static const uint32_t *find_on_side(struct compare *c, const struct side *s, const char *text)
{
    uint64_t index;
    const uint32_t *choice = parse_whole(c, s->o.spec, text);
    bool has = choice && !s->o.stored && space_find(s->subject.space, choice, &index);
    for (size_t i = 0; choice && s->o.stored && !has && i < s->o.stored->count; i++)
        has = str_equal(s->texts[i], text);
    return has ? choice : NULL;
}

// ---- paired runs -------------------------------------------------------------------------------

struct paired_run *compare_add(struct compare *c, const uint32_t *const *choices)
{
    size_t count = (size_t)c->paired_run_count + 1;
    bool has_room = ARRAY_ROOM(c->paired_runs, c->paired_run_room, count) &&
                    ARRAY_ROOM(c->records, c->record_room, count);
    struct paired_run *h = has_room ? arena_alloc(&c->arena, sizeof *h) : NULL;
    struct compare_entry *entries = arena_array(&c->arena, c->side_count, sizeof *entries);
    struct slot *slots = arena_array(&c->arena, c->side_count, sizeof *slots);
    bool ok = h && entries && slots;
    for (uint32_t i = 0; ok && i < c->side_count; i++) {
        const struct side *s = &c->sides[i];
        entries[i] = (struct compare_entry){
            .choice = choices[i], .configuration = "", .configuration_json = "{}"};
        slots[i].twin = (struct twin){.owner = h, .scope = s};
        ok = s->o.routine != ROUTINE_NONE || // which has no parameters
             subject_texts(s->o.spec, choices[i], &c->arena, &entries[i].configuration,
                           &entries[i].configuration_json);
    }
    if (!ok)
        return NULL;
    h->slots = slots;
    h->record = (struct compare_record){.configuration = entries[0].configuration,
                                        .configuration_json = entries[0].configuration_json,
                                        .entries = entries};
    c->paired_runs[c->paired_run_count++] = h;
    return h;
}

static void note_missing(struct compare_missing *m, const char *text)
{
    size_t most = sizeof m->examples / sizeof *m->examples;
    if (m->count < most)
        m->examples[m->count] = text;
    m->count++;
}

// A configuration of side `from`: a paired run where all sides have it. False without memory.
static bool plan_configuration(struct compare *c, uint32_t from, const uint32_t *choice)
{
    const uint32_t *choices[COMPARE_SIDES] = {NULL};
    const char *text = text_of_choice(c, c->sides[from].o.spec, choice);
    if (!text)
        return false;
    for (uint32_t i = 0; i < c->side_count; i++) {
        choices[i] = i == from ? choice : find_on_side(c, &c->sides[i], text);
        if (!choices[i]) {
            note_missing(&c->progress.only[from > 0], text);
            return true;
        }
    }
    return compare_add(c, choices) != NULL;
}

// ---- lists -------------------------------------------------------------------------------------

// Calls `each` with every configuration of a stored side that --config and --where leave, until it
// returns false.
static bool each_stored(struct compare *c, uint32_t side,
                        bool (*each)(struct compare *c, uint32_t side, const uint32_t *choice),
                        struct error *e)
{
    const struct side *s = &c->sides[side];
    const struct compare_options *o = &c->o;
    struct space_options so = o->setup.space;
    so.share = (struct space_share){0};
    struct space *filter = NULL;
    bool ok = true, filters = o->setup.space.configuration_count + o->setup.space.where_count > 0;
    if (filters && !(filter = space_new(s->o.spec, &so, e)))
        return false;
    for (size_t i = 0; ok && i < s->o.stored->count; i++) {
        uint64_t index;
        const uint32_t *choice = s->texts[i] ? parse_whole(c, s->o.spec, s->texts[i]) : NULL;
        if (choice && (!filter || space_find(filter, choice, &index)))
            ok = each(c, side, choice) || error_memory(e);
    }
    space_free(filter);
    return ok;
}

static bool plan_space(struct compare *c, uint32_t from, struct error *e)
{
    const struct side *s = &c->sides[from];
    uint64_t count = space_count(s->subject.space);
    struct permutation order;
    if (!c->o.sample && c->o.sample_many && count > COMPARE_MANY)
        c->o.sample = COMPARE_SAMPLE;
    bool samples = c->o.sample > 0 && c->o.sample < count;
    permutation_init(&order, count, c->o.setup.seed);
    for (uint64_t i = 0; i < count && (!c->o.sample || c->paired_run_count < c->o.sample); i++) {
        uint32_t *choice = arena_array(&c->arena, s->o.spec->parameter_count + 1, sizeof *choice);
        if (choice)
            space_get(s->subject.space, samples ? permutation_at(&order, i) : i, choice);
        if (!choice || !plan_configuration(c, from, choice))
            return error_memory(e);
    }
    return true;
}

static bool plan_chosen(struct compare *c, uint32_t from, struct error *e)
{
    const struct side *s = &c->sides[from];
    for (uint32_t i = 0; i < c->o.chosen_count; i++) {
        struct error ignored = ERROR_INIT;
        const uint32_t *choice = spec_choice(s->o.spec, c->o.chosen[i], &c->arena, &ignored);
        bool is_there = choice && find_on_side(c, s, text_of_choice(c, s->o.spec, choice));
        if (ignored.code == ERROR_MEMORY || (is_there && !plan_configuration(c, from, choice)))
            return error_memory(e);
        if (!is_there)
            note_missing(&c->progress.only[from == 0], c->o.chosen[i]);
    }
    return true;
}

static bool plan_choices(struct compare *c, struct error *e)
{
    const uint32_t *choices[COMPARE_SIDES] = {NULL};
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct spec *spec = c->sides[i].o.spec;
        choices[i] = spec_choice(spec, c->o.choices[i], &c->arena, e);
        if (!choices[i])
            return error_context(e, "%s", spec->path);
    }
    return compare_add(c, choices) || error_memory(e);
}

// One of side `side`, of two: does the other one have it?
static bool note_if_alone(struct compare *c, uint32_t side, const uint32_t *choice)
{
    const char *text = text_of_choice(c, c->sides[side].o.spec, choice);
    if (text && !find_on_side(c, &c->sides[1 - side], text))
        note_missing(&c->progress.only[side], text);
    return text != NULL;
}

// Adds the configurations of the other side that the side of the list does not have.
static bool find_others_only(struct compare *c, uint32_t from, struct error *e)
{
    if (c->o.sample || c->o.chosen_count || c->side_count != 2)
        return true; // not all were requested
    const struct side *s = &c->sides[1 - from];
    if (s->o.stored)
        return each_stored(c, 1 - from, note_if_alone, e);
    for (uint64_t i = 0; i < space_count(s->subject.space); i++) {
        uint32_t *choice = arena_array(&c->arena, s->o.spec->parameter_count + 1, sizeof *choice);
        if (choice)
            space_get(s->subject.space, i, choice);
        if (!choice || !note_if_alone(c, 1 - from, choice))
            return error_memory(e);
    }
    return true;
}

static bool name_stored(struct compare *c, struct side *s, struct error *e)
{
    size_t count = s->o.stored->count;
    s->texts = arena_array(&c->arena, count + 1, sizeof(char *));
    for (size_t i = 0; s->texts && i < count; i++) {
        struct error ignored = ERROR_INIT;
        const uint32_t *choice =
            spec_choice(s->o.spec, s->o.stored->entries[i].configuration, &c->arena, &ignored);
        s->texts[i] = choice ? text_of_choice(c, s->o.spec, choice) : NULL;
    }
    return s->texts || error_memory(e);
}

bool compare_plan(struct compare *c, struct error *e)
{
    bool ok = true;
    uint32_t from = 0; // a side that is measured knows its configurations best
    for (uint32_t i = 0; ok && i < c->side_count; i++)
        ok = !c->sides[i].o.stored || name_stored(c, &c->sides[i], e);
    while (from + 1 < c->side_count && c->sides[from].o.stored)
        from++;
    if (c->sides[from].o.stored)
        from = 0;
    if (!ok)
        return false;
    if (c->o.choices)
        return plan_choices(c, e);
    if (c->o.chosen_count > 0)
        ok = plan_chosen(c, from, e);
    else if (c->sides[from].o.stored)
        ok = each_stored(c, from, plan_configuration, e);
    else
        ok = plan_space(c, from, e);
    if (ok && c->paired_run_count == 0)
        return error_set(e, ERROR_INPUT, "%s and %s have no configuration in common",
                         c->sides[0].o.label, c->sides[1].o.label);
    return ok && find_others_only(c, from, e);
}
