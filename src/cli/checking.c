#include "cli/checking.h"

#include "cli/architecture.h"
#include "cli/crash.h"
#include "cli/race_json.h"
#include "cli/simulator.h"
#include "cli/tuning.h"
#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

void checking_init(struct checking *c, const struct invocation *call)
{
    memset(c, 0, sizeof *c);
    work_init(&c->work, call);
}

void checking_release(struct checking *c)
{
    check_free(c->check);
    work_release(&c->work);
}

// ---- options -----------------------------------------------------------------------------------

// "M,N=16": the names that have one value, and the smallest to try.
static bool read_smallest(struct arena *a, const char *word, struct check_smallest *out,
                          struct error *e)
{
    char *copy = arena_strdup(a, word), *rest = NULL;
    const char **names = arena_array(a, strlen(word) + 1, sizeof *names);
    if (!copy || !names)
        return error_memory(e);
    char *equals = strchr(copy, '=');
    out->least = 1;
    if (equals) {
        *equals = '\0';
        if (!str_to_i64(equals + 1, &out->least) || out->least < 1)
            return error_set(e, ERROR_USAGE,
                             "--smallest %s: '%s' is no whole number above 0; write NAME=LEAST",
                             word, equals + 1);
    }
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        names[out->count++] = name;
    out->names = names;
    return out->count > 0 ||
           error_set(e, ERROR_USAGE, "--smallest %s: write NAME or NAME,NAME", word);
}

static bool set_smallest(struct checking *c, struct error *e)
{
    const struct list *given = &c->work.call->settings.smallest;
    struct arena *a = &c->work.arena;
    struct check_smallest *list = arena_array(a, given->count + 1, sizeof *list);
    if (!list)
        return error_memory(e);
    for (uint32_t i = 0; i < given->count; i++) {
        if (!read_smallest(a, given->items[i], &list[i], e))
            return false;
    }
    c->options.smallest = list;
    c->options.smallest_count = given->count;
    return true;
}

static bool fill_options(struct checking *c, struct error *e)
{
    struct work *w = &c->work;
    const struct settings *s = &w->call->settings;
    c->options = (struct check_options){
        WORK_OPTIONS(w),
        .spec_options = work_spec_options(w),
        .sample = s->sample.value,
        .build_only = s->build_only,
        .allowed = s->allow.statuses,
        .allow_unverified = s->allow.unverified || s->of_reference,
        .of_reference = s->of_reference,
    };
    return set_smallest(c, e);
}

int checking_failed(const struct error *e)
{
    return tuning_failed(e);
}

// What nothing is held against cannot be right or wrong.
static int refuse_unverified(const struct checking *c)
{
    const char *against;
    const struct settings *s = &c->work.call->settings;
    enum verification v = check_verification(c->check, &against);
    if (v != VERIFICATION_NONE || s->allow.unverified || s->build_only || s->of_reference)
        return EXIT_DONE;
    complain("%s: NOT VERIFIED: the spec has nothing to hold results against. Give it a Reference "
             "(or mark an Output); or say --allow unverified, to find crashes and writes out of "
             "bounds alone, or --build-only",
             c->work.spec->path);
    return EXIT_NOTHING;
}

static int open_store(struct checking *c)
{
    const struct settings *s = &c->work.call->settings;
    if (s->build_only || s->races) // tell nothing of what the store keeps
        return EXIT_DONE;
    int status = open_kept(&c->work);
    c->options.store = c->work.store;
    return status;
}

// A result tells nothing of races: the store can neither answer nor keep one. Each check has a
// simulator of its own, and nothing is timed: nobody needs to wait for another.
static void simulate(struct check_options *o, const struct settings *s, const char *log)
{
    o->races_log = log;
    o->lock_folder = NULL;
    o->jobs = 1;
    if (!s->limits.launch_ns)
        o->terms.launch_limit_ns = RACES_LAUNCH_LIMIT_NS;
}

// ---- starting ----------------------------------------------------------------------------------

static int open_device(struct checking *c)
{
    const struct settings *s = &c->work.call->settings;
    if (s->races)
        return simulator_open(&c->work, &c->races_log);
    return s->arch ? architecture_open(&c->work) : work_device(&c->work);
}

