// A dispatch table as lines of the preprocessor that stand before a kernel's source: where the columns are macros, the
// parameters become macros too. The preprocessor has no logarithm, so a chain of comparisons rounds sizes to sixteenths
// of an octave. It cannot evaluate a spec's restrictions: where one of them reads a column the measured shapes alone have
// their configuration, and every other shape the default.
#include "extras/deploy/formats.h"
#include "extras/deploy/stamp.h"
#include "known/known_core.h"

#define STEP 4096 // hone_core_log2() of a sixteenth of an octave

static int64_t rounded_log(int64_t x)
{
    return (hone_core_log2(x) + STEP / 2) / STEP;
}

// The least size whose rounded logarithm is at least `log`, which is above that of 1.
static int64_t first_with(int64_t log)
{
    int64_t below = 1, at = INT64_MAX;
    while (at - below > 1) {
        int64_t middle = below + (at - below) / 2;
        if (rounded_log(middle) >= log)
            at = middle;
        else
            below = middle;
    }
    return at;
}

static bool reads_columns(const struct deploy_table *t)
{
    const struct spec *s = t->spec;
    for (uint32_t i = 0; i < s->restriction_count; i++) {
        for (uint32_t c = 0; c < t->column_count; c++) {
            if (expr_uses(s->restrictions[i].expr, s->slots.constants + t->column_constants[c]))
                return true;
        }
        // Assume that a derived parameter depends on a column.
        for (uint32_t k = 0; k < s->derived_count; k++) {
            if (expr_uses(s->restrictions[i].expr, s->slots.derived + k))
                return true;
        }
    }
    return false;
}

// #define PREFIX_LOG_M: between the logarithms that points have; beyond them the nearest of these.
static void add_logarithm(const struct deploy_table *t, const char *prefix, uint32_t column,
                          struct text *out)
{
    int64_t low = INT64_MAX, high = 0;
    for (uint32_t i = 0; i < t->device_count; i++) {
        for (uint32_t k = 0; k < t->devices[i].point_count; k++) {
            int64_t log = rounded_log(t->devices[i].points[k].shape[column]);
            low = log < low ? log : low;
            high = log > high ? log : high;
        }
    }
    const char *word = "#if", *name = t->columns[column];
    for (int64_t log = low; log < high; log++) {
        int64_t next = first_with(log + 1);
        if (next == first_with(log + 2) && log + 1 < high)
            continue;
        text_addf(out, "%s %s < %lld\n#define %s_LOG_%s %lld\n", word, name, (long long)next,
                  prefix, name, (long long)rounded_log(next - 1));
        word = "#elif";
    }
    if (str_equal(word, "#elif"))
        text_add(out, "#else\n");
    text_addf(out, "#define %s_LOG_%s %lld\n", prefix, name, (long long)high);
    if (str_equal(word, "#elif"))
        text_add(out, "#endif\n");
}

// The nearest point of a device: the least of its distances, one after the other.
static void add_nearest(const struct deploy_table *t, const char *prefix,
                        const struct deploy_device *d, struct text *out)
{
    for (uint32_t i = 0; i < d->point_count; i++) {
        text_addf(out, "#define %s_FAR_%u (", prefix, i);
        for (uint32_t c = 0; c < t->column_count; c++) {
            const char *name = t->columns[c];
            long long log = rounded_log(d->points[i].shape[c]);
            text_addf(out, "%s(%s_LOG_%s - %lld) * (%s_LOG_%s - %lld)", c ? " + " : "", prefix,
                      name, log, prefix, name, log);
        }
        text_add(out, ")\n");
        if (i == 0)
            text_addf(out, "#define %s_FAR %s_FAR_0\n#define %s_CONFIGURATION %u\n", prefix, prefix,
                      prefix, d->points[i].configuration);
        else
            text_addf(out,
                      "#if %s_FAR_%u < %s_FAR\n#undef %s_FAR\n#undef %s_CONFIGURATION\n"
                      "#define %s_FAR %s_FAR_%u\n#define %s_CONFIGURATION %u\n#endif\n",
                      prefix, i, prefix, prefix, prefix, prefix, prefix, i, prefix,
                      d->points[i].configuration);
    }
}

