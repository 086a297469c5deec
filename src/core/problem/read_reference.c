// Reads what the outputs are held against: a gemm, another kernel, the default or a named
// configuration, or contents from files or fills.
#include "problem/read_kernels.h"

#include "base/text.h"

static bool read_operand(const struct reader *r, const struct kernel_spec *k, struct node n,
                         const char *fallback, uint32_t *out)
{
    const char *name = node_text(n) ? node_text(n) : fallback;
    if (!find_argument(r, k, n, name, out))
        return false;
    return k->arguments[*out].faulty || k->arguments[*out].memory == MEMORY_VECTOR ||
           node_error(r, n, "argument '%s' must be of MemoryType Vector", name);
}

static bool read_length(const struct reader *r, struct node n, struct formula *out)
{
    if (!node_present(n))
        return node_error(r, n, "is missing: gemm needs M, N and K");
    return read_formula(r, n, &r->spec->symbols, out);
}

// The word itself, or an expression that gives it.
static bool read_activation(const struct reader *r, struct node n, struct gemm_spec *g)
{
    const char *word = node_text(n);
    return (word && activation_parse(word, &g->always)) ||
           read_formula(r, n, &r->spec->symbols, &g->activation);
}

static bool read_gemm(const struct reader *r, const struct kernel_spec *k, struct node n,
                      struct gemm_spec *g)
{
    g->transpose_a = node_flag(node_get(r, n, "TransposeA"), false);
    g->transpose_b = node_flag(node_get(r, n, "TransposeB"), false);
    // gemm gives C and nothing else.
    if (!read_on(r, read_length(r, node_get(r, n, "M"), &g->m)) ||
        !read_on(r, read_length(r, node_get(r, n, "N"), &g->n)) ||
        !read_on(r, read_length(r, node_get(r, n, "K"), &g->k)) ||
        !read_on(r, read_formula(r, node_get(r, n, "Alpha"), &r->spec->symbols, &g->alpha)) ||
        !read_on(r, read_formula(r, node_get(r, n, "Beta"), &r->spec->symbols, &g->beta)) ||
        !read_on(r, read_formula(r, node_get(r, n, "Gamma"), &r->spec->symbols, &g->gamma)) ||
        !read_on(r, read_formula(r, node_get(r, n, "Batch"), &r->spec->symbols, &g->batch)) ||
        !read_on(r, read_activation(r, node_get(r, n, "Activation"), g)) ||
        (g->gamma.expr && !read_operand(r, k, node_get(r, n, "Bias"), "bias", &g->bias)) ||
        !read_operand(r, k, node_get(r, n, "A"), "A", &g->a) ||
        !read_operand(r, k, node_get(r, n, "B"), "B", &g->b) ||
        !read_operand(r, k, node_get(r, n, "C"), "C", &g->c))
        return false;
    for (uint32_t i = 0; i < k->argument_count; i++) {
        if (k->arguments[i].output && i != g->c && !k->arguments[i].faulty)
            return node_error(r, n,
                              "gemm says nothing of argument '%s', which is an output; say "
                              "\"Output\": false there",
                              k->arguments[i].name);
    }
    return k->arguments[g->c].output || k->arguments[g->c].faulty ||
           node_error(r, n,
                      "argument '%s' is C, but no output; say \"AccessType\": \"WriteOnly\" there",
                      k->arguments[g->c].name);
}

static bool read_reference_configuration(const struct reader *r, struct node n,
                                         struct reference_spec *out)
{
    const char *text = node_text(n);
    out->choice = spec_choice(r->spec, text ? text : "", r->arena, r->error);
    if (out->choice || r->error->code == ERROR_MEMORY)
        return out->choice;
    error_context(r->error, "%s", n.path);
    r->error->code = ERROR_INPUT; // the spec's words, not the caller's
    return false;
}

// ---- given contents ----------------------------------------------------------------------------

bool output_named(const struct reader *r, const struct kernel_spec *k, struct node n,
                  const char *name, uint32_t *out)
{
    if (!find_argument(r, k, n, name, out))
        return false;
    return k->arguments[*out].output || k->arguments[*out].faulty ||
           node_error(r, n, "argument '%s' is not an output; say \"Output\": true", name);
}

void warn_uncompared(const struct reader *r, const struct kernel_spec *k, struct node n)
{
    const struct reference_spec *ref = &k->reference;
    for (uint32_t i = 0; i < k->argument_count; i++) {
        bool given = false;
        for (uint32_t x = 0; x < ref->expected_count; x++)
            given = given || ref->expected[x].argument == i;
        if (k->arguments[i].output && !given)
            node_warn(r, n, "gives no contents for output '%s', which is not compared",
                      k->arguments[i].name);
    }
}

static bool read_reference_files(const struct reader *r, const struct kernel_spec *k,
                                 struct node files, struct reference_spec *out)
{
    size_t count = json_object_size(files.json);
    if (count == 0)
        return node_error(r, files, "is missing: name a file for each output, {\"C\": \"c.npy\"}");
    out->expected = arena_array(r->arena, count, sizeof *out->expected);
    if (!out->expected)
        return error_memory(r->error);
    for (struct members m = node_members(r, files); members_next(&m);) {
        struct expected_spec *e = &out->expected[out->expected_count];
        e->fill = (struct fill_spec){.kind = FILL_DATA, .path = m.node.path};
        if (!output_named(r, k, m.node, m.name, &e->argument) ||
            !read_data_name(r, m.node, &e->fill.file))
            return false;
        out->expected_count++;
    }
    warn_uncompared(r, k, files);
    return true;
}

