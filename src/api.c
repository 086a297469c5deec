// The public interface: handles of include/hone/hone.h -> internals. Thin: what is decided here is
// ownership and defaults, nothing else.
//
// A spec, space, store and record are the internal structs under a public name, which nobody
// outside can look into; devices and tunes are wrapped, since they need a place for what they
// borrow.
#include "hone/hone.h"

#include "base/scratch.h"
#include "base/text.h"
#include "best.h"
#include "defaults.h"
#include "job/policy.h"
#include "protocol/protocol.h"
#include "space/space.h"
#include "spec/spec.h"
#include "store/store.h"
#include "tune.h"

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

// Public lists repeat internal ones in the same order, which their ends show.
_Static_assert((int)HONE_ERROR_INTERNAL == (int)ERROR_INTERNAL, "error codes");
_Static_assert(sizeof((struct hone_error){0}.text) == sizeof((struct error){0}.text), "error text");
_Static_assert((int)HONE_CONSTRAINTS + 1 == (int)STATUS_COUNT, "statuses");
_Static_assert((int)HONE_ACCELERATOR + 1 == (int)DEVICE_TYPE_COUNT, "device types");
_Static_assert((int)HONE_DEBUG == (int)LOG_DEBUG, "levels of notices");
_Static_assert((int)HONE_BROKEN == (int)TUNE_BROKEN && (int)HONE_END == (int)TUNE_END, "answers");

const char *hone_version(void)
{
    return HONE_VERSION;
}

// ---- passing things across ---------------------------------------------------------------------

// Hands an error to the caller, who keeps a first one. Returns whether there was none.
static bool hand_over(const struct error *from, struct hone_error *to)
{
    if (from->code == ERROR_NONE)
        return true;
    if (to && to->code == HONE_ERROR_NONE) {
        to->code = (enum hone_error_code)from->code;
        to->driver = from->driver;
        memcpy(to->text, from->text, sizeof to->text);
    }
    return false;
}

// As snprintf(); releases the text.
static size_t give(struct text *t, char *out, size_t size)
{
    size_t length = t->failed ? 0 : t->length;
    size_t written = length < size ? length : size - 1;
    if (size > 0) {
        memcpy(out, t->failed ? "" : text_cstr(t), written);
        out[written] = 0;
    }
    text_release(t);
    return length;
}

// A caller's sink under the internal interface.
struct bridge {
    struct log log;
    struct hone_log theirs;
};

static void pass_on(void *context, enum log_level level, const char *message)
{
    const struct hone_log *theirs = context;
    if (theirs->notice)
        theirs->notice(theirs->context, (enum hone_level)level, message);
}

static const struct log *bridge_init(struct bridge *b, const struct hone_log *theirs)
{
    if (!theirs)
        return NULL;
    b->theirs = *theirs;
    b->log = (struct log){.sink = pass_on, .context = &b->theirs};
    return &b->log;
}

static uint32_t list_length(const char *const *list)
{
    uint32_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

// A copy of a list that NULL ends; NULL (and *failed) without memory.
static const char *const *copy_list(struct arena *a, const char *const *list, bool *failed)
{
    if (!list)
        return NULL;
    uint32_t count = list_length(list);
    const char **copy = arena_array(a, count + 1, sizeof(*copy));
    for (uint32_t i = 0; copy && i < count; i++) {
        copy[i] = arena_strdup(a, list[i]);
        *failed |= !copy[i];
    }
    *failed |= !copy;
    return copy;
}

static const char *copy_text(struct arena *a, const char *text, bool *failed)
{
    char *copy = arena_strdup(a, text);
    *failed |= text && !copy;
    return copy;
}

// ---- workers -----------------------------------------------------------------------------------

// Where workers have their temporary files: a folder of their tune's own, which goes with it, since
// a worker that is killed cleans up nothing. Left to the caller who names one.
struct workplace {
    struct scratch scratch;
    const char *const *environment; // for workers
};

// The value of NAME (with its "=") in a list of NAME=VALUE; NULL when it is not there.
static const char *value_in(const char *const *list, const char *name)
{
    for (; list && *list; list++) {
        if (str_starts(*list, name))
            return *list + strlen(name);
    }
    return NULL;
}

static bool workplace_init(struct workplace *w, struct arena *a, const char *const *additions,
                           struct error *e)
{
    static const char name[] = "HONE_WORKER_SCRATCH=";
    const char *parent = value_in(additions, "TMPDIR=");
    uint32_t count = list_length(additions);
    *w = (struct workplace){.scratch = SCRATCH_NONE};
    const char **list = arena_array(a, count + 2, sizeof(*list));
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && additions && i < count; i++)
        ok = (list[i] = arena_strdup(a, additions[i])) != NULL;
    if (!ok)
        return error_memory(e);
    w->environment = list;
    if (value_in(additions, name))
        return true;
    if (!scratch_make(&w->scratch, parent ? parent : "/tmp", e))
        return false;
    list[count] = arena_printf(a, "%s%s", name, w->scratch.path);
    return list[count] || error_memory(e);
}

