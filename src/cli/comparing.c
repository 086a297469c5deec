// A comparison as the command line makes it. Of several specs the best of each is looked up in the
// store, or tuned first; of two sides of one spec configurations are chosen.
#include "cli/run_workflow.h"
#include "cli/comparing.h"

#include "cli/interrupt.h"
#include "report/progress.h"

#include <string.h>

// ---- sides -------------------------------------------------------------------------------------

void comparing_side_init(struct comparing_side *s, const struct invocation *call,
                         const char **argument, const struct spec_settings *given,
                         const struct measure_settings *measure, const struct work *first)
{
    s->call = *call;
    s->call.arguments = argument;
    s->call.argument_count = 1;
    s->given = *given;
    work_init(&s->work, &s->call, &s->given, measure);
    s->work.nodes_of = first;
}

void comparing_side_release(struct comparing_side *s)
{
    stored_release(&s->stored);
    work_release(&s->work);
    list_release(&s->flags);
    text_release(&s->label);
    text_release(&s->name);
}

int comparing_open_routine(struct comparing_side *s, const char *text, const struct work *first)
{
    struct work *w = &s->work;
    w->read = first->spec;
    int status = against_open(w, text, first->device, &s->against);
    if (status == EXIT_DONE && w->device != first->device)
        return work_places(w);
    w->places = first->places;
    return status;
}

static bool is_routine(const struct comparing_side *s)
{
    return s->against.routine != ROUTINE_NONE;
}

int comparing_name_routines(struct comparing_side *sides, uint32_t count)
{
    const struct against *all[COMPARE_SIDES] = {NULL};
    size_t routines = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_routine(&sides[i]))
            all[routines++] = &sides[i].against;
    }
    int status = against_refuse_same(all, routines);
    for (uint32_t i = 0; i < count && status == EXIT_DONE; i++) {
        struct comparing_side *s = &sides[i];
        if (!is_routine(s))
            continue;
        against_label(&s->against, all, routines, &s->label);
        against_name(&s->against, s->work.spec->name, &s->name);
    }
    return status;
}

void comparing_part(const struct comparing_side *s, struct compare_side *out)
{
    const struct work *w = &s->work;
    *out = (struct compare_side){.label = text_cstr(&s->label),
                                 .spec = w->spec,
                                 .device = w->device,
                                 .places = w->places.list,
                                 .place_count = w->places.count,
                                 .flags = s->flags.items,
                                 .flag_count = s->flags.count,
                                 .routine = s->against.routine,
                                 .routine_library = s->against.library,
                                 .stored = s->run ? &s->stored : NULL,
                                 .store = s->run ? NULL : w->store,
                                 .name = s->name.length ? text_cstr(&s->name) : NULL};
}

// ---- the comparison ----------------------------------------------------------------------------

void comparing_init(struct comparing *c, const struct invocation *call)
{
    memset(c, 0, sizeof *c);
    c->call = call;
    c->settings = call->settings;
    arena_init(&c->arena);
}

void comparing_release(struct comparing *c)
{
    compare_free(c->compare);
    for (uint32_t i = c->count; i-- > 0;) { // the first side's nodes serve all
        if (!c->of_specs)
            list_release(&c->sides[i].given.set);
        comparing_side_release(&c->sides[i]);
    }
    spec_free(c->read);
    arena_release(&c->arena);
}

// ---- several specs -----------------------------------------------------------------------------

static bool is_named_before(const struct comparing *c, uint32_t argument)
{
    for (uint32_t i = 0; i < argument; i++) {
        if (str_equal(c->call->arguments[i], c->call->arguments[argument]))
            return true;
    }
    return false;
}

