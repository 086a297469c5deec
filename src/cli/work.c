// The steps that begin every subcommand that takes a spec: reads the spec, lists devices and
// chooses one, opens the stores, and reports what is wrong with each.
#include "cli/work.h"

#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/trace.h"
#include "lib/choose_device.h"
#include "report/values.h"
#include "worker/device_lock.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The log may be another one by then.
static void note(void *context, enum hone_level level, const char *message)
{
    const struct work *w = context;
    if (w->log.sink)
        w->log.sink(w->log.context, (enum log_level)level, message);
}

void work_init(struct work *w, const struct invocation *call, const struct spec_settings *given,
               const struct measure_settings *measure)
{
    static const struct measure_settings nothing_measured;
    static const struct search_settings nothing_searched;
    *w = (struct work){.call = call,
                       .given = given,
                       .measure = measure ? measure : &nothing_measured,
                       .search = &nothing_searched};
    arena_init(&w->arena);
    ticker_init(&w->ticker, stderr);
    w->log = (struct log){console_log, &w->ticker};
    w->notices = (struct hone_log){note, w};
}

bool work_kept(struct work *w)
{
    struct hone_error e = HONE_ERROR_INIT;
    if (!w->opened || w->lost || hone_store_kept(w->opened, &e))
        return !w->lost;
    ticker_clear(&w->ticker);
    complain("%s", e.text);
    w->lost = *w->call->lost = true;
    return false;
}

static void take_store(struct work *w, struct hone_store *opened)
{
    w->opened = opened;
    w->store = store_of(opened);
}

void work_close_store(struct work *w)
{
    work_kept(w);
    hone_store_close(w->opened);
    take_store(w, NULL);
    w->lost = false;
}

void work_release(struct work *w)
{
    ticker_clear(&w->ticker);
    free(w->ranking);
    hone_tune_free(w->handle);
    hone_store_close(w->known);
    recorded_free(w->recorded);
    setup_release(&w->setup);
    hone_devices_free(w->list);
    EXTRA_NODES(nodes_release(w);)
    work_close_store(w);
    hone_spec_free(w->loaded);
    hone_spec_free(w->unbound);
    if (w->has_environment && w->call->command->compiles)
        environment_trim(&w->environment);
    if (w->has_environment)
        environment_release(&w->environment);
    arena_release(&w->arena);
}

// A spec or command line that makes no sense is the user's to mend (2); everything else broke (1).
int work_failed(const struct error *e)
{
    complain("%s", e->text[0] ? e->text : error_code_text(e->code));
    bool is_usage = e->code == ERROR_USAGE || e->code == ERROR_INPUT;
    return is_usage ? EXIT_USAGE : EXIT_NOTHING;
}

void work_about(struct work *w, const struct error *broken, struct report_about *out)
{
    char date[32];
    environment_date(date);
    *out = (struct report_about){.hone_version = HONE_VERSION,
                                 .command = w->call->line,
                                 .host = w->environment.host,
                                 .date = arena_strdup(&w->arena, date),
                                 .seed = w->measure->terms.seed,
                                 .store = w->store ? store_path(w->store) : NULL,
                                 .broken = broken->code ? broken->text : NULL};
}

struct spec_options work_spec_options(const struct work *w)
{
    const struct spec_settings *s = w->given;
    return (struct spec_options){.set = s->set.items,
                                 .set_count = s->set.count,
                                 .strict = s->strict,
                                 .log = &w->log,
                                 .refuses_commands = environment_refuses_commands()};
}

static bool name_constants(struct work *w, struct error *e)
{
    struct text constants = TEXT_INIT, json = TEXT_INIT;
    struct emit j;
    spec_constants_text(w->spec, &constants);
    emit_start(&j, &json);
    emit_constants(w->spec, NULL, &j);
    w->constants = text_to_arena(&constants, &w->arena);
    w->constants_json = text_to_arena(&json, &w->arena);
    return (w->constants && w->constants_json) || error_memory(e);
}