// ---- specs -------------------------------------------------------------------------------------

static const struct spec *spec_of(const struct hone_spec *s)
{
    return (const struct spec *)s;
}

struct hone_spec *hone_spec_load(const char *path, const char *const *set,
                                 const struct hone_log *log, struct hone_error *e)
{
    struct bridge bridge;
    struct error why = ERROR_INIT;
    struct spec_options options = {
        .set = set, .set_count = list_length(set), .log = bridge_init(&bridge, log)};
    struct spec *s = spec_load(path, &options, &why);
    hand_over(&why, e);
    return (struct hone_spec *)s;
}

void hone_spec_free(struct hone_spec *s)
{
    spec_free((struct spec *)s);
}

const char *hone_spec_name(const struct hone_spec *s)
{
    return spec_of(s)->name;
}

size_t hone_spec_parameters(const struct hone_spec *s)
{
    return spec_of(s)->parameter_count;
}

const char *hone_spec_parameter(const struct hone_spec *s, size_t parameter)
{
    return spec_of(s)->parameters[parameter].name;
}

size_t hone_spec_values(const struct hone_spec *s, size_t parameter)
{
    return spec_of(s)->parameters[parameter].count;
}

size_t hone_spec_value(const struct hone_spec *s, size_t parameter, size_t value, char *out,
                       size_t size)
{
    const struct value *v = &spec_of(s)->parameters[parameter].values[value];
    struct text t = TEXT_INIT;
    if (v->kind == VALUE_STRING)
        text_add(&t, v->s);
    else
        value_print(v, &t);
    return give(&t, out, size);
}

void hone_spec_default(const struct hone_spec *s, uint32_t *configuration)
{
    spec_default(spec_of(s), configuration);
}

bool hone_spec_read(const struct hone_spec *s, const char *text, uint32_t *configuration,
                    struct hone_error *e)
{
    struct error why = ERROR_INIT;
    spec_parse_configuration(spec_of(s), text, configuration, &why);
    return hand_over(&why, e);
}

size_t hone_spec_text(const struct hone_spec *s, const uint32_t *configuration, char *out,
                      size_t size)
{
    struct text t = TEXT_INIT;
    spec_configuration_text(spec_of(s), configuration, true, &t);
    return give(&t, out, size);
}

size_t hone_spec_json(const struct hone_spec *s, const uint32_t *configuration, char *out,
                      size_t size)
{
    struct text t = TEXT_INIT;
    spec_configuration_json(spec_of(s), configuration, &t);
    return give(&t, out, size);
}

// ---- devices -----------------------------------------------------------------------------------

// What a caller sees, and what it was made from.
struct entry {
    struct hone_device device; // first: a pointer to it is one to the entry
    const struct device_info *info;
};

struct hone_devices {
    struct arena arena;
    struct entry *entries;
    uint32_t count;
    const char **notes;
    uint32_t note_count;
};

static const struct device_info *info_of(const struct hone_device *d)
{
    return d ? ((const struct entry *)d)->info : NULL;
}

