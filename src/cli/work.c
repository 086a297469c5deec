#include "cli/work.h"

#include "cli/choose_device.h"
#include "cli/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What would be right where there is no device of a language.
static const char *const remedies[LANGUAGE_COUNT] = {
    [LANGUAGE_OPENCL] =
        "For a CPU install PoCL (Debian and Ubuntu: apt install pocl-opencl-icd "
        "ocl-icd-libopencl1); for a GPU the OpenCL part of its driver (nvidia-opencl-icd, "
        "mesa-opencl-icd, intel-opencl-icd)",
    [LANGUAGE_CUDA] = "CUDA needs an NVIDIA GPU and NVIDIA's driver",
};

void work_init(struct work *w, const struct invocation *call)
{
    *w = (struct work){.call = call};
    arena_init(&w->arena);
    ticker_init(&w->ticker, stderr);
    w->log = (struct log){console_log, &w->ticker};
}

void work_drop_spare(struct work *w)
{
    spare_free(w->spare);
    w->spare = NULL;
}

bool work_kept(struct work *w)
{
    struct error e = ERROR_INIT;
    if (!w->store || w->lost || store_kept(w->store, &e))
        return !w->lost;
    ticker_clear(&w->ticker);
    complain("%s", e.text);
    w->lost = *w->call->lost = true;
    return false;
}

void work_close_store(struct work *w)
{
    work_kept(w);
    store_close(w->store);
    w->store = NULL;
    w->lost = false;
}

void work_release(struct work *w)
{
    ticker_clear(&w->ticker);
    work_drop_spare(w);
    work_close_store(w);
    spec_free(w->spec);
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

struct spec_options work_spec_options(const struct work *w)
{
    const struct settings *s = &w->call->settings;
    return (struct spec_options){
        .set = s->set.items, .set_count = s->set.count, .strict = s->strict, .log = &w->log};
}

// In the arena; releases the text. NULL without memory.
static const char *keep(struct work *w, struct text *text)
{
    const char *copy = text->failed ? NULL : arena_strdup(&w->arena, text_cstr(text));
    text_release(text);
    return copy;
}

static bool name_constants(struct work *w, struct error *e)
{
    struct text constants = TEXT_INIT, json = TEXT_INIT;
    struct emit j;
    spec_constants_text(w->spec, &constants);
    emit_start(&j, &json);
    emit_constants(&j, w->spec);
    w->constants = keep(w, &constants);
    w->constants_json = keep(w, &json);
    return (w->constants && w->constants_json) || error_memory(e);
}

int work_spec(struct work *w)
{
    struct error e = ERROR_INIT;
    struct spec_options options = work_spec_options(w);
    w->spec = spec_load(w->call->arguments[0], &options, &e);
    if (w->spec && name_constants(w, &e))
        return EXIT_DONE;
    work_failed(&e);
    return e.code == ERROR_MEMORY ? EXIT_NOTHING : EXIT_USAGE;
}

int work_environment(struct work *w)
{
    struct error e = ERROR_INIT;
    if (w->has_environment)
        return EXIT_DONE;
    w->has_environment = true; // half of one is released too
    return environment_init(&w->environment, &e) ? EXIT_DONE : work_failed(&e);
}

// ---- devices -----------------------------------------------------------------------------------

static struct spec_languages every_language(void)
{
    struct spec_languages all = {.count = LANGUAGE_COUNT};
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        all.list[l] = (enum language)l;
    return all;
}

int work_languages(struct work *w)
{
    struct error e = ERROR_INIT;
    const struct given_language *given = &w->call->settings.language;
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

int work_devices(struct work *w, uint32_t languages)
{
    struct error e = ERROR_INIT;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const struct environment *v = &w->environment;
    work_drop_spare(w); // of an earlier list
    if (!live_devices(v->worker, v->worker_with, languages, &w->arena, &w->devices, &w->spare, &e))
        return work_failed(&e);
    return EXIT_DONE;
}

int work_no_device(const struct work *w)
{
    bool is_one = w->languages.count == 1;
    enum language l = is_one ? w->languages.list[0] : LANGUAGE_OPENCL;
    const char *problem = w->devices.problem;
    bool has_problem = problem && problem[0];
    complain("%s%sno %s device. %s", has_problem ? problem : "", has_problem ? ": " : "",
             language_title(l), remedies[l]);
    return EXIT_NOTHING;
}

uint32_t work_language_set(const struct work *w)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < w->languages.count; i++)
        set |= 1u << w->languages.list[i];
    return set;
}

// A comparison's sides have a language also where nobody gave one.
static const char *other_ways(const struct invocation *call)
{
    if (!call->settings.language.is_given)
        return "";
    return call->command == &command_compare
               ? "; or take another language, or say with --left and --right what else shall differ"
               : "; or leave --language out, or name another";
}

// None of the devices here speaks the spec's language: those that there are, and what would be
// right.
static int say_other_devices(const struct work *w, const char *problem)
{
    struct text others = TEXT_INIT;
    enum language l = w->languages.list[0];
    list_devices(w->devices.devices, w->devices.device_count, &others);
    if (problem && problem[0])
        complain("%s", problem);
    complain("%s%sno device here runs %s. %s%s. There %s:%s", w->spec ? w->spec->path : "",
             w->spec ? ": " : "", language_title(l), remedies[l], other_ways(w->call),
             w->devices.device_count == 1 ? "is" : "are", text_cstr(&others));
    text_release(&others);
    return EXIT_NOTHING;
}