// The kernel that "x.json" may be of: "x.cl" beside it.
static bool name_kernel_of(const char *path, struct text *out)
{
    const char *dot = strrchr(path, '.');
    int length = (int)(dot && str_equal(dot, ".json") ? (size_t)(dot - path) : strlen(path));
    text_addf(out, "%s.json", path);
    if (access(text_cstr(out), R_OK) == 0)
        return false;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        for (const char *const *end = language_traits((enum language)l)->endings; *end; end++) {
            text_clear(out);
            text_addf(out, "%.*s%s", length, path, *end);
            if (access(text_cstr(out), R_OK) == 0)
                return true;
        }
    }
    return false;
}

// The spec in the same folder whose name is nearest.
static bool name_spec_near(const char *path, struct arena *a, struct text *out)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int folder = slash ? (int)(slash + 1 - path) : 0;
    const char *names[256];
    size_t count = 0;
    text_clear(out);
    text_addf(out, "%.*s", folder, path);
    DIR *d = opendir(folder ? text_cstr(out) : ".");
    for (struct dirent *f; d && count < 256 && (f = readdir(d));) {
        const char *dot = strrchr(f->d_name, '.');
        if (dot && str_equal(dot, ".json") && (names[count] = arena_strdup(a, f->d_name)))
            count++;
    }
    if (d)
        closedir(d);
    const char *with_ending = arena_printf(a, "%s.json", name);
    const char *near = with_ending && str_nearest(with_ending, names, count)
                           ? str_nearest(with_ending, names, count)
                           : str_nearest(name, names, count);
    text_add(out, near ? near : "");
    return near != NULL;
}

// A spec that is not there: what it may have been meant to be.
static void refuse_missing_spec(struct work *w, const char *path, const struct error *e)
{
    struct text other = TEXT_INIT;
    if (name_kernel_of(path, &other))
        complain("%s; `hone init %s` writes a spec for the kernel", e->text, text_cstr(&other));
    else if (name_spec_near(path, &w->arena, &other))
        complain("%s; did you mean '%s'?", e->text, text_cstr(&other));
    else
        complain("%s; `hone init KERNEL` writes a spec for a kernel", e->text);
    text_release(&other);
}

bool work_refuse_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    bool is_kernel = false;
    for (unsigned l = 0; dot && l < LANGUAGE_COUNT; l++)
        is_kernel |= str_listed(language_traits((enum language)l)->endings, dot);
    if (!dot || access(path, R_OK) != 0)
        return false;
    if (is_kernel)
        complain("%s is a kernel, not a spec; `hone init %s` writes a spec for it", path, path);
    else if (str_equal(dot, ".sqlite"))
        complain("%s is a store, not a spec; `hone store --store %s` shows what it holds", path,
                 path);
    else if (str_equal(dot, ".hone"))
        complain("%s is a table of tuned kernels, not a spec; `hone with %s -- PROGRAM` uses it",
                 path, path);
    else if (str_equal(dot, ".gz") || str_equal(dot, ".csv"))
        complain("%s is not a spec; a recorded space is searched with `hone tune --replay %s`",
                 path, path);
    else
        return false;
    return true;
}

int work_spec(struct work *w)
{
    struct error e = ERROR_INIT;
    const struct spec_options options = work_spec_options(w);
    const char *path = w->call->arguments[0];
    w->loaded = handle_of_spec(w->read ? spec_read_again(w->read, &options, &e)
                                       : spec_load(path, &options, &e));
    w->spec = spec_of(w->loaded);
    if (w->spec && name_constants(w, &e))
        return EXIT_DONE;
    if (e.code == ERROR_IO && access(path, F_OK) != 0 && errno == ENOENT)
        refuse_missing_spec(w, path, &e);
    else if (e.code != ERROR_INPUT || !work_refuse_file(path))
        work_failed(&e);
    return e.code == ERROR_MEMORY ? EXIT_NOTHING : EXIT_USAGE;
}

int work_environment(struct work *w)
{
    struct error e = ERROR_INIT;
    if (w->has_environment)
        return EXIT_DONE;
    w->has_environment = true; // half of one is released too
    bool ok = environment_init(&w->environment, &e) && trace_init(w->environment.trace, &e);
    return ok ? EXIT_DONE : work_failed(&e);
}