static void describe(struct entry *entry, const struct device_info *info)
{
    entry->info = info;
    entry->device = (struct hone_device){.name = info->name,
                                         .vendor = info->vendor,
                                         .platform = info->platform,
                                         .driver = info->driver,
                                         .language = language_text(info->language),
                                         .type = (enum hone_device_type)info->type,
                                         .compute_units = info->compute_units,
                                         .global_bytes = info->global_bytes,
                                         .local_bytes = info->local_bytes,
                                         .max_group_size = info->max_group_size,
                                         .timer_ns = info->timer_ns};
}

static void add_note(struct hone_devices *d, const char *note, bool *failed)
{
    *failed |= !note;
    d->notes[d->note_count++] = note;
}

static bool take_report(struct hone_devices *d, const struct device_report *report)
{
    bool failed = false;
    d->entries = arena_array(&d->arena, report->device_count + 1, sizeof *d->entries);
    d->notes = arena_array(&d->arena, report->note_count + 1, sizeof(*d->notes));
    if (!d->entries || !d->notes)
        return false;
    d->count = report->device_count;
    for (uint32_t i = 0; i < d->count; i++)
        describe(&d->entries[i], &report->devices[i]);
    if (report->problem && *report->problem)
        add_note(d, report->problem, &failed);
    for (uint32_t i = 0; i < report->note_count; i++) {
        const struct device_note *n = &report->notes[i];
        add_note(d, arena_printf(&d->arena, "%s: %s (%s)", n->device, n->reason, n->remedy),
                 &failed);
    }
    return !failed;
}

struct hone_devices *hone_devices_list(const struct hone_worker *worker, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct device_report report = {0};
    struct workplace workplace;
    const char *const *additions = worker ? worker->environment : NULL;
    const char *program = worker && worker->program ? worker->program : HONE_WORKER;
    const char *const argv[] = {program, NULL};
    struct hone_devices *d = calloc(1, sizeof *d);
    if (!d) {
        error_memory(&why);
        hand_over(&why, e);
        return NULL;
    }
    if (workplace_init(&workplace, &d->arena, additions, &why) &&
        live_devices(argv, workplace.environment, LANGUAGES_ALL, &d->arena, &report, NULL, &why) &&
        !take_report(d, &report))
        error_memory(&why);
    scratch_remove(&workplace.scratch);
    if (hand_over(&why, e))
        return d;
    hone_devices_free(d);
    return NULL;
}

void hone_devices_free(struct hone_devices *d)
{
    if (!d)
        return;
    arena_release(&d->arena);
    free(d);
}

size_t hone_devices_count(const struct hone_devices *d)
{
    return d->count;
}

const struct hone_device *hone_devices_get(const struct hone_devices *d, size_t index)
{
    return index < d->count ? &d->entries[index].device : NULL;
}

const char *hone_devices_note(const struct hone_devices *d, size_t index)
{
    return index < d->note_count ? d->notes[index] : NULL;
}

// Those that may be meant, in the order in which they are preferred among views of one card.
struct candidates {
    const struct entry **list;
    uint32_t count;
};

// Names, separated by commas.
static void list_names(const struct candidates *c, const char *part, struct text *names)
{
    const char *separator = "";
    for (uint32_t i = 0; i < c->count; i++) {
        const char *name = c->list[i]->device.name;
        if (part && !str_contains_nocase(name, part))
            continue;
        text_addf(names, "%s%s", separator, name);
        separator = ", ";
    }
}

// Another language's view of the same card.
static bool is_same_in_another(const struct entry *a, const struct entry *b)
{
    return a->info->language != b->info->language && device_same_card(a->info, b->info);
}

static const struct entry *pick_named(const struct candidates *c, const char *part, struct error *e)
{
    struct text names = TEXT_INIT;
    const struct entry *found = NULL;
    bool is_one = true;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct entry *entry = c->list[i];
        if (!str_contains_nocase(entry->device.name, part))
            continue;
        found = found ? found : entry;
        is_one = is_one && (entry == found || is_same_in_another(entry, found));
    }
    if (found && is_one)
        return found;
    list_names(c, found ? part : NULL, &names);
    if (found)
        error_set(e, ERROR_USAGE, "device '%s' may be any of: %s", part, text_cstr(&names));
    else
        error_set(e, ERROR_USAGE, "no device '%s'; there are: %s", part,
                  c->count ? text_cstr(&names) : "none");
    text_release(&names);
    return NULL;
}

