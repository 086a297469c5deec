// Session setup, as every workflow needs it: sources, space, the default configuration, and one job
// that shows how results are verified; and the session that results are stored under.
#include "campaign/subject.h"

#include <stdlib.h>
#include <string.h>

#define TRIED_MOST 4096 // configurations, before giving up

// ---- the space ---------------------------------------------------------------------------------

static struct space *space_of_subject(const struct subject *s, struct space_share share,
                                      struct error *e)
{
    const struct setup *o = &s->setup;
    struct space_options so = o->space;
    so.device = o->at.device;
    so.share = share;
    return space_new(o->spec, &so, e);
}

const struct space *subject_whole(struct subject *s, struct error *e)
{
    if (s->o.space || s->setup.space.share.parts < 2)
        return s->space;
    if (!s->whole)
        s->whole = space_of_subject(s, (struct space_share){0, 0}, e);
    return s->whole;
}

static bool make_subject_space(struct subject *s, struct error *e)
{
    s->space = space_of_subject(s, s->setup.space.share, e);
    if (!s->space)
        return false;
    if (space_count(s->space) > 0)
        return true;
    struct text why = TEXT_INIT;
    space_explain_empty(s->space, &why);
    error_set(e, ERROR_INPUT, "%s: no configuration is valid: %s", s->setup.spec->path,
              text_cstr(&why));
    text_release(&why);
    return false;
}

// ---- the reference -----------------------------------------------------------------------------

static bool has_output(const struct job *job)
{
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        if (job->buffers[i].output)
            return true;
    }
    return false;
}

// The first configuration that can be made into a job, the default one before all others; of a
// large space some from all over it are tried. NULL with the default one's error when there is
// none; NULL without an error when the untried may be other: what cannot be made is then a result
// later.
static struct job *any_job(struct subject *s, struct error *e)
{
    struct job *job = NULL;
    uint64_t count = space_count(s->space), first = s->has_default ? s->default_index : 0;
    uint64_t apart = count > TRIED_MOST ? count / TRIED_MOST : 1;
    uint32_t *choice = arena_array(&s->arena, s->setup.spec->parameter_count + 1, sizeof *choice);
    bool same = true; // the error of all that were tried
    if (!choice)
        return error_no_memory(e);
    for (uint64_t i = 0; i < count && i < TRIED_MOST; i++) {
        struct error why = ERROR_INIT;
        space_get(s->space, (first + i * apart) % count, choice);
        if (spec_job(s->setup.spec, s->sources, s->setup.at.device, choice, &job, &why)) {
            error_clear(e);
            return job;
        }
        if (i == 0)
            *e = why;
        same = same && strcmp(why.text, e->text) == 0;
    }
    if (count > TRIED_MOST && !same)
        error_clear(e);
    return NULL;
}

// The reference is the same for all configurations but for its details: one job shows it.
static bool look_at_reference(struct subject *s, struct error *e)
{
    s->against = "";
    struct job *job = any_job(s, e);
    if (!job)
        return e->code == ERROR_NONE;
    const struct job_reference *r = &job->reference;
    if (r->kind != REFERENCE_NONE && has_output(job)) {
        s->verification = r->agreement ? VERIFICATION_AGREES : VERIFICATION_REFERENCE;
        const char *name = r->agreement ? r->job->configuration : r->name;
        s->against = arena_strdup(&s->arena, name ? name : "");
    }
    if (language_traits(job->language)->is_command)
        s->verification = VERIFICATION_CLAIMED;
    job_free(job);
    return s->against || error_memory(e);
}

// ---- the default -------------------------------------------------------------------------------

// The default configuration is not part of the space that --config and --where leave. A recorded
// space has no sources: its default is the spec's own, or none. It is determined once, not for each
// job; if a search from the first value on does not find one in a large space, the space does.
static bool find_default(struct subject *s, struct error *e)
{
    const struct spec *spec = s->setup.spec;
    uint32_t *choice = spec_choice(spec, "", &s->arena, e);
    if (!choice)
        return false;
    if (s->sources && !spec_baseline(s->sources, s->setup.at.device, choice)) {
        const struct space *whole = subject_whole(s, e);
        if (!whole)
            return false;
        space_get(whole, 0, choice);
    }
    if (s->sources && !spec_stand_in(s->sources, choice))
        return error_memory(e);
    s->has_default = spec->parameter_count > 0 && space_find(s->space, choice, &s->default_index);
    return true;
}

// ---- the whole ----------------------------------------------------------------------------------