// ---- devices -----------------------------------------------------------------------------------

static struct spec_languages every_language(void)
{
    struct spec_languages all = {.count = 0};
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (languages_unnamed() >> l & 1)
            all.list[all.count++] = (enum language)l;
    }
    return all;
}

int work_languages(struct work *w)
{
    struct error e = ERROR_INIT;
    const struct given_language *given = &w->given->language;
    bool ok = true;
    if (!w->spec)
        w->languages = every_language();
    else if (given->is_given)
        ok = spec_check_language(w->spec, given->language, &e);
    else
        ok = spec_languages(w->spec, &w->languages, &e);
    if (given->is_given)
        w->languages = (struct spec_languages){{given->language}, 1};
    return ok ? EXIT_DONE : work_failed(&e);
}

// Numbers are those of `hone devices`, which looks at the devices of all languages.
static bool is_device_number(const struct work *w)
{
    const char *wanted = w->given && w->given->device ? w->given->device : w->environment.device;
    return wanted && wanted[0] && wanted[strspn(wanted, "0123456789")] == '\0';
}

bool work_list(struct work *w, const struct hone_spec *spec, const char *language, struct error *e)
{
    const bool is_number = is_device_number(w);
    spec = is_number ? NULL : spec;
    language = is_number ? NULL : language;
    EXTRA_NODES(if (w->given && w->given->on.count > 0) return nodes_list(w, spec, language, e);)
    struct hone_error why = HONE_ERROR_INIT;
    const struct environment *v = &w->environment;
    const struct hone_worker worker = {.size = sizeof worker,
                                       .program = v->worker[0],
                                       .environment = (const char *const *)v->worker_with};
    const struct hone_devices_options options = {.size = sizeof options,
                                                 .worker = &worker,
                                                 .spec = spec,
                                                 .language = language,
                                                 .keep_worker = true};
    struct hone_devices *list = hone_devices_list(&options, &why);
    take_error(&why, e);
    if (!list)
        return false;
    hone_devices_free(w->list);
    w->list = list;
    w->devices = list->report;
    return true;
}

int work_devices(struct work *w, const struct hone_spec *spec, const char *language)
{
    struct error e = ERROR_INIT;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    return work_list(w, spec, language, &e) ? EXIT_DONE : work_failed(&e);
}

int work_no_device(const struct work *w)
{
    bool is_one = w->languages.count == 1;
    enum language l = is_one ? w->languages.list[0] : LANGUAGE_FIRST;
    const char *problem = w->devices.problem;
    bool has_problem = problem && problem[0];
    return refuse(EXIT_NOTHING, "%s%sno %s device. %s", has_problem ? problem : "",
                  has_problem ? ": " : "", language_title(l), language_traits(l)->remedy);
}

// A comparison's sides have a language even if none was given.
static const char *other_ways(const struct work *w)
{
    if (!w->given->language.is_given)
        return "";
    return w->call->command == &command_compare
               ? "; or take another language, or say with --left and --right what else shall differ"
               : "; or leave --language out, or name another";
}

// No device here supports the spec's language: lists the devices that there are, and what would be
// right.
static int say_other_devices(const struct work *w, const char *problem)
{
    struct text others = TEXT_INIT;
    enum language l = w->languages.list[0];
    list_devices(w->devices.devices, w->devices.device_count, &others);
    if (problem && problem[0])
        complain("%s", problem);
    complain("%s%sno device here runs %s. %s%s. There %s:%s", w->spec ? w->spec->path : "",
             w->spec ? ": " : "", language_title(l), language_traits(l)->remedy, other_ways(w),
             w->devices.device_count == 1 ? "is" : "are", text_cstr(&others));
    text_release(&others);
    return EXIT_NOTHING;
}