static const struct entry *pick_preferred(const struct candidates *c)
{
    const struct entry *best = NULL;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!best || c->list[i]->device.type < best->device.type)
            best = c->list[i];
    }
    return best;
}

// NULL in `spec`: any device. A language whose When is false for a device does not count.
static bool find_candidates(const struct hone_devices *d, const struct spec *spec,
                            const struct spec_languages *languages, struct candidates *out)
{
    *out = (struct candidates){.list = calloc(d->count + 1, sizeof(*out->list))};
    for (uint32_t l = 0; out->list && l < languages->count; l++) {
        for (uint32_t i = 0; i < d->count; i++) {
            const struct device_info *info = d->entries[i].info;
            if (info->language == languages->list[l] &&
                (!spec || spec_language_fits(spec, info->language, info)))
                out->list[out->count++] = &d->entries[i];
        }
    }
    return out->list != NULL;
}

static const struct hone_device *pick(const struct hone_devices *d, const struct spec *spec,
                                      const struct spec_languages *languages, const char *part,
                                      struct error *e)
{
    struct candidates c;
    const struct entry *found = NULL;
    if (!find_candidates(d, spec, languages, &c)) {
        error_memory(e);
        return NULL;
    }
    if (part)
        found = pick_named(&c, part, e);
    else if (c.count > 0)
        found = pick_preferred(&c);
    else if (d->count > 0)
        error_set(e, ERROR_DEVICE, "none of the devices runs %s",
                  language_title(languages->list[0]));
    else
        error_set(e, ERROR_DEVICE, "no device: %s",
                  d->note_count ? d->notes[0] : "no driver is installed");
    free(c.list);
    return found ? &found->device : NULL;
}

const struct hone_device *hone_devices_pick(const struct hone_devices *d, const char *part,
                                            struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct spec_languages all = {.count = LANGUAGE_COUNT};
    for (uint32_t l = 0; l < LANGUAGE_COUNT; l++)
        all.list[l] = (enum language)l;
    const struct hone_device *found = pick(d, NULL, &all, part, &why);
    hand_over(&why, e);
    return found;
}

// The languages that may be used: the one given, which the spec must have, or the spec's.
static bool choose_languages(const struct spec *spec, const char *given, struct spec_languages *out,
                             struct error *e)
{
    if (!given)
        return spec_languages(spec, out, e);
    *out = (struct spec_languages){.count = 1};
    if (!language_parse(given, &out->list[0]))
        return error_set(e, ERROR_USAGE, "'%s' is no language hone runs: opencl or cuda", given);
    return spec_check_language(spec, out->list[0], e);
}

const struct hone_device *hone_devices_pick_for(const struct hone_devices *d,
                                                const struct hone_spec *s, const char *language,
                                                const char *part, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct spec_languages languages;
    const struct hone_device *found = NULL;
    if (choose_languages(spec_of(s), language, &languages, &why))
        found = pick(d, language ? NULL : spec_of(s), &languages, part, &why);
    hand_over(&why, e);
    return found;
}

// ---- spaces ------------------------------------------------------------------------------------

static const struct space *space_of(const struct hone_space *sp)
{
    return (const struct space *)sp;
}

struct hone_space *hone_space_new(const struct hone_spec *s, const struct hone_device *device,
                                  const char *const *where, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct space_options options = {
        .device = info_of(device), .where = where, .where_count = list_length(where)};
    struct space *sp = space_new(spec_of(s), &options, &why);
    hand_over(&why, e);
    return (struct hone_space *)sp;
}

void hone_space_free(struct hone_space *sp)
{
    space_free((struct space *)sp);
}

double hone_space_cartesian(const struct hone_space *sp)
{
    return space_cartesian(space_of(sp));
}

uint64_t hone_space_count(const struct hone_space *sp)
{
    return space_count(space_of(sp));
}