static int say_why_none(struct work *w)
{
    const char *problem = w->devices.problem; // of the language that was wanted
    int status = work_devices(w, LANGUAGES_ALL);
    if (status != EXIT_DONE)
        return status;
    if (w->devices.device_count > 0)
        return say_other_devices(w, problem);
    w->devices.problem = problem;
    for (uint32_t i = 0; i < w->devices.note_count; i++) {
        const struct device_note *n = &w->devices.notes[i];
        complain("%s: %s; %s", n->device, n->reason, n->remedy);
    }
    return work_no_device(w);
}

// A language whose When is false for a device is left out, unless it was asked for or nothing else
// is left: then the job says so.
static size_t add_usable(const struct work *w, bool all, struct device_info *list)
{
    size_t count = 0;
    for (uint32_t l = 0; l < w->languages.count; l++) {
        for (uint32_t i = 0; i < w->devices.device_count; i++) {
            const struct device_info *d = &w->devices.devices[i];
            if (d->language == w->languages.list[l] &&
                (all || !w->spec || spec_language_fits(w->spec, d->language, d)))
                list[count++] = *d;
        }
    }
    return count;
}

const struct device_info *work_usable(struct work *w, size_t *count)
{
    struct device_info *list = arena_array(&w->arena, w->devices.device_count + 1, sizeof *list);
    *count = list ? add_usable(w, w->languages.count == 1, list) : 0;
    if (list && *count == 0)
        *count = add_usable(w, true, list);
    return list;
}

int work_device(struct work *w)
{
    struct error e = ERROR_INIT;
    size_t count;
    int status = work_languages(w);
    if (status == EXIT_DONE)
        status = work_devices(w, work_language_set(w));
    if (status != EXIT_DONE)
        return status;
    const char *wanted = w->call->settings.device;
    bool by_environment = !wanted && w->environment.device;
    if (by_environment)
        wanted = w->environment.device;
    const struct device_info *list = work_usable(w, &count);
    if (list && count == 0)
        return say_why_none(w);
    w->device = list ? choose_device(list, count, wanted, &e) : NULL;
    if (!list)
        error_memory(&e);
    if (!w->device && by_environment)
        error_context(&e, "HONE_DEVICE");
    return w->device ? EXIT_DONE : work_failed(&e);
}

// ---- the store ---------------------------------------------------------------------------------

const char *work_store_path(struct work *w, struct error *e)
{
    const char *given = w->call->settings.store;
    if (given && !given[0]) {
        error_set(e, ERROR_USAGE, "--store: the file has no name");
        return NULL;
    }
    return given ? given : environment_store(&w->environment, e);
}

int work_own_store(struct work *w, enum store_mode mode)
{
    struct error e = ERROR_INIT;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const char *path = work_store_path(w, &e);
    if (path)
        w->store = store_open(path, mode, &e);
    return w->store ? EXIT_DONE : work_failed(&e);
}

static bool add_behind(struct work *w, const char *path, const char *from, struct error *e)
{
    struct store *behind = store_open(path, STORE_READ, e);
    if (!behind)
        return error_context(e, "%s", from);
    w->store = store_stack(w->store, behind);
    return true;
}

// Empty parts of HONE_ALSO mean nothing.
static bool stack_behind(struct work *w, struct error *e)
{
    const struct list *also = &w->call->settings.also;
    bool ok = true;
    for (uint32_t i = 0; i < also->count && ok; i++)
        ok = add_behind(w, also->items[i], "--also", e);
    char *copy = w->environment.also ? arena_strdup(&w->arena, w->environment.also) : NULL;
    char *path;
    while (ok && (path = strsep(&copy, ":")))
        ok = !*path || add_behind(w, path, "HONE_ALSO", e);
    return ok;
}

// With `enough` there is something else to read, should the store itself not be there.
static int open_stores(struct work *w, enum store_mode mode, bool enough)
{
    struct error e = ERROR_INIT;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const char *path = work_store_path(w, &e);
    bool has_behind = enough || w->call->settings.also.count > 0 || w->environment.also;
    bool is_missing = path && access(path, F_OK) != 0 && errno == ENOENT;
    if (path && !(mode == STORE_READ && has_behind && is_missing))
        w->store = store_open(path, mode, &e);
    if (e.code || !stack_behind(w, &e))
        return work_failed(&e);
    if (w->store && w->call->settings.reuse_unseen)
        store_reuse_unseen(w->store);
    return EXIT_DONE;
}

int work_store(struct work *w, enum store_mode mode)
{
    return open_stores(w, mode, false);
}

int work_store_or_known(struct work *w, struct store **known)
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
        struct store *shipped = store_open(path, STORE_IMMUTABLE, &e);
        if (shipped)
            *known = store_stack(NULL, shipped);
        else
            complain("warning: %s", e.text);
    }
    return open_stores(w, STORE_READ, *known && !w->call->settings.store);
}

// ---- what to type next --------------------------------------------------------------------------

static void add_option(const char *name, const char *value, struct text *out)
{
    text_addf(out, " --%s ", name);
    text_add_shell(out, value);
}

void work_same(const struct work *w, struct text *out)
{
    const struct settings *s = &w->call->settings;
    text_add_shell(out, w->call->arguments[0]);
    for (uint32_t i = 0; i < s->set.count; i++)
        add_option("set", s->set.items[i], out);
    if (s->language.is_given)
        add_option("language", language_text(s->language.language), out);
    if (s->device)
        add_option("device", s->device, out);
    if (s->reuse_unseen && w->store)
        text_add(out, " --reuse-unseen");
    if (s->store && w->store)
        add_option("store", s->store, out);
    for (uint32_t i = 0; i < s->also.count && w->store; i++)
        add_option("also", s->also.items[i], out);
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