static int say_why_none(struct work *w)
{
    // The problem of the language that was asked for, since the next listing replaces it.
    const char *problem = arena_strdup(&w->arena, w->devices.problem);
    int status = work_devices(w, NULL, NULL);
    if (status != EXIT_DONE)
        return status;
    // Devices that must be named to be used stand last.
    struct device_report *r = &w->devices;
    while (r->device_count > 0 &&
           !(languages_unnamed() >> r->devices[r->device_count - 1].language & 1))
        r->device_count--;
    if (w->devices.device_count > 0)
        return say_other_devices(w, problem);
    w->devices.problem = problem;
    for (uint32_t i = 0; i < w->devices.note_count; i++) {
        const struct device_note *n = &w->devices.notes[i];
        complain("%s: %s; %s", n->device, n->reason, n->remedy);
    }
    return work_no_device(w);
}

const struct device_info *work_usable(struct work *w, size_t *count)
{
    struct device_info *list = arena_array(&w->arena, w->devices.device_count + 1, sizeof *list);
    *count = list ? devices_usable(&w->devices, w->spec, &w->languages, list) : 0;
    return list;
}

static const char *given_language(const struct work *w)
{
    const struct given_language *given = &w->given->language;
    return given->is_given ? language_text(given->language) : NULL;
}

// "2 devices of this kind (gpu); took NVIDIA H200 (0000:06:00.0); --device chooses". Where devices share the work, one of
// each model and driver is in the list.
static void say_which_device(const struct device_info *list, size_t count,
                             const struct device_info *taken, bool shares)
{
    size_t like = count_like_devices(list, count, taken);
    if (like < 2)
        return;
    const char *address = taken->pci && taken->pci[0] ? taken->pci : taken->id;
    if (shares)
        complain("devices of %zu models or drivers (%s); took those like %s (%s); --device chooses",
                 like, device_type_text(taken->type), taken->name, address);
    else
        complain("%zu devices of this kind (%s); took %s (%s); --device chooses", like,
                 device_type_text(taken->type), taken->name, address);
}

enum { LOCK_LOOKS = 10, LOCK_LOOK_US = 20000 };

// True if the device's lock is free at every one of several looks: another hone releases it between two
// configurations.
static bool is_free(const struct device_info *d, const char *locks)
{
    struct device_lock lock;
    bool is = device_lock_open(&lock, locks, d, NULL);
    for (int i = 0; is && i < LOCK_LOOKS; i++) {
        is = device_lock_try(&lock, NULL) == 1;
        if (is)
            device_lock_release(&lock);
        if (is && i + 1 < LOCK_LOOKS)
            usleep(LOCK_LOOK_US);
    }
    device_lock_close(&lock);
    return is;
}

// The first free one among several equal cards; if none is free, the first, which is waited for.
static const struct device_info *take_free_card(const struct device_info *list, size_t count,
                                                const char *wanted, const struct device_info *first,
                                                const char *locks)
{
    const struct device_info *taken = NULL;
    size_t equal = 0;
    if (!first || !next_equal_device(list, count, wanted, first))
        return first;
    for (const struct device_info *d = first; d;
         d = next_equal_device(list, count, wanted, d), equal++)
        taken = taken ? taken : is_free(d, locks) ? d : NULL;
    const struct device_info *card = taken ? taken : first;
    complain("%zu equal devices fit '%s'; took the first%s: %s (%s)", equal, wanted,
             taken ? " that is free" : ", as none is free", card->name,
             card->pci && card->pci[0] ? card->pci : card->id);
    return card;
}

// The spec is read again without a log, because its warnings have been reported already.
int work_bind(struct work *w)
{
    struct error e = ERROR_INIT;
    struct spec_options options = work_spec_options(w);
    if (!w->spec || !w->spec->unbound || w->unbound)
        return EXIT_DONE;
    options.device = w->device;
    options.log = NULL;
    struct spec *bound = spec_read_again(w->spec, &options, &e);
    if (!bound) {
        work_failed(&e);
        return EXIT_USAGE;
    }
    w->unbound = w->loaded;
    w->loaded = handle_of_spec(bound);
    w->spec = bound;
    return EXIT_DONE;
}

static bool is_named(const struct device_info *d, const char *wanted)
{
    return wanted && (str_equal(d->id, wanted) || device_is_card(d, wanted));
}

