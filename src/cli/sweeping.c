// A sweep as the command line makes it: opens a line for the spec and for each --against, on one
// card, and makes the plan of points from --set.
#include "cli/sweeping.h"

#include "cli/comparing.h"
#include "workflows/peak/peak.h"

#include <string.h>

// ---- the whole ---------------------------------------------------------------------------------

void sweeping_init(struct sweeping *s, const struct invocation *call)
{
    memset(s, 0, sizeof *s);
    s->call = call;
    s->settings = call->settings;
    arena_init(&s->arena);
    once_init(&s->once);
}

void sweeping_release(struct sweeping *s)
{
    sweep_free(s->sweep);
    for (uint32_t i = 0; i < s->count; i++)
        work_release(&s->lines[i].work);
    once_release(&s->once);
    arena_release(&s->arena);
}

// ---- lines -------------------------------------------------------------------------------------

// The first argument, or what --against names. Its options are those of the whole sweep, but for
// the choice among configurations, which has the parameters of the first spec.
static void make_call(struct sweeping *s, struct sweeping_line *l, const char **argument)
{
    l->call = *s->call;
    l->call.arguments = argument;
    l->call.argument_count = 1;
    l->given = s->settings->given;
    l->given.set = (struct list){NULL, 0};
    if (l == s->lines)
        return;
    l->given.config = (struct list){NULL, 0};
    l->given.where = (struct list){NULL, 0};
}

static int refuse_several(const struct sweeping_line *l)
{
    if (l->work.goal.count < 2)
        return EXIT_DONE;
    complain("%s: a sweep shows one best configuration of each point, and several objectives have "
             "none; name one with --objective",
             l->work.spec->path);
    return EXIT_USAGE;
}

static struct sweeping_line *add_line(struct sweeping *s, const char **argument)
{
    struct sweeping_line *l = &s->lines[s->count++];
    make_call(s, l, argument);
    work_init(&l->work, &l->call, &l->given, &s->settings->measure);
    l->work.search = &s->settings->search;
    l->work.log = once_log(&s->once, &l->work.log);
    return l;
}

static int open_line(struct sweeping *s, const char **argument)
{
    struct sweeping_line *l = add_line(s, argument);
    int status = tuning_open(&l->work);
    if (status == EXIT_DONE)
        status = tuning_goal(&l->work);
    if (status == EXIT_DONE)
        status = refuse_several(l);
    if (status == EXIT_DONE)
        status = open_kept(&l->work);
    l->label = l->work.spec ? l->work.spec->name : "";
    return status;
}

// ---- the other lines ----------------------------------------------------------------------------