void hone_space_get(const struct hone_space *sp, uint64_t index, uint32_t *configuration)
{
    space_get(space_of(sp), index, configuration);
}

bool hone_space_find(const struct hone_space *sp, const uint32_t *configuration, uint64_t *index)
{
    return space_find(space_of(sp), configuration, index);
}

size_t hone_space_why(const struct hone_space *sp, const uint32_t *configuration, char *out,
                      size_t size)
{
    struct text t = TEXT_INIT;
    struct space_reason reason;
    if (!configuration) {
        space_explain_empty(space_of(sp), &t);
        return give(&t, out, size);
    }
    space_why(space_of(sp), configuration, &reason);
    if (reason.restriction)
        space_reason_text(space_of(sp), configuration, &reason, &t);
    return give(&t, out, size);
}

// ---- stores ------------------------------------------------------------------------------------

struct hone_store *hone_store_open(const char *path, bool write, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct store *st = store_open(path, write ? STORE_WRITE : STORE_READ, &why);
    hand_over(&why, e);
    return (struct hone_store *)st;
}

void hone_store_close(struct hone_store *st)
{
    store_close((struct store *)st);
}

// What answers as of now; a result of another driver, source or job does not.
static bool is_current(const struct best_answer *answer)
{
    return answer->choice && !answer->other_driver && !answer->other_source && !answer->other_job;
}

// Of one language; false without an error when nothing is known.
static bool best_in(struct store *st, const struct spec *spec, enum language l,
                    const struct device_info *device, uint32_t *configuration, double *median,
                    struct error *e)
{
    struct best_answer answer = {0};
    struct arena arena;
    bool found = false;
    arena_init(&arena);
    struct spec_sources *sources = spec_sources_read(spec, l, device, NULL, e);
    struct best_options options = {
        .spec = spec, .sources = sources, .store = st, .device = device, .languages = 1u << l};
    found =
        sources && best_find(&options, &arena, &answer, &found, e) && found && is_current(&answer);
    if (found) {
        memcpy(configuration, answer.choice, spec->parameter_count * sizeof *configuration);
        *median = answer.stats.median;
    }
    result_free(answer.result);
    spec_sources_free(sources);
    arena_release(&arena);
    return found;
}

bool hone_store_best(struct hone_store *st, const struct hone_spec *s,
                     const struct hone_device *device, uint32_t *configuration, double *median,
                     struct hone_error *e)
{
    const struct spec *spec = spec_of(s);
    const struct device_info *info = info_of(device);
    struct error why = ERROR_INIT;
    struct spec_languages languages = {.count = 1};
    struct arena arena = {NULL, 0};
    uint32_t *choice = arena_array(&arena, spec->parameter_count + 1, sizeof *choice);
    double time = 0;
    bool found = false, ok = choice || error_memory(&why);
    if (info)
        languages.list[0] = info->language;
    else
        ok = ok && spec_languages(spec, &languages, &why);
    for (uint32_t i = 0; ok && !why.code && i < languages.count; i++) {
        if (!best_in((struct store *)st, spec, languages.list[i], info, choice, &time, &why) ||
            (found && time >= *median))
            continue;
        found = true;
        *median = time;
        memcpy(configuration, choice, spec->parameter_count * sizeof *configuration);
    }
    arena_release(&arena);
    return hand_over(&why, e) && found;
}

// ---- tuning ------------------------------------------------------------------------------------

struct hone_tune {
    struct arena arena; // of what the options pointed to
    struct bridge bridge;
    struct workplace workplace;
    const char *worker[2];
    struct tune *tune;
    struct store *store; // (or NULL) the caller's
};

static struct terms terms_of(const struct hone_tune_options *o)
{
    struct terms terms = {.rules = measure_rules_default(),
                          .build_limit_ns = POLICY_BUILD_LIMIT_NS,
                          .launch_limit_ns = POLICY_LAUNCH_LIMIT_NS,
                          .cold = o->cold};
    terms.rules.fixed = o->iterations ? o->iterations : spec_of(o->spec)->iterations;
    if (o->build_limit_ms)
        terms.build_limit_ns = o->build_limit_ms * MS;
    if (o->launch_limit_ms)
        terms.launch_limit_ns = o->launch_limit_ms * MS;
    return terms;
}