// False where the spec's texts, which then decide, cannot be read.
static bool subject_language(const struct subject *s, enum language *out, struct error *e)
{
    const struct setup *o = &s->setup;
    struct spec_languages has;
    *out = o->at.device->language;
    if (!s->o.routine || spec_has_language(o->spec, *out))
        return true;
    bool ok = spec_languages(o->spec, &has, e);
    *out = ok ? has.list[0] : *out;
    return ok;
}

static bool look_at_routine(struct subject *s, struct error *e)
{
    const char *no = spec_no_routine(s->setup.spec);
    s->verification = VERIFICATION_REFERENCE;
    s->against = "gemm";
    return !no || error_set(e, ERROR_INPUT, "%s: %s", s->setup.spec->path, no);
}

bool subject_make(struct subject *s, const struct setup *setup, const struct subject_options *o,
                  struct error *e)
{
    struct text constants = TEXT_INIT;
    memset(s, 0, sizeof *s);
    s->setup = *setup;
    s->o = *o;
    arena_init(&s->arena);
    spec_constants_text(setup->spec, &constants);
    s->as = (struct stored_as){.spec_name = o->name ? o->name : setup->spec->name,
                               .constants = text_to_arena(&constants, &s->arena)};
    if (!s->as.constants)
        return error_memory(e);
    if (o->space) {
        s->space = o->space;
        s->against = "";
        return find_default(s, e);
    }
    enum language language;
    if (!subject_language(s, &language, e))
        return false;
    s->sources = spec_sources_read(setup->spec, language, setup->at.device, setup->log, e);
    if (!s->sources || (!o->routine && !make_subject_space(s, e)))
        return false;
    spec_sources_digest(s->sources, &s->as.source);
    if (o->routine)
        return look_at_routine(s, e);
    return find_default(s, e) && look_at_reference(s, e);
}

void subject_release(struct subject *s)
{
    if (!s->o.space)
        space_free(s->space);
    space_free(s->whole);
    spec_sources_free(s->sources);
    arena_release(&s->arena);
}

// Writes the device properties that expressions may use, as numbers, so that the store can be read
// without such a device.
static void add_facts(const struct device_info *d, struct text *out)
{
    text_addf(out,
              "%s%sdevice_capability=%u device_subgroup_size=%u device_max_work_group_size=%llu "
              "device_local_memory=%llu device_global_memory=%llu",
              d->surroundings ? d->surroundings : "",
              d->surroundings && d->surroundings[0] ? " " : "", d->capability, d->subgroup_size,
              (unsigned long long)d->max_group_size, (unsigned long long)d->local_bytes,
              (unsigned long long)d->global_bytes);
}

bool subject_begin(const struct subject *s, struct error *e)
{
    const struct setup *o = &s->setup;
    const struct spec *spec = o->spec;
    if (!o->store)
        return true;
    struct text facts = TEXT_INIT;
    add_facts(o->at.device, &facts);
    struct store_session session = {.command = o->command,
                                    .hone_version = HONE_VERSION,
                                    .spec_name = s->as.spec_name,
                                    .spec_path = spec->path,
                                    .spec_text = spec->text,
                                    .constants = s->as.constants,
                                    .host = o->host,
                                    .seed = o->seed,
                                    .device = o->at.device,
                                    .surroundings = text_cstr(&facts)};
    bool ok = facts.failed ? error_memory(e) : store_begin(o->store, &session, e);
    text_release(&facts);
    return ok;
}

bool subject_describe(const struct subject *s, struct store *store, const char *devices,
                      struct error *e)
{
    struct text facts = TEXT_INIT;
    add_facts(s->setup.at.device, &facts);
    text_addf(&facts, " " SUBJECT_DEVICES "%s", devices);
    bool ok = facts.failed ? error_memory(e) : store_surroundings(store, text_cstr(&facts), e);
    text_release(&facts);
    return ok;
}

// It is the spec's fault, or, where that says that it is for other devices, the configuration's
// own.
bool subject_refusal(const struct error *why, struct result **out)
{
    *out = why->code == ERROR_MEMORY ? NULL : result_new();
    if (*out)
        result_fail(*out, STATUS_CONSTRAINTS,
                    why->code == ERROR_INPUT ? FAULT_SPEC : FAULT_CONFIGURATION, "%s", why->text);
    return *out != NULL;
}

bool subject_texts(const struct spec *spec, const uint32_t *choice, struct arena *a,
                   const char **configuration, const char **configuration_json)
{
    struct text text = TEXT_INIT;
    spec_configuration_text(spec, choice, false, &text);
    *configuration = text_to_arena(&text, a);
    spec_configuration_json(spec, choice, &text);
    *configuration_json = text_to_arena(&text, a);
    return *configuration && *configuration_json;
}
