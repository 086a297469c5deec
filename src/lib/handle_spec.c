// Specs and spaces of the public interface.
#include "lib/handle.h"

// ---- specs --------------------------------------------------------------------------------------

static bool take_spec_options(const struct hone_spec_options *o, struct log_bridge *log,
                              struct spec_options *out, struct error *e)
{
    struct hone_spec_options given;
    if (!take_sized(o, &given, sizeof given, "HONE_SPEC_OPTIONS_INIT", e))
        return false;
    *out = (struct spec_options){.set = given.set,
                                 .set_count = list_length(given.set),
                                 .strict = given.strict,
                                 .log = log_bridge_init(log, given.log)};
    return true;
}

struct hone_spec *hone_spec_load(const char *path, const struct hone_spec_options *o,
                                 struct hone_error *e)
{
    struct log_bridge log;
    struct spec_options options;
    struct error why = ERROR_INIT;
    bool ok = take_spec_options(o, &log, &options, &why);
    struct spec *s = ok ? spec_load(path, &options, &why) : NULL;
    hand_over(&why, e);
    return (struct hone_spec *)s;
}

struct hone_spec *hone_spec_parse(const char *text, size_t length, const char *folder,
                                  const char *name, const struct hone_spec_options *o,
                                  struct hone_error *e)
{
    struct log_bridge log;
    struct spec_options options;
    struct error why = ERROR_INIT;
    bool ok = take_spec_options(o, &log, &options, &why);
    struct spec *s = ok ? spec_parse(text, length, folder, name, &options, &why) : NULL;
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

const char *hone_spec_path(const struct hone_spec *s)
{
    return spec_of(s)->path;
}

size_t hone_spec_parameters(const struct hone_spec *s)
{
    return spec_of(s)->parameter_count;
}

const char *hone_spec_parameter(const struct hone_spec *s, size_t parameter)
{
    return spec_of(s)->parameters[parameter].name;
}

const char *hone_spec_type(const struct hone_spec *s, size_t parameter)
{
    static const char *const texts[] = {PARAMETER_TYPES(LIST_TEXT)};
    return texts[spec_of(s)->parameters[parameter].type];
}

size_t hone_spec_values(const struct hone_spec *s, size_t parameter)
{
    return spec_of(s)->parameters[parameter].count;
}

static size_t give_value(const struct value *v, bool is_literal, char *out, size_t size)
{
    struct text t = TEXT_INIT;
    if (v->kind == VALUE_STRING && !is_literal)
        text_add(&t, v->s);
    else
        value_print(v, &t);
    return give_text(&t, out, size);
}

size_t hone_spec_value(const struct hone_spec *s, size_t parameter, size_t value, char *out,
                       size_t size)
{
    const struct parameter *p = &spec_of(s)->parameters[parameter];
    return give_value(&p->values[value], p->type == PARAMETER_MIXED, out, size);
}

size_t hone_spec_constants(const struct hone_spec *s)
{
    return spec_of(s)->constant_count;
}

const char *hone_spec_constant(const struct hone_spec *s, size_t constant)
{
    return spec_of(s)->constants[constant].name;
}

size_t hone_spec_constant_value(const struct hone_spec *s, size_t constant, char *out, size_t size)
{
    return give_value(&spec_of(s)->constants[constant].value, false, out, size);
}

size_t hone_spec_constants_text(const struct hone_spec *s, char *out, size_t size)
{
    struct text t = TEXT_INIT;
    spec_constants_text(spec_of(s), &t);
    return give_text(&t, out, size);
}

size_t hone_spec_metrics(const struct hone_spec *s)
{
    return spec_of(s)->metric_count;
}

const char *hone_spec_metric(const struct hone_spec *s, size_t metric)
{
    return spec_of(s)->metrics[metric].name;
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
    return give_text(&t, out, size);
}

size_t hone_spec_json(const struct hone_spec *s, const uint32_t *configuration, char *out,
                      size_t size)
{
    struct text t = TEXT_INIT;
    spec_configuration_json(spec_of(s), configuration, &t);
    return give_text(&t, out, size);
}

// ---- spaces -------------------------------------------------------------------------------------

struct hone_space *hone_space_new(const struct hone_spec *s, const struct hone_space_options *o,
                                  struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct hone_space_options given;
    struct space *sp = NULL;
    if (take_sized(o, &given, sizeof given, "HONE_SPACE_OPTIONS_INIT", &why)) {
        struct space_options options = {.device = info_of(given.device),
                                        .configurations = given.configurations,
                                        .configuration_count = list_length(given.configurations),
                                        .where = given.where,
                                        .where_count = list_length(given.where)};
        sp = space_new(spec_of(s), &options, &why);
    }
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
        return give_text(&t, out, size);
    }
    space_why(space_of(sp), configuration, &reason);
    if (reason.restriction)
        space_reason_text(space_of(sp), configuration, &reason, &t);
    return give_text(&t, out, size);
}

size_t hone_space_restrictions(const struct hone_space *sp)
{
    const struct space_restriction_stats *stats;
    return space_restrictions(space_of(sp), &stats);
}

bool hone_space_restriction(const struct hone_space *sp, size_t index, struct hone_restriction *out)
{
    const struct space_restriction_stats *stats;
    if (index >= space_restrictions(space_of(sp), &stats))
        return false;
    const struct hone_restriction full = {.text = stats[index].restriction->text,
                                          .path = stats[index].restriction->path,
                                          .alone = stats[index].alone,
                                          .faults = stats[index].faults};
    give_sized(&full, sizeof full, out);
    return true;
}