// The spec's budget, or the caller's.
static bool read_budget(const struct hone_tune_options *o, struct budget *out, struct error *e)
{
    if (o->budget)
        return budget_parse(o->budget, out, e);
    *out = defaults_budget(spec_of(o->spec));
    return true;
}

static bool read_rules(const struct hone_tune_options *o, struct measure_rules *out,
                       struct error *e)
{
    bool ok = true;
    for (size_t i = 0; ok && o->rules && o->rules[i]; i++)
        ok = measure_rules_set(out, o->rules[i], e);
    out->unranked = o->unranked;
    return ok;
}

// Copies what the options point to, since the caller may free it.
static bool keep_options(struct hone_tune *t, const struct hone_tune_options *o,
                         struct tune_options *out, struct error *e)
{
    struct arena *a = &t->arena;
    bool failed = false;
    t->worker[0] = copy_text(a, o->worker.program ? o->worker.program : HONE_WORKER, &failed);
    *out = (struct tune_options){
        .spec = spec_of(o->spec),
        .device = info_of(o->device),
        .worker = t->worker,
        .environment = t->workplace.environment,
        .store = (struct store *)o->store,
        .lock_folder = copy_text(a, o->lock_folder ? o->lock_folder : "/tmp", &failed),
        .log = bridge_init(&t->bridge, o->log),
        .configurations = copy_list(a, o->configurations, &failed),
        .configuration_count = list_length(o->configurations),
        .where = copy_list(a, o->where, &failed),
        .where_count = list_length(o->where),
        .strategy = copy_text(a, o->strategy, &failed),
        .seed = o->seed,
        .jobs = o->jobs,
        .terms = terms_of(o),
        .fresh = o->fresh,
        .retry = o->retry ? STORE_RETRY_ALL : 0,
        .command = copy_text(a, o->command, &failed),
        .host = copy_text(a, o->host, &failed)};
    failed |= !o->strategy && !defaults_strategy(out->spec, out->log, a, &out->strategy);
    return failed ? error_memory(e)
                  : read_rules(o, &out->terms.rules, e) && read_budget(o, &out->budget, e) &&
                        goal_parse(o->objective, out->spec, &out->goal, e);
}

// The caller's options in the shape of this version: a shorter struct is an older one.
static bool read_options(const struct hone_tune_options *theirs, struct hone_tune_options *out,
                         struct error *e)
{
    size_t size = theirs->size < sizeof *out ? theirs->size : sizeof *out;
    memset(out, 0, sizeof *out);
    memcpy(out, theirs, size);
    if (size < sizeof out->size)
        return error_set(e, ERROR_USAGE, "hone_tune_new: options need HONE_TUNE_OPTIONS_INIT");
    if (!out->spec || !out->device)
        return error_set(e, ERROR_USAGE, "hone_tune_new: a spec and a device are needed");
    return true;
}

struct hone_tune *hone_tune_new(const struct hone_tune_options *o, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct hone_tune_options given;
    struct tune_options options;
    struct hone_tune *t = NULL;
    if (!read_options(o, &given, &why))
        goto out;
    t = calloc(1, sizeof *t);
    if (!t) {
        error_memory(&why);
        goto out;
    }
    t->store = (struct store *)given.store;
    if (t->store && given.reuse_unseen)
        store_reuse_unseen(t->store);
    if (workplace_init(&t->workplace, &t->arena, given.worker.environment, &why) &&
        keep_options(t, &given, &options, &why))
        t->tune = tune_new(&options, &why);
    if (!t->tune) {
        hone_tune_free(t);
        t = NULL;
    }
out:
    hand_over(&why, e);
    return t;
}