int checking_start(struct checking *c)
{
    struct error e = ERROR_INIT;
    struct work *w = &c->work;
    bool races = w->call->settings.races;
    int status = work_spec(w);
    if (status == EXIT_DONE)
        status = open_device(c);
    if (status != EXIT_DONE)
        return status;
    if (!fill_options(c, &e))
        return checking_failed(&e);
    if (races)
        simulate(&c->options, &w->call->settings, c->races_log);
    status = open_store(c);
    if (status != EXIT_DONE)
        return status;
    c->check = check_new(&c->options, &e);
    return c->check ? refuse_unverified(c) : checking_failed(&e);
}

// ---- views -------------------------------------------------------------------------------------

// The command line that shows one configuration again.
static const char *command_of(struct checking *c, const struct check_record *r)
{
    const struct work *w = &c->work;
    const struct settings *s = &w->call->settings;
    struct text out = TEXT_INIT, configuration = TEXT_INIT;
    bool crashed = result_crashed(r->result) && crash_is_simulated(w);
    bool again = s->races || s->build_only || crashed;
    text_add(&out, again ? "hone check " : "hone run ");
    work_same(w, &out);
    for (const char *size = r->sizes; *size;) {
        size_t length = strcspn(size, ",");
        text_addf(&out, " --set %.*s", (int)length, size);
        size += length + strspn(size + length, ", ");
    }
    work_configuration(w->spec, r->choice, &configuration);
    if (configuration.length) { // parameters of one value need not be named
        text_add(&out, " --config ");
        text_add_shell(&out, text_cstr(&configuration));
    }
    if (s->arch)
        text_addf(&out, " --arch %s", s->arch);
    text_add(&out, s->races || crashed ? " --races" : s->build_only ? " --build-only" : "");
    text_add(&out, s->of_reference ? " --reference" : "");
    text_add(&out, crashed && s->allow.unverified ? " --allow unverified" : "");
    bool ok = !out.failed && !configuration.failed;
    const char *copy = ok ? arena_strdup(&c->work.arena, text_cstr(&out)) : NULL;
    text_release(&configuration);
    text_release(&out);
    return copy;
}

static const char *keep(struct checking *c, struct text *text)
{
    const char *copy = text->failed ? NULL : arena_strdup(&c->work.arena, text_cstr(text));
    text_release(text);
    return copy;
}

static bool add_races(struct checking *c, const struct races *races, struct view_checked *out)
{
    struct text text = TEXT_INIT, json = TEXT_INIT;
    struct emit j;
    emit_start(&j, &json);
    emit_array(&j);
    for (size_t i = 0; races && i < races->count; i++) {
        race_text(&races->races[i], &text);
        race_emit(&j, &races->races[i]);
    }
    emit_array_end(&j);
    bool found = text.length > 0;
    const char *words = keep(c, &text);
    out->races = found ? words : NULL;
    out->races_json = keep(c, &json);
    return words && out->races_json;
}

static const char *constants_of(struct checking *c, const struct spec *spec)
{
    struct text json = TEXT_INIT;
    struct emit j;
    if (spec == c->work.spec)
        return c->work.constants_json;
    emit_start(&j, &json);
    emit_constants(&j, spec);
    return keep(c, &json);
}

static enum view_verdict outcome_of(enum check_verdict v)
{
    static const enum view_verdict outcomes[] = {[CHECK_PASSED] = VIEW_PASSED,
                                                 [CHECK_LIMITED] = VIEW_SKIPPED,
                                                 [CHECK_ALLOWED] = VIEW_SKIPPED,
                                                 [CHECK_UNVERIFIED] = VIEW_FAILED,
                                                 [CHECK_FAILED] = VIEW_FAILED};
    return outcomes[v];
}

bool checking_view(struct checking *c, const struct check_record *r, struct view_checked *out)
{
    *out = (struct view_checked){.configuration = r->configuration,
                                 .configuration_json = r->configuration_json,
                                 .sizes = r->sizes,
                                 .constants_json = constants_of(c, r->spec),
                                 .result = r->result,
                                 .outcome = outcome_of(r->verdict),
                                 .verdict = check_verdict_text(r->verdict),
                                 .same_as = r->same_as ? r->same_as->configuration : NULL};
    if (out->outcome == VIEW_FAILED && !(out->command = command_of(c, r)))
        return false;
    return out->constants_json && (!c->races_log || add_races(c, r->races, out));
}