static bool set_threshold(const struct reader *r, struct node n, struct compare_spec *c,
                          struct formula *f)
{
    if (node_present(n))
        return read_formula(r, n, &r->spec->symbols, f);
    c->usual = true;
    *f = (struct formula){.path = n.path, .text = "1e-4"};
    f->expr = expr_parse(r->arena, f->text, &r->spec->symbols, r->error);
    return f->expr != NULL;
}

// T1's methods, unless the argument has a Verification of its own.
static bool read_method(const struct reader *r, struct node item, struct compare_spec *c)
{
    static const char *const methods[] = {"AbsoluteDifference", "SideBySideComparison",
                                          "SideBySideRelativeComparison"};
    struct node method = node_get(r, item, "ValidationMethod");
    struct node threshold = node_get(r, item, "ValidationThreshold");
    size_t choice;
    if (c->chosen || (!node_present(method) && !node_present(threshold)))
        return true;
    if (!read_choice(r, method, methods, 3, 1, &choice))
        return false;
    c->chosen = true;
    c->kind = choice == 2 ? COMPARE_CLOSE : COMPARE_ABSOLUTE;
    if (choice != 2)
        return set_threshold(r, threshold, c, &c->atol);
    c->atol = (struct formula){.path = method.path, .text = "0"};
    c->atol.expr = expr_parse(r->arena, c->atol.text, &r->spec->symbols, r->error);
    return c->atol.expr && set_threshold(r, threshold, c, &c->rtol);
}

static bool read_reference_arguments(const struct reader *r, struct kernel_spec *k,
                                     struct node list)
{
    struct reference_spec *out = &k->reference;
    out->source = REFERENCE_BY_CONTENTS;
    out->path = list.path;
    out->name = "KernelSpecification.ReferenceArguments";
    out->expected = arena_array(r->arena, node_count(list), sizeof *out->expected);
    if (!out->expected)
        return error_memory(r->error);
    for (; out->expected_count < node_count(list); out->expected_count++) {
        struct node item = node_item(r, list, out->expected_count);
        struct expected_spec *e = &out->expected[out->expected_count];
        struct node target = node_get(r, item, "TargetName");
        const char *name;
        if (!read_text(r, target, &name) || !output_named(r, k, target, name, &e->argument) ||
            !read_fill(r, k, item, 0, &e->fill))
            return false;
        if (e->fill.kind == FILL_UNIFORM || e->fill.kind == FILL_NORMAL ||
            e->fill.kind == FILL_NONE)
            return node_error(r, node_get(r, item, "FillType"),
                              "a reference must have known contents: use Constant, Generator or "
                              "BinaryRaw");
        if (!read_method(r, item, &k->arguments[e->argument].compare))
            return false;
    }
    warn_uncompared(r, k, list);
    return true;
}

// ---- the choice --------------------------------------------------------------------------------

static bool kernel_has_output(const struct kernel_spec *k)
{
    for (uint32_t i = 0; i < k->argument_count; i++) {
        if (k->arguments[i].output || k->arguments[i].faulty)
            return true;
    }
    return false;
}

static bool read_kind(struct reader *r, struct node kernel, struct kernel_spec *k, struct node n,
                      enum reference_source source)
{
    struct node configuration = node_get(r, n, "Configuration");
    switch (source) {
    case REFERENCE_BY_GEMM:
        return read_gemm(r, k, n, &k->reference.gemm);
    case REFERENCE_BY_CONTENTS:
        return read_reference_files(r, k, node_get(r, n, "Files"), &k->reference);
    case REFERENCE_BY_CONFIGURATION:
        if (!node_text(configuration))
            k->reference.source = REFERENCE_BY_DEFAULT;
        return !node_text(configuration) ||
               read_reference_configuration(r, configuration, &k->reference);
    case REFERENCE_BY_KERNEL:
        if (node_text(configuration) &&
            !read_reference_configuration(r, configuration, &k->reference))
            return false;
        for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
            k->language = k->by_text ? (enum language)l : k->language;
            if (k->languages[l].offered && !read_reference_launch(r, kernel, k, (enum language)l))
                return false;
        }
        return true;
    default:
        return true;
    }
}

bool read_reference(struct reader *r, struct node kernel, struct kernel_spec *k)
{
    static const char *const kinds[] = {"none", "gemm", "kernel", "configuration", "file"};
    static const enum reference_source sources[] = {REFERENCE_BY_NOTHING, REFERENCE_BY_GEMM,
                                                    REFERENCE_BY_KERNEL, REFERENCE_BY_CONFIGURATION,
                                                    REFERENCE_BY_CONTENTS};
    struct node n = node_get(r, kernel, "Reference"), kind = node_get(r, n, "Kind");
    struct node list = node_get(r, kernel, "ReferenceArguments");
    size_t choice;
    k->reference.path = n.path;
    k->reference.name = "KernelSpecification.Reference";
    if (has_expectations(r, kernel)) {
        if (node_present(n) || node_count(list) > 0)
            return node_error(r, node_present(n) ? n : list,
                              "an argument has an Expect, which is the reference; leave one of the "
                              "two out");
        return read_expectations(r, kernel, k);
    }
    if (!node_present(n) && node_count(list) > 0)
        return read_reference_arguments(r, k, list);
    if (!node_present(n)) {
        k->reference.source = kernel_has_output(k) ? REFERENCE_BY_DEFAULT : REFERENCE_BY_NOTHING;
        return true;
    }
    if (!node_present(kind))
        return node_error(r, kind, "is missing: use gemm, kernel, configuration, file or none");
    if (!read_choice(r, kind, kinds, 5, 0, &choice))
        return false;
    k->reference.source = sources[choice];
    if (sources[choice] != REFERENCE_BY_NOTHING && !kernel_has_output(k))
        return node_error(r, n,
                          "no argument is an output, so there is nothing to compare; say "
                          "\"Output\": true");
    return read_kind(r, kernel, k, n, sources[choice]);
}