static void add_exact(const struct deploy_table *t, const char *prefix,
                      const struct deploy_device *d, struct text *out)
{
    for (uint32_t i = 0; i < d->point_count; i++) {
        text_add(out, i ? "#elif " : "#if ");
        for (uint32_t c = 0; c < t->column_count; c++)
            text_addf(out, "%s%s == %lld", c ? " && " : "", t->columns[c],
                      (long long)d->points[i].shape[c]);
        text_addf(out, "\n#define %s_CONFIGURATION %u\n", prefix, d->points[i].configuration);
    }
    text_addf(out, "#else\n#define %s_CONFIGURATION %u\n#endif\n", prefix,
              d->fallback_configuration);
}

static void add_parameters(const struct deploy_table *t, const char *prefix, struct text *out)
{
    for (uint32_t i = 0; i < t->configuration_count; i++) {
        text_addf(out, "%s %s_CONFIGURATION == %u\n", i ? "#elif" : "#if", prefix, i);
        for (uint32_t k = 0; k < t->spec->parameter_count; k++) {
            const struct value *v = &t->configurations[i].values[k];
            if (!deploy_is_macro(t, t->spec->slots.parameters + k, v))
                continue;
            text_addf(out, "#define %s ", t->spec->parameters[k].name);
            define_text(v, out);
            text_add(out, "\n");
        }
    }
    text_add(out, "#endif\n");
}

// That are the same for all shapes.
static void add_constants(const struct deploy_table *t, struct text *out)
{
    const struct spec *s = t->spec;
    for (uint32_t i = 0; i < s->constant_count; i++) {
        const struct constant *c = &s->constants[i];
        if (deploy_is_column(t, i) || !deploy_is_macro(t, s->slots.constants + i, &c->value))
            continue;
        text_addf(out, "#ifndef %s\n#define %s ", c->name, c->name);
        define_text(&c->value, out);
        text_add(out, "\n#endif\n");
    }
}

static bool write_prelude(const struct deploy_table *t, const struct deploy_writing *w,
                          struct text *out, struct error *e)
{
    const char *prefix = w->prefix ? w->prefix : t->name;
    bool is_exact = reads_columns(t);
    text_add(out, "/* ");
    deploy_stamp_add(t, out);
    text_addf(
        out,
        "\n   Stands before the kernel's source, which is compiled with -D for each of the sizes; "
        "-D%s_DEVICE=N\n   chooses the device. %s */\n",
        prefix,
        is_exact ? "Shapes that were not measured have the default: restrictions of the spec "
                   "depend on them."
                 : "Shapes that were not measured have the nearest one's configuration.");
    for (uint32_t i = 0; i < t->device_count; i++) {
        text_addf(out, "/* %s_DEVICE %u: ", prefix, i);
        for (const char *c = t->devices[i].name; *c; c++)
            text_addc(out, *c == '/' || *c == '\n' || *c == '\\' ? ' ' : *c); // it ends no comment
        text_add(out, " */\n");
    }
    text_addf(out, "#ifndef %s_DEVICE\n#define %s_DEVICE 0\n#endif\n", prefix, prefix);
    for (uint32_t i = 0; i < t->column_count; i++)
        text_addf(out, "#ifndef %s\n#error \"compile with -D%s=<size>\"\n#endif\n", t->columns[i],
                  t->columns[i]);
    for (uint32_t i = 0; !is_exact && i < t->column_count; i++)
        add_logarithm(t, prefix, i, out);
    for (uint32_t i = 0; i < t->device_count; i++) {
        text_addf(out, "%s %s_DEVICE == %u\n", i ? "#elif" : "#if", prefix, i);
        if (is_exact)
            add_exact(t, prefix, &t->devices[i], out);
        else
            add_nearest(t, prefix, &t->devices[i], out);
    }
    text_addf(out, "#else\n#define %s_CONFIGURATION %u\n#endif\n", prefix,
              t->default_configuration);
    add_constants(t, out);
    add_parameters(t, prefix, out);
    return !out->failed || error_memory(e);
}

const struct deploy_format deploy_format_prelude = {
    .name = "prelude",
    .ending = ".inc",
    .help = "#if lines that stand before a kernel's source and define its parameters",
    .write = write_prelude,
};