// With --on equal devices are one: the one that is `wanted` (or NULL) by number, id, UUID or address stands for all, else the
// first.
static const struct device_info *one_of_each_kind(struct work *w, const struct device_info *list,
                                                  size_t *count, const char *wanted)
{
    struct device_info *kept = arena_array(&w->arena, *count + 1, sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; kept && i < *count; i++) {
        struct digest own, other;
        bool is_new = true;
        device_info_digest(&list[i], &own);
        for (size_t k = 0; k < n && is_new; k++) {
            device_info_digest(&kept[k], &other);
            is_new = !digest_equal(&own, &other);
            if (!is_new && is_named(&list[i], wanted) && !is_named(&kept[k], wanted))
                kept[k] = list[i];
        }
        if (is_new)
            kept[n++] = list[i];
    }
    *count = n;
    return kept;
}

// One view of each card, in the first of the languages; of these one of each kind. A language that is meant only where it is
// named comes last, and counts where there is nothing else.
static const struct device_info *list_kinds(struct work *w, const struct device_info *list,
                                            size_t *count)
{
    struct device_info *kept = arena_array(&w->arena, *count + 1, sizeof *kept);
    size_t n = 0;
    for (int last = 0; kept && last < 2 && n == 0; last++) {
        for (size_t i = 0; i < *count; i++) {
            bool is_new = language_traits(list[i].language)->comes_last == (last > 0);
            for (size_t k = 0; k < n && is_new; k++)
                is_new = kept[k].card != list[i].card;
            if (is_new)
                kept[n++] = list[i];
        }
    }
    *count = n;
    return kept ? one_of_each_kind(w, kept, count, NULL) : NULL;
}

static const struct device_info *take_kind(struct work *w, const struct device_info *list,
                                           size_t count, struct error *e)
{
    const struct device_info *kinds = list_kinds(w, list, &count);
    w->kind_count = (uint32_t)count;
    if (kinds && w->kind < count)
        return &kinds[w->kind];
    if (kinds)
        error_set(e, ERROR_DEVICE, "a device that was there is gone: %zu kinds are left", count);
    else
        error_memory(e);
    return NULL;
}

int work_device(struct work *w)
{
    struct error e = ERROR_INIT;
    size_t count;
    int status = work_languages(w);
    if (status == EXIT_DONE)
        status = work_devices(w, w->loaded, given_language(w));
    if (status != EXIT_DONE)
        return status;
    const char *wanted = w->given->device;
    bool by_environment = !wanted && w->environment.device;
    if (by_environment)
        wanted = w->environment.device;
    const struct device_info *list = work_usable(w, &count);
    if (list && count == 0)
        return say_why_none(w);
    if (list && w->given->on.count > 0 && !w->takes_kind)
        list = one_of_each_kind(w, list, &count, wanted);
    w->device = !list           ? NULL
                : w->takes_kind ? take_kind(w, list, count, &e)
                                : choose_device(list, count, wanted, &e);
    if (w->device && wanted && wanted[0] && !w->takes_kind && w->given->on.count == 0)
        w->device = take_free_card(list, count, wanted, w->device, w->environment.locks);
    w->chosen =
        EXTRA_NODES(w->given->on.count > 0 ? nodes_device(w) :) device_like(w->list, w->device);
    if (w->device && !wanted && !w->takes_kind)
        say_which_device(list, count, w->device, w->given->on.count > 0);
    if (!list)
        error_memory(&e);
    if (!w->device && by_environment)
        error_context(&e, "HONE_DEVICE");
    return w->device ? work_bind(w) : work_failed(&e);
}

int work_places(struct work *w)
{
    int status = EXIT_DONE;
    EXTRA_NODES(status = nodes_places(w);)
    (void)w;
    return status;
}

void work_drop_workers(struct work *w)
{
    devices_drop_worker(w->list);
    EXTRA_NODES(nodes_drop_workers(w);)
    for (uint32_t i = 0; i < w->places.count; i++)
        w->place_list[i].spare = NULL;
}

struct space_options work_space(const struct spec_settings *g)
{
    return (struct space_options){NULL,           g->config.items, g->config.count,
                                  g->where.items, g->where.count,  {0}};
}

