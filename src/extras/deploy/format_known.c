// `hone deploy --format known`: a `.hone` file, which libhone-known reads at run time. Words and quoted texts separated by
// blanks; counts stand in front of what they count, and a checksum of all before it at the end. known/known.c reads it and
// refuses whatever does not agree.
#include "extras/deploy/core_table.h"
#include "extras/deploy/formats.h"
#include "known/known_program.h"

#include <string.h>

static void put_text(struct text *out, const char *s)
{
    text_add(out, " \"");
    for (; s && *s; s++) {
        if (*s == '"' || *s == '\\' || (unsigned char)*s < 32)
            text_addf(out, "\\%02x", (unsigned char)*s);
        else
            text_addc(out, *s);
    }
    text_addc(out, '"');
}

static void put_number(struct text *out, uint32_t i)
{
    if (i == HONE_CORE_NONE)
        text_add(out, " -");
    else
        text_addf(out, " %u", (unsigned)i);
}

static void put_texts(struct text *out, const char *key, const char *const *items, uint32_t count)
{
    text_addf(out, "%s %u", key, (unsigned)count);
    for (uint32_t i = 0; i < count; i++)
        put_text(out, items[i]);
    text_addc(out, '\n');
}

static void put_program(struct text *out, const struct deploy_program *p)
{
    static const char *const words[] = {
#define X(name, word, operands) word,
        HONE_CORE_OPERATORS(X)
#undef X
#define X(name, word) word,
            KNOWN_STEPS(X)
#undef X
    };
    text_addf(out, "program %u", (unsigned)p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct known_step *s = &p->steps[i];
        uint64_t bits;
        memcpy(&bits, &s->f, sizeof bits);
        text_addf(out, " %s", words[s->code]);
        if (s->code == KNOWN_STEP_REAL)
            text_addf(out, "%016llx", (unsigned long long)bits);
        else if (s->code >= HONE_CORE_OPERATOR_COUNT)
            text_addf(out, "%lld", (long long)s->i);
    }
    text_addc(out, '\n');
}

static void put_named(struct text *out, const char *key, const hone_core_named *list,
                      uint32_t count)
{
    text_addf(out, "%s %u\n", key, (unsigned)count);
    for (uint32_t i = 0; i < count; i++) {
        put_number(out, list[i].expression);
        put_text(out, list[i].text);
        text_addc(out, '\n');
    }
}

static void put_configuration(struct text *out, const hone_core_table *t,
                              const hone_core_configuration *c)
{
    text_add(out, "configuration");
    put_text(out, c->text);
    put_text(out, c->options);
    put_text(out, c->target ? c->target : "");
    put_number(out, c->retarget);
    text_addc(out, '\n');
    put_named(out, "restrictions", c->restrictions, c->restriction_count);
    put_named(out, "defines", c->defines, c->define_count);
    text_addf(out, "launches %u\n", (unsigned)c->launch_count);
    for (uint32_t i = 0; i < c->launch_count; i++) {
        const hone_core_launch *l = &c->launches[i];
        text_add(out, "launch");
        put_text(out, l->kernel);
        put_number(out, l->when);
        for (uint32_t k = 0; k < 3; k++)
            put_number(out, l->global[k]);
        for (uint32_t k = 0; k < 3; k++)
            put_number(out, l->local[k]);
        put_number(out, l->local_memory);
        text_addf(out, " %u %u", (unsigned)l->dimensions, (unsigned)l->argument_count);
        for (uint32_t k = 0; k < l->argument_count; k++)
            put_number(out, l->arguments[k]);
        text_addc(out, '\n');
    }
    text_add(out, "bytes");
    for (uint32_t i = 0; i < t->argument_count; i++)
        put_number(out, c->bytes[i]);
    text_addc(out, '\n');
}