enum hone_answer hone_tune_step(struct hone_tune *t, int timeout_ms,
                                const struct hone_record **record, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    const struct tune_record *r = NULL;
    enum tune_answer answer = tune_step(t->tune, timeout_ms, &r, &why);
    if (answer == TUNE_END && t->store && !store_kept(t->store, &why))
        answer = TUNE_BROKEN;
    *record = (const struct hone_record *)r;
    hand_over(&why, e);
    return (enum hone_answer)answer;
}

void hone_tune_cancel(struct hone_tune *t)
{
    tune_cancel(t->tune);
}

void hone_tune_free(struct hone_tune *t)
{
    if (!t)
        return;
    tune_free(t->tune);
    scratch_remove(&t->workplace.scratch);
    arena_release(&t->arena);
    free(t);
}

void hone_tune_progress(const struct hone_tune *t, struct hone_progress *out, size_t size)
{
    struct tune_progress p;
    tune_progress(t->tune, &p);
    struct hone_progress full = {.valid = p.valid,
                                 .planned = p.planned,
                                 .done = p.done,
                                 .correct = p.by_status[STATUS_CORRECT],
                                 .reused = p.reused,
                                 .elapsed = p.elapsed_ns,
                                 .left = p.left_ns,
                                 .best = (const struct hone_record *)p.best,
                                 .pareto = p.pareto};
    memset(out, 0, size);
    memcpy(out, &full, size < sizeof full ? size : sizeof full);
}

// ---- records -----------------------------------------------------------------------------------

static const struct tune_record *record_of(const struct hone_record *r)
{
    return (const struct tune_record *)r;
}

enum hone_status hone_record_status(const struct hone_record *r)
{
    return (enum hone_status)record_of(r)->result->status;
}

const char *hone_status_text(enum hone_status status)
{
    return status_text((enum status)status);
}

const char *hone_record_message(const struct hone_record *r)
{
    return record_of(r)->result->message;
}

const char *hone_record_log(const struct hone_record *r)
{
    return record_of(r)->result->log;
}

const char *hone_record_configuration(const struct hone_record *r)
{
    return record_of(r)->configuration;
}

const uint32_t *hone_record_choice(const struct hone_record *r)
{
    return record_of(r)->choice;
}

uint64_t hone_record_index(const struct hone_record *r)
{
    return record_of(r)->index;
}

bool hone_record_verified(const struct hone_record *r)
{
    const struct result *result = record_of(r)->result;
    return result->status == STATUS_CORRECT && result->verification == VERIFICATION_REFERENCE;
}

bool hone_record_reused(const struct hone_record *r)
{
    return record_of(r)->result->reused;
}

bool hone_record_median(const struct hone_record *r, double *median)
{
    if (!record_of(r)->timed)
        return false;
    *median = record_of(r)->stats.median;
    return true;
}

bool hone_record_interval(const struct hone_record *r, double *low, double *high)
{
    const struct tune_record *record = record_of(r);
    if (!record->timed || !record->stats.interval)
        return false;
    *low = record->stats.low;
    *high = record->stats.high;
    return true;
}

bool hone_record_ratio(const struct hone_record *r, double *ratio, double *low, double *high)
{
    const struct tune_record *record = record_of(r);
    if (!record->ranked)
        return false;
    *ratio = record->rank.ratio;
    if (low)
        *low = record->rank.ratio_low;
    if (high)
        *high = record->rank.ratio_high;
    return true;
}

bool hone_record_tied(const struct hone_record *r)
{
    return record_of(r)->ranked && record_of(r)->rank.tied;
}

size_t hone_record_samples(const struct hone_record *r, const uint64_t **samples)
{
    uint32_t count = 0;
    *samples = NULL;
    return result_samples(record_of(r)->result, samples, &count) ? count : 0;
}

bool hone_record_metric(const struct hone_record *r, double *metric)
{
    if (!record_of(r)->has_metric)
        return false;
    *metric = record_of(r)->metric;
    return true;
}

bool hone_record_objective(const struct hone_record *r, size_t objective, double *value)
{
    const struct tune_record *record = record_of(r);
    if (!record->values || objective >= record->value_count)
        return false;
    *value = record->values[objective];
    return true;
}

bool hone_record_pareto(const struct hone_record *r)
{
    return record_of(r)->pareto;
}