struct hone_tune_options work_options(const struct work *w)
{
    const struct spec_settings *g = w->given;
    struct hone_tune_options o = w->measure->terms;
    o.size = sizeof o;
    o.spec = w->loaded;
    o.device = w->chosen;
    o.configurations = g->config.items;
    o.where = g->where.items;
    o.part = g->share.part;
    o.parts = g->share.parts;
    o.lock_folder = w->environment.locks;
    o.places = w->places.count + w->places.builder_count > 0 ? &w->places : NULL;
    o.log = &w->notices;
    o.command = w->call->line;
    o.host = w->environment.host;
    o.rules = w->measure->rules.items;
    o.leaving = true;
    return o;
}

// ---- the store ---------------------------------------------------------------------------------

const char *work_store_path(struct work *w, struct error *e)
{
    const char *given = w->given->store;
    if (given && (!given[0] || stores_nothing(w->given))) {
        error_set(e, ERROR_USAGE,
                  given[0] ? "--store none: this needs a store" : "--store: the file has no name");
        return NULL;
    }
    return given ? given : environment_store(&w->environment, e);
}

static struct hone_store *open_store(const char *path, enum hone_store_mode mode, struct error *e)
{
    struct hone_error why = HONE_ERROR_INIT;
    struct hone_store *opened = hone_store_open(path, mode, &why);
    if (!opened)
        take_error(&why, e);
    return opened;
}

int work_own_store(struct work *w, enum hone_store_mode mode)
{
    struct error e = ERROR_INIT;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const char *path = work_store_path(w, &e);
    if (path)
        take_store(w, open_store(path, mode, &e));
    return w->store ? EXIT_DONE : work_failed(&e);
}

int work_on_store(struct invocation *i, int (*command)(struct work *w))
{
    struct work w;
    work_init(&w, i, i->settings, NULL);
    int status = work_own_store(&w, HONE_STORE_READ);
    if (status == EXIT_DONE)
        status = command(&w);
    work_release(&w);
    return status;
}

void work_put_store(const struct work *w, const writers of, struct store_report report)
{
    report.path = store_path(w->store);
    report.format = w->given->output.format;
    put_report(of, report.format, &report);
}

static bool add_behind(struct work *w, const char *path, const char *from, struct error *e)
{
    struct hone_store *behind = open_store(path, HONE_STORE_READ, e);
    if (!behind)
        return error_context(e, "%s", from);
    take_store(w, hone_store_stack(w->opened, behind));
    return true;
}

// Empty parts of HONE_ALSO mean nothing.
static bool stack_behind(struct work *w, struct error *e)
{
    const struct list *also = &w->given->also;
    bool ok = true;
    for (uint32_t i = 0; i < also->count && ok; i++)
        ok = str_equal(also->items[i], "unseen") || add_behind(w, also->items[i], "--also", e);
    char *copy = w->environment.also ? arena_strdup(&w->arena, w->environment.also) : NULL;
    char *path;
    while (ok && (path = strsep(&copy, ":")))
        ok = !*path || add_behind(w, path, "HONE_ALSO", e);
    return ok;
}

// With `enough` there is something else to read, should the store itself not be there.
static int open_stores(struct work *w, enum hone_store_mode mode, bool enough)
{
    struct error e = ERROR_INIT;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const char *path = work_store_path(w, &e);
    bool has_behind = enough || w->given->also.count > 0 || w->environment.also;
    bool is_missing = path && access(path, F_OK) != 0 && errno == ENOENT;
    if (path && !(mode == HONE_STORE_READ && has_behind && is_missing))
        take_store(w, open_store(path, mode, &e));
    if (e.code || !stack_behind(w, &e))
        return work_failed(&e);
    if (w->store && reuses_unseen(w->given))
        store_reuse_unseen(w->store);
    return EXIT_DONE;
}

int work_store(struct work *w, enum hone_store_mode mode)
{
    return open_stores(w, mode, false);
}