// Its name is all that tells a spec's best from another's.
static int refuse_twice(const struct comparing *c)
{
    for (uint32_t i = 1; i < c->call->argument_count; i++) {
        if (!is_named_before(c, i))
            continue;
        complain("%s is named twice; for two sides of one spec name it once, and give the "
                 "difference with --left and --right",
                 c->call->arguments[i]);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static struct comparing_side *add_side(struct comparing *c, uint32_t argument)
{
    struct comparing_side *s = &c->sides[c->count++];
    comparing_side_init(s, c->call, &c->call->arguments[argument], &c->settings->given,
                        &c->settings->measure, &c->sides[0].work);
    return s;
}

static int open_routines(struct comparing *c)
{
    const struct list *against = &c->settings->against;
    if (c->count + against->count > COMPARE_SIDES)
        return refuse(EXIT_USAGE, "at most %d specs and libraries can be compared; %u are given",
                      COMPARE_SIDES, c->count + against->count);
    for (uint32_t i = 0; i < against->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (!str_equal(against->items[i], against->items[k]))
                continue;
            return refuse(EXIT_USAGE, "--against %s is given twice", against->items[i]);
        }
        int status = comparing_open_routine(add_side(c, 0), against->items[i], &c->sides[0].work);
        if (status != EXIT_DONE)
            return status;
    }
    return comparing_name_routines(c->sides, c->count);
}

static int open_specs(struct comparing *c)
{
    int status = refuse_twice(c);
    c->of_specs = true;
    for (uint32_t i = 0; i < c->call->argument_count && status == EXIT_DONE; i++) {
        struct comparing_side *s = add_side(c, i);
        status = tuning_open(&s->work);
        work_drop_workers(&s->work);
        if (status == EXIT_DONE)
            status = open_kept(&s->work);
    }
    c->spec_count = c->count;
    for (uint32_t i = 1; i < c->count && status == EXIT_DONE; i++)
        status = comparing_on_one_card(&c->sides[0].work, &c->sides[i].work);
    return status == EXIT_DONE ? open_routines(c) : status;
}

// "sum_plain" and "sum_tree" are "plain" and "tree".
static size_t shared_prefix(const struct comparing *c)
{
    const char *first = c->sides[0].work.spec->name;
    size_t shared = 0;
    for (size_t at = 0; c->spec_count > 1 && first[at]; at++) {
        for (uint32_t i = 1; i < c->spec_count; i++) {
            const char *other = c->sides[i].work.spec->name;
            if (other[at] != first[at])
                return shared;
        }
        if (first[at] == '_' || first[at] == '-')
            shared = at + 1;
    }
    return shared;
}

static bool label_specs(struct comparing *c)
{
    bool ok = true;
    size_t prefix = shared_prefix(c);
    for (uint32_t i = 0; i < c->count; i++) {
        struct comparing_side *s = &c->sides[i];
        if (i < c->spec_count) {
            text_add(&s->label, s->work.spec->name + prefix);
            text_add(&s->name, s->work.spec->name);
        }
        ok = ok && !s->label.failed && !s->name.failed;
    }
    return ok;
}

// ---- the best of a spec ------------------------------------------------------------------------

// Asks the store. *configuration stays NULL if its answer does not fit today's spec, or is the best
// of a few only: a run or a comparison says nothing about the rest of the space, a tune's ranking
// does. *part: there is a ranking of a part of the space.
static int ask_store(struct comparing *c, struct comparing_side *s, const char **configuration,
                     const char **part)
{
    struct error e = ERROR_INIT;
    const struct measure_settings *m = &c->settings->measure;
    struct best_answer answer;
    bool found = false;
    const struct setup setup = {.spec = s->work.spec,
                                .at.device = s->work.device,
                                .store = s->work.store,
                                .fresh = m->terms.fresh,
                                .space = work_space(&c->settings->given),
                                .terms.cold = m->terms.cold,
                                .log = &s->work.log};
    bool ok = best_in_place_of(&setup, NULL, &c->arena, &answer, &found, &e);
    if (ok && found) {
        *part = answer.place.ranked ? answer.place.part : NULL;
        *configuration = answer.place.ranked && !*part ? answer.configuration : NULL;
        result_free(answer.result);
    }
    return ok ? EXIT_DONE : workflow_failed(&e);
}

// Results measured so far are in the store, and the same command continues from there.
static int say_ended(const struct comparing_side *s)
{
    struct hone_progress p = HONE_PROGRESS_INIT;
    const struct work *w = &s->work;
    hone_tune_progress(s->work.handle, &p);
    say("Ended while tuning %s, and nothing was compared: ", w->spec->name);
    if (w->store)
        say("%llu of %llu configurations are done and kept in %s; the same command goes on "
            "from there.\n",
            (unsigned long long)p.done, (unsigned long long)p.planned, store_path(w->store));
    else
        say("without a store the measurements are lost.\n");
    return EXIT_SIGNAL + interrupt_pending();
}

static void show_side_tune_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct work *t = context;
    struct tune_view tuned;
    tune_view(tune_of(t->handle), &tuned);
    report_tune_progress(&tuned.progress, &tuned.options->objectives, t->spec, screen, line);
}

static int run_tune(struct comparing_side *s)
{
    struct work *t = &s->work;
    struct running running = {.workflow = tune_workflow(tune_of(t->handle)),
                              .work = t,
                              .context = t,
                              .progress = show_side_tune_progress};
    workflow_run(&running);
    if (t->broken.code)
        return workflow_failed(&t->broken);
    return running.ending ? say_ended(s) : EXIT_DONE;
}