static struct view_check check_of(const struct checking *c)
{
    struct view_check check;
    check.kind = check_verification(c->check, &check.against);
    return check;
}

void checking_run_view(struct checking *c, struct view_run *out)
{
    struct check_progress p;
    struct digest source;
    check_progress(c->check, &p);
    check_source_digest(c->check, &source);
    work_run_view(&c->work, &source, out);
    out->strategy = p.planned < p.valid ? "random" : "exhaustive";
    out->cartesian = space_cartesian_text(check_space(c->check));
    out->valid = p.valid;
    out->planned = p.planned;
    out->check = check_of(c);
    out->build_only = c->options.build_only;
}

// By the numbers in them: "N=16" before "N=128".
static int by_sizes(const void *a, const void *b)
{
    return strverscmp(((const struct view_size *)a)->sizes, ((const struct view_size *)b)->sizes);
}

static bool add_sizes(struct checking *c, const struct check_record *const *records, size_t count,
                      struct view_check_end *out)
{
    struct view_size *list = arena_array(&c->work.arena, count + 1, sizeof *list);
    out->sizes = list;
    for (size_t i = 0; list && i < count; i++) {
        if (!records[i]->sizes[0])
            continue;
        size_t at = 0;
        while (at < out->size_count && !str_equal(list[at].sizes, records[i]->sizes))
            at++;
        out->size_count += at == out->size_count;
        list[at].sizes = records[i]->sizes;
        list[at].count++;
    }
    if (list)
        qsort(list, out->size_count, sizeof *list, by_sizes);
    return list != NULL;
}

static bool add_findings(struct checking *c, struct view_check_end *out)
{
    size_t count;
    const struct check_finding *findings = check_findings(c->check, &count);
    struct view_finding *list = arena_array(&c->work.arena, count + 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const struct check_record *r = findings[i].example;
        struct text words = TEXT_INIT;
        race_text(&findings[i].race, &words);
        list[i].text = keep(c, &words);
        list[i].configurations = findings[i].configurations;
        list[i].command = command_of(c, r);
        list[i].example = r->sizes[0]
                              ? arena_printf(&c->work.arena, "%s at %s", r->configuration, r->sizes)
                              : r->configuration;
        ok = list[i].text && list[i].command && list[i].example;
    }
    out->findings = list;
    out->finding_count = ok ? count : 0;
    return ok;
}

static bool add_outcomes(struct checking *c, struct view_check_end *out)
{
    struct view_outcome *list = arena_array(&c->work.arena, out->count + 1, sizeof *list);
    for (size_t i = 0; list && i < out->count; i++)
        list[i] = (struct view_outcome){out->records[i].configuration, out->records[i].same_as,
                                        out->records[i].result};
    out->outcomes = list;
    out->shown = report_shown(&out->check, list, list ? out->count : 0);
    return list != NULL;
}

bool checking_end_view(struct checking *c, struct view_check_end *out)
{
    size_t count;
    struct check_progress p;
    const struct check_record *const *records = check_records(c->check, &count);
    struct view_checked *views = arena_array(&c->work.arena, count + 1, sizeof *views);
    bool ok = views != NULL;
    check_progress(c->check, &p);
    *out = (struct view_check_end){.records = views,
                                   .simulated = c->races_log != NULL,
                                   .build_only = c->options.build_only,
                                   .planned = p.planned,
                                   .valid = p.valid,
                                   .reused = p.reused,
                                   .identical = p.identical,
                                   .elapsed_ns = p.elapsed_ns,
                                   .cancelled = p.cancelled,
                                   .broken = c->broken.code ? c->broken.text : NULL,
                                   .check = check_of(c)};
    for (size_t i = 0; ok && i < count; i++)
        ok = checking_view(c, records[i], &views[i]);
    out->count = ok ? count : 0;
    ok = ok && add_outcomes(c, out);
    return ok && add_sizes(c, records, count, out) && add_findings(c, out);
}