int work_known(struct work *w, struct hone_store **known)
{
    struct error e = ERROR_INIT;
    const char *spec = w->call->arguments[0], *name = strrchr(spec, '/');
    const char *path =
        arena_printf(&w->arena, "%.*s%s", name ? (int)(name + 1 - spec) : 0, spec, WORK_KNOWN);
    *known = NULL;
    if (!path) {
        error_memory(&e);
        return work_failed(&e);
    }
    if (access(path, F_OK) == 0) {
        struct hone_store *shipped = open_store(path, HONE_STORE_IMMUTABLE, &e);
        if (shipped)
            *known = hone_store_stack(NULL, shipped);
        else
            complain("warning: %s", e.text);
    }
    return EXIT_DONE;
}

int work_store_or_known(struct work *w, struct hone_store **known)
{
    int status = work_known(w, known);
    if (status != EXIT_DONE)
        return status;
    return open_stores(w, HONE_STORE_READ, *known && !w->given->store);
}

// ---- what to type next --------------------------------------------------------------------------

static void add_option(const char *name, const char *value, struct text *out)
{
    text_addf(out, " --%s ", name);
    text_add_shell(out, value);
}

void work_same_stores(const struct work *w, struct text *out)
{
    const struct spec_settings *s = w->given;
    text_add_shell(out, w->call->arguments[0]);
    if (s->store && w->store)
        add_option("store", s->store, out);
    for (uint32_t i = 0; i < s->also.count && w->store; i++)
        add_option("also", s->also.items[i], out);
}

void work_same(const struct work *w, struct text *out)
{
    const struct spec_settings *s = w->given;
    text_add_shell(out, w->call->arguments[0]);
    for (uint32_t i = 0; i < s->set.count; i++)
        add_option("set", s->set.items[i], out);
    if (s->reference_by)
        add_option("reference-by", s->reference_by, out);
    if (s->language.is_given)
        add_option("language", language_text(s->language.language), out);
    if (s->device)
        add_option("device", w->takes_kind ? w->device->id : s->device, out);
    if (s->store && w->store)
        add_option("store", s->store, out);
    for (uint32_t i = 0; i < s->also.count && w->store; i++)
        add_option("also", s->also.items[i], out);
}

// ---- a reference by a program ------------------------------------------------------------------

#define REFERENCE_BY_NS (600ull * 1000000000)

static bool reference_stops(void)
{
    return interrupt_pending() != 0;
}

// Among the references of workers, which are kept within bounds.
static const char *references_folder(const struct work *w)
{
    static const char name[] = "HONE_WORKER_CACHE=";
    for (const char **v = w->environment.cache; v && *v; v++)
        if (str_starts(*v, name))
            return *v + sizeof name - 1;
    return w->environment.scratch.path;
}

int work_reference_by(struct work *w)
{
    struct error e = ERROR_INIT;
    const struct reference_program program = {.path = w->given->reference_by,
                                              .folder = references_folder(w),
                                              .limit_ns = REFERENCE_BY_NS,
                                              .fresh = w->measure->terms.fresh,
                                              .stop = reference_stops};
    if (!program.path)
        return EXIT_DONE;
    ticker_clear(&w->ticker);
    if (reference_by(w->loaded, w->chosen, &program, &w->notices, &e))
        return EXIT_DONE;
    return interrupt_pending() ? EXIT_NOTHING : work_failed(&e);
}

// ---- configurations ----------------------------------------------------------------------------

// The library's text has a blank after each comma; without it no quoting is needed in a shell.
void work_configuration(const struct spec *spec, const uint32_t *choice, struct text *out)
{
    struct text spaced = TEXT_INIT;
    char quote = 0;
    spec_configuration_text(spec, choice, false, &spaced);
    for (const char *s = text_cstr(&spaced); *s; s++) {
        bool after_comma = !quote && *s == ' ' && s > text_cstr(&spaced) && s[-1] == ',';
        if (!after_comma)
            text_addc(out, *s);
        if (quote && *s == '\\' && s[1])
            text_addc(out, *++s);
        else if (quote && *s == quote)
            quote = 0;
        else if (!quote && (*s == '\'' || *s == '"'))
            quote = *s;
    }
    out->failed |= spaced.failed;
    text_release(&spaced);
}