static void put_device(struct text *out, const hone_core_table *t, const hone_core_device *d)
{
    text_add(out, "device");
    put_text(out, d->name);
    put_text(out, d->identity);
    put_text(out, d->vendor);
    put_text(out, d->architecture);
    text_addf(out, " %lld %u %u", (long long)d->compute_units, (unsigned)d->fallback,
              (unsigned)d->count);
    for (uint32_t i = 0; i < t->fact_count; i++)
        text_addf(out, " %lld", (long long)d->facts[i]);
    text_addc(out, '\n');
    for (uint32_t i = d->first; i < d->first + d->count; i++) {
        const uint32_t point = d->first + t->tree[i];
        text_addf(out, " %u %u", (unsigned)t->tree[i], (unsigned)t->point_configurations[point]);
        for (uint32_t k = 0; k < t->column_count; k++)
            text_addf(out, " %lld", (long long)t->shapes[(size_t)point * t->column_count + k]);
        text_addc(out, '\n');
    }
}

// Behind the devices, and not there where none has a model.
static void put_models(struct text *out, const hone_core_table *t)
{
    for (uint32_t i = 0; i < t->device_count; i++) {
        const hone_core_device *d = &t->devices[i];
        if (!d->model)
            continue;
        text_addf(out, "model %u %u\n", (unsigned)i, (unsigned)d->model->launch);
        for (uint32_t c = 0; c < t->configuration_count; c++)
            put_number(out, d->model->groups[c]);
        for (uint32_t k = 0; k < t->column_count; k++)
            text_addf(out, " %lld", (long long)d->model->slopes[k]);
        for (uint32_t c = 0; c < t->configuration_count; c++)
            text_addf(out, " %u", (unsigned)d->model->resident[c]);
        for (size_t p = 0; p < (size_t)d->count * t->configuration_count; p++)
            text_addf(out, "%s%d", p % t->configuration_count ? " " : "\n ",
                      (int)d->model->costs[p]);
        text_addc(out, '\n');
    }
}

static uint32_t count_points(const hone_core_table *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->device_count; i++)
        count += t->devices[i].count;
    return count;
}

static void put_table(struct text *out, const struct core_table *c)
{
    const hone_core_table *t = &c->core;
    put_texts(out, "columns", t->columns, t->column_count);
    put_texts(out, "facts", t->facts, t->fact_count);
    put_texts(out, "arguments", t->arguments, t->argument_count);
    text_addf(out, "programs %u\n", (unsigned)c->program_count);
    for (uint32_t i = 0; i < c->program_count; i++)
        put_program(out, &c->programs[i]);
    text_addf(out, "configurations %u %u\n", (unsigned)t->configuration_count,
              (unsigned)t->fallback);
    for (uint32_t i = 0; i < t->configuration_count; i++)
        put_configuration(out, t, &t->configurations[i]);
    text_addf(out, "devices %u %u\n", (unsigned)t->device_count, (unsigned)count_points(t));
    for (uint32_t i = 0; i < t->device_count; i++)
        put_device(out, t, &t->devices[i]);
    put_models(out, t);
}

static bool write_known(const struct deploy_table *t, const struct deploy_writing *w,
                        struct text *out, struct error *e)
{
    struct core_table c;
    bool ok = core_table_init(&c, t, e);
    if (ok) {
        size_t start = out->length;
        text_add(out, "hone-known 2");
        put_text(out, w->prefix ? w->prefix : t->name);
        put_text(out, language_title(t->language));
        put_text(out, t->hone_version);
        put_text(out, t->spec_path);
        put_text(out, t->source_digest);
        put_text(out, t->spec_digest);
        text_addc(out, '\n');
        put_table(out, &c);
        if (!out->failed)
            text_addf(out, "checksum %016llx\n",
                      (unsigned long long)known_checksum(out->data + start, out->length - start));
        ok = !out->failed || error_memory(e);
    }
    core_table_release(&c);
    return ok;
}

const struct deploy_format deploy_format_known = {
    .name = "known",
    .ending = ".hone",
    .help = "a file that libhone-known reads at run time",
    .write = write_known,
};