static int tune_first(struct comparing *c, struct comparing_side *s, const char *part,
                      const char **configuration)
{
    struct work *w = &s->work;
    struct hone_progress p = HONE_PROGRESS_INIT;
    say("Tuning %s first: %s%s%s.\n", w->spec->name,
        !w->store ? "there are no results without a store"
        : part    ? "the store has a ranking of only a part of it"
                  : "the store has no ranking of it for this device",
        part && part[0] ? ", " : "", part ? part : "");
    work_close_store(w);             // it opens its own
    s->work.options.leaving = false; // the comparison follows
    int status = tuning_start(&s->work, NULL);
    if (status == EXIT_DONE)
        status = run_tune(s);
    if (status != EXIT_DONE)
        return status;
    hone_tune_progress(s->work.handle, &p);
    *configuration = p.best ? arena_strdup(&c->arena, hone_record_configuration(p.best)) : NULL;
    hone_tune_free(s->work.handle);
    s->work.handle = NULL;
    // A known configuration of a part of the space that the strategy did not ask for may be clearly
    // faster.
    const char *known = NULL;
    status = *configuration && part ? ask_store(c, s, &known, &part) : EXIT_DONE;
    *configuration = known ? known : *configuration;
    if (status != EXIT_DONE || *configuration)
        return status;
    return refuse(EXIT_NOTHING, "%s: no configuration gave a correct result", w->spec->path);
}

static int choose_bests(struct comparing *c)
{
    const char **choices = arena_array(&c->arena, c->count, sizeof(char *));
    int status = choices ? EXIT_DONE : EXIT_NOTHING;
    for (uint32_t i = c->spec_count; choices && i < c->count; i++)
        choices[i] = "";
    for (uint32_t i = 0; i < c->spec_count && status == EXIT_DONE; i++) {
        const char *part = NULL;
        status = ask_store(c, &c->sides[i], &choices[i], &part);
        if (status == EXIT_DONE && !choices[i])
            status = tune_first(c, &c->sides[i], part, &choices[i]);
    }
    c->options.choices = choices;
    return status;
}

// ---- which configurations ----------------------------------------------------------------------

static int choose_configurations(struct comparing *c)
{
    const struct compare_settings *s = c->settings;
    if (c->of_specs)
        return choose_bests(c);
    if (s->sample.is_top) {
        c->options.top = s->sample.count;
        return EXIT_DONE;
    }
    c->options.sample = s->sample.count;
    bool is_said = s->sample.count > 0 || s->given.config.count + s->given.where.count > 0;
    bool is_stored = c->sides[0].run || c->sides[1].run;
    c->options.sample_many = !is_said && !is_stored;
    return EXIT_DONE;
}

// ---- the whole ---------------------------------------------------------------------------------

static int refuse_mixture(const struct compare_settings *s)
{
    const char *option = s->left.count ? "--left" : s->right.count ? "--right" : NULL;
    option = s->sample.count ? "--sample" : option;
    if (!option)
        return EXIT_DONE;
    complain("%s is for two sides of one spec; of several specs, and beside --against, the best of "
             "each are compared",
             option);
    return EXIT_USAGE;
}

int comparing_open(struct comparing *c)
{
    int status = EXIT_DONE;
    bool of_bests = c->call->argument_count > 1 || c->settings->against.count > 0;
    if (of_bests)
        status = refuse_mixture(c->settings);
    if (status == EXIT_DONE)
        status = of_bests ? open_specs(c) : comparing_sides(c);
    if (status != EXIT_DONE)
        return status;
    if (c->of_specs ? !label_specs(c) : !comparing_labels(c))
        return refuse(EXIT_NOTHING, "out of memory");
    if (c->of_specs || c->sides[0].label.length > 0)
        return EXIT_DONE;
    complain("both sides are the same; --left and --right give the difference: device, language, "
             "option, set or run");
    return EXIT_USAGE;
}

int comparing_start(struct comparing *c)
{
    struct error e = ERROR_INIT;
    const struct compare_settings *s = c->settings;
    struct comparing_side *live = &c->sides[c->sides[0].run && !c->sides[1].run];
    struct work *w = &live->work;
    int status = choose_configurations(c);
    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; i < c->count; i++)
        comparing_part(&c->sides[i], &c->parts[i]);
    c->options.sides = c->parts;
    c->options.side_count = c->count;
    c->options.rounds = s->rounds;
    const struct hone_tune_options options = work_options(w);
    if (setup_init(&w->setup, &options, &e)) {
        c->options.setup = w->setup.options.setup;
        c->compare = compare_new(&c->options, &e);
    }
    if (e.code == ERROR_STORE && c->options.top)
        error_context(&e, "--sample top");
    return c->compare ? EXIT_DONE : workflow_failed(&e);
}
