#include "cli/checking_known.h"

#include "cli/run_workflow.h"
#include "store/query/query.h"

#include <string.h>
#include <unistd.h>

// ---- one place ---------------------------------------------------------------------------------

static bool find_known(struct checking *c, struct best_answer *out, bool *found, struct error *e)
{
    struct work *w = &c->work;
    const struct best_options o = {.spec = w->spec,
                                   .device = w->device,
                                   .languages = 1u << w->device->language,
                                   .older_rule = true};
    struct store *const stores[] = {w->store, NULL};
    return best_find_today(&o, stores, &w->log, &w->arena, out, found, e);
}

// The configuration as it would be typed, in the settings of this check.
static bool choose_known(struct checking *c, const uint32_t *choice, struct error *e)
{
    struct text words = TEXT_INIT;
    const char **items = arena_array(&c->work.arena, 2, sizeof *items);
    work_configuration(c->work.spec, choice, &words);
    c->given = *c->work.given;
    c->work.given = &c->given;
    bool is_one = words.length > 0; // parameters of one value need not be named
    if (items && is_one)
        items[0] = arena_strdup(&c->work.arena, text_cstr(&words));
    bool ok = !words.failed && items && (!is_one || items[0]);
    c->given.config = (struct list){items, is_one ? 1 : 0};
    text_release(&words);
    return ok || error_memory(e);
}

int checking_take_known(struct checking *c)
{
    struct error e = ERROR_INIT;
    struct work *w = &c->work;
    struct best_answer best = {.result = NULL};
    bool found = false;
    bool ok = find_known(c, &best, &found, &e);
    bool is_there = ok && found && best.choice;
    ok = ok && (!is_there || choose_known(c, best.choice, &e));
    if (found)
        result_free(best.result);
    if (!ok)
        return workflow_failed(&e);
    if (is_there)
        return EXIT_DONE;
    complain("%s: the store has no best for it on %s that could be verified again", w->spec->path,
             w->device->name);
    return EXIT_NOTHING;
}

// ---- all of a store ----------------------------------------------------------------------------

static bool is_here(const struct work *w, const struct store_row *row)
{
    for (size_t i = 0; i < w->devices.device_count; i++) {
        const struct device_info *d = &w->devices.devices[i];
        if (str_equal(d->name, row->device) && str_equal(language_text(d->language), row->language))
            return true;
    }
    return false;
}

static bool is_of_spec_named(const struct invocation *i, const struct store_row *row)
{
    const char *slash = strrchr(row->spec_path, '/');
    const char *name = slash ? slash + 1 : row->spec_path;
    const char *given = i->argument_count ? strrchr(i->arguments[0], '/') : NULL;
    if (i->argument_count == 0)
        return true;
    return str_equal(given ? given + 1 : i->arguments[0], name);
}

// "K=64, M=64" as words of --set.
static bool split_constants(struct arena *a, const char *constants, struct list *out)
{
    size_t most = 1;
    for (const char *at = constants; *at; at++)
        most += *at == ',';
    const char **items = arena_array(a, most + 1, sizeof *items);
    out->items = items;
    out->count = 0;
    for (const char *at = constants; items && *at;) {
        const char *end = strstr(at, ", ");
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (!(items[out->count++] = arena_strndup(a, at, length)))
            return false;
        at += length + (end ? 2 : 0);
    }
    return items != NULL;
}

// Checks with the settings of the command line, but with the device, language and constants of `row`.
static int check_place(struct invocation *i, const struct check_settings *settings,
                       const struct store_row *row, struct arena *a,
                       int (*check)(struct invocation *i, const struct check_settings *settings))
{
    struct check_settings own = *settings;
    struct invocation one = *i;
    const char *path = i->argument_count ? i->arguments[0] : row->spec_path;
    own.given.device = row->device;
    own.given.language.is_given = language_parse(row->language, &own.given.language.language);
    if (!split_constants(a, row->constants, &own.given.set))
        return EXIT_NOTHING;
    one.arguments = &path;
    one.argument_count = 1;
    return check(&one, &own);
}

static int worse_of(int a, int b)
{
    return a > b ? a : b;
}

static const char *why_left(const struct invocation *i, const struct work *w,
                            const struct store_row *row)
{
    if (!is_here(w, row))
        return "there is no such device here";
    return i->argument_count || access(row->spec_path, R_OK) == 0 ? NULL : "the spec is missing";
}

int checking_known(struct invocation *i, const struct check_settings *settings,
                   int (*check)(struct invocation *i, const struct check_settings *settings))
{
    struct error e = ERROR_INIT;
    struct work w;
    struct store_row *rows = NULL;
    size_t count = 0, checked = 0;
    work_init(&w, i, &settings->given, &settings->measure);
    int status = work_store(&w, HONE_STORE_READ);
    if (status == EXIT_DONE)
        status = work_devices(&w, NULL, NULL);
    if (status == EXIT_DONE && !store_places(w.store, &w.arena, &rows, &count, &e))
        status = workflow_failed(&e);
    work_drop_workers(&w);
    work_close_store(&w);
    for (size_t k = 0; k < count && status < EXIT_SIGNAL; k++) {
        if (!is_of_spec_named(i, &rows[k]))
            continue;
        const char *why = why_left(i, &w, &rows[k]);
        if (why)
            complain("left out: %s, %s, on %s (%s): %s", rows[k].spec_path, rows[k].constants,
                     rows[k].device, rows[k].language, why);
        else
            status = worse_of(status, check_place(i, settings, &rows[k], &w.arena, check));
        checked += !why;
    }
    if (status == EXIT_DONE && checked == 0) {
        complain("none of the stored results could be verified again here");
        status = EXIT_NOTHING;
    }
    work_release(&w);
    return status;
}