static int refuse_twice(const struct sweeping *s)
{
    const struct list *against = &s->settings->against;
    if (against->count >= SWEEP_LINES) {
        complain("a sweep has at most %d lines, and %u are named", SWEEP_LINES, against->count + 1);
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; i < against->count; i++) {
        bool again = str_equal(against->items[i], s->call->arguments[0]);
        for (uint32_t k = 0; k < i; k++)
            again = again || str_equal(against->items[i], against->items[k]);
        if (again) {
            complain("--against %s: it is there already", against->items[i]);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

// Has it the constants that the points set?
static int check_constants(struct sweeping *s, const struct sweeping_line *l)
{
    struct error e = ERROR_INIT;
    struct sweep_plan same;
    const struct list *set = &s->settings->given.set;
    if (sweep_plan_make(l->work.spec, set->items, set->count, s->plan.product, &s->arena, &same,
                        &e))
        return EXIT_DONE;
    error_context(&e, "%s", l->call.arguments[0]);
    return work_failed(&e);
}

static int open_spec(struct sweeping *s, const char **argument)
{
    int status = open_line(s, argument);
    struct sweeping_line *l = &s->lines[s->count - 1];
    devices_drop_worker(l->work.list);
    if (status == EXIT_DONE)
        status = comparing_on_one_card(&s->lines[0].work, &l->work);
    // Two specs may have one name: then their paths tell them apart.
    for (const struct sweeping_line *other = s->lines; other < l; other++) {
        if (str_equal(other->label, l->label))
            l->label = l->call.arguments[0];
    }
    return status == EXIT_DONE ? check_constants(s, l) : status;
}

// When all are known.
static int label_routines(struct sweeping *s)
{
    struct error e = ERROR_INIT;
    const struct against *all[SWEEP_LINES];
    size_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->lines[i].against.routine != ROUTINE_NONE)
            all[count++] = &s->lines[i].against;
    }
    int status = against_refuse_same(all, count);
    for (uint32_t i = 0; i < s->count && status == EXIT_DONE; i++) {
        struct sweeping_line *l = &s->lines[i];
        struct text label = TEXT_INIT;
        if (l->against.routine == ROUTINE_NONE)
            continue;
        against_label(&l->against, all, count, &label);
        l->label = text_to_arena(&label, &s->arena);
        if (!l->label && !error_memory(&e))
            status = work_failed(&e);
    }
    return status;
}

// Beside the first spec, whose work it does, on its device.
static int open_routine(struct sweeping *s, const char *text)
{
    struct error e = ERROR_INIT;
    struct text name = TEXT_INIT;
    struct sweeping_line *l = add_line(s, s->call->arguments);
    struct work *w = &l->work;
    w->read = s->lines[0].work.spec;
    int status = against_open(w, text, s->lines[0].work.device, &l->against);
    if (status != EXIT_DONE)
        return status;
    against_name(&l->against, w->spec->name, &name);
    l->name = text_to_arena(&name, &s->arena);
    if (!l->name && !error_memory(&e))
        status = work_failed(&e);
    return status;
}

static bool is_spec(const char *text)
{
    size_t length = strlen(text);
    return length > 5 && str_equal(text + length - 5, ".json");
}

bool option_line(void *field, const char *value, struct error *e)
{
    struct against ignored;
    if (is_spec(value) || against_read(value, &ignored, e))
        return option_list(field, value, e);
    return error_context(e, "a file that ends in .json is a spec, everything else a library");
}

// ---- the plan ----------------------------------------------------------------------------------

static int make_plan(struct sweeping *s)
{
    struct error e = ERROR_INIT;
    const struct list *set = &s->settings->given.set;
    if (set->count == 0) {
        complain("sweep needs --set NAME=VALUE,VALUE,...: the constants of its points");
        return EXIT_USAGE;
    }
    bool ok = sweep_plan_make(s->lines[0].work.spec, set->items, set->count, s->settings->product,
                              &s->arena, &s->plan, &e);
    if (ok && !(s->panels = arena_array(&s->arena, s->plan.point_count, sizeof *s->panels)))
        ok = error_memory(&e);
    if (!ok)
        return work_failed(&e);
    s->axis = sweep_plan_axis(&s->plan);
    s->panel_count = sweep_plan_panels(&s->plan, s->axis, s->panels);
    return EXIT_DONE;
}

int sweeping_open(struct sweeping *s)
{
    const struct list *against = &s->settings->against;
    struct error e = ERROR_INIT;
    int status = open_line(s, s->call->arguments);
    if (status == EXIT_DONE)
        status = make_plan(s);
    if (status == EXIT_DONE)
        status = refuse_twice(s);
    for (uint32_t i = 0; i < against->count && status == EXIT_DONE; i++)
        status = is_spec(against->items[i]) ? open_spec(s, &against->items[i])
                                            : open_routine(s, against->items[i]);
    if (status == EXIT_DONE)
        status = label_routines(s);
    const struct work *w = &s->lines[0].work;
    if (status == EXIT_DONE && w->store &&
        !peak_find(w->store, w->device, &s->arena, &s->lines[0].work.peak, &e))
        status = work_failed(&e);
    return status;
}

int sweeping_start(struct sweeping *s)
{
    struct error e = ERROR_INIT;
    const struct sweep_settings *given = s->settings;
    struct sweep_line *lines = arena_array(&s->arena, s->count, sizeof *lines);
    if (!lines && !error_memory(&e))
        return work_failed(&e);
    for (uint32_t i = 0; i < s->count; i++) {
        struct sweeping_line *l = &s->lines[i];
        struct work *w = &l->work;
        bool is_routine = l->against.routine != ROUTINE_NONE; // nothing is tuned
        struct hone_tune_options tune = (is_routine ? s->lines : l)->work.options;
        tune.log = &w->notices;
        tune.store = w->opened;
        if (!setup_tune(&w->setup, &tune, &e))
            return work_failed(&e);
        lines[i] = (struct sweep_line){.label = l->label,
                                       .path = w->spec->path,
                                       .spec = w->spec,
                                       .strict = given->given.strict,
                                       .routine = l->against.routine,
                                       .routine_library = l->against.library,
                                       .name = l->name,
                                       .means = given->known ? SWEEP_KNOWN : SWEEP_TUNE,
                                       .tune = w->setup.options};
        lines[i].tune.setup.device = w->device;
    }
    const struct hone_devices *list = s->lines[0].work.list;
    struct sweep_options o = {.lines = lines,
                              .line_count = s->count,
                              .plan = &s->plan,
                              .again = given->measure.fresh.ranking,
                              .rounds = (uint32_t)given->rounds.value,
                              .spare = list ? list->spare : NULL};
    s->sweep = sweep_new(&o, &e);
    return s->sweep ? EXIT_DONE : work_failed(&e);
}

void sweeping_report(struct sweeping *s, struct sweep_report *out)
{
    const struct work *w = &s->lines[0].work;
    work_about(&s->lines[0].work, &s->lines[0].work.broken, &s->lines[0].work.about);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sweeping_line *l = &s->lines[i];
        s->report_lines[i] = (struct sweep_report_line){
            l->label, l->work.spec->name, l->work.device, l->against.routine != ROUTINE_NONE};
    }
    *out = (struct sweep_report){.about = &s->lines[0].work.about,
                                 .spec = w->spec,
                                 .device = w->device,
                                 .plan = &s->plan,
                                 .lines = s->report_lines,
                                 .line_count = s->count,
                                 .axis = s->axis,
                                 .panel_count = s->panel_count,
                                 .panels = s->panels,
                                 .peak = &s->lines[0].work.peak};
    out->records = sweep_records(s->sweep, &out->count);
    sweep_progress(s->sweep, &out->progress);
}
