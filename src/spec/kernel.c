// KernelSpecification: which languages there are, and their parts in order.
#include "spec/kernel_read.h"

#include "base/text.h"

#include <string.h>

static const char *const language_names[] = {"OpenCL", "CUDA"};

static const char *file_of(const struct reader *r, struct node kernel)
{
    struct node list = node_get(r, kernel, "Sources");
    const char *first = node_count(list) > 0 ? node_text(node_item(r, list, 0)) : NULL;
    const char *file = first ? first : node_text(node_get(r, kernel, "KernelFile"));
    return file ? file : "";
}

static bool ends_in(const char *file, const char *ending)
{
    size_t length = strlen(file), tail = strlen(ending);
    return length >= tail && strcmp(file + length - tail, ending) == 0;
}

static bool read_language(const struct reader *r, struct node kernel, struct kernel_spec *k)
{
    struct node n = node_get(r, kernel, "Language");
    const char *text = node_text(n), *file = file_of(r, kernel);
    size_t choice = ends_in(file, ".cu") || ends_in(file, ".cuh") ? 1 : 0;
    if (text && (str_equal_nocase(text, "Vulkan") || str_equal_nocase(text, "Hypertuner") ||
                 str_equal_nocase(text, "HIP")))
        return node_error(r, n, "%s is outside what hone runs: OpenCL and CUDA", text);
    if (!read_choice(r, n, language_names, 2, choice, &choice))
        return false;
    k->language = choice == 1 ? LANGUAGE_CUDA : LANGUAGE_OPENCL;
    k->languages[k->language].offered = true;
    return true;
}

static bool read_further_languages(const struct reader *r, struct node languages,
                                   struct kernel_spec *k)
{
    const char *name;
    json_t *value;
    (void)value;
    json_object_foreach((json_t *)languages.json, name, value)
    {
        struct node n = node_get(r, languages, name);
        if (strcmp(name, "Comment") == 0)
            continue;
        bool cuda = str_equal_nocase(name, "CUDA");
        if (!cuda && !str_equal_nocase(name, "OpenCL"))
            return node_error(r, n, "'%s' is no language hone runs; use OpenCL or CUDA", name);
        k->languages[cuda ? LANGUAGE_CUDA : LANGUAGE_OPENCL].offered = true;
    }
    return true;
}

// ProblemSize as a name of every expression: over constants, which are known now.
static bool read_problem_size(const struct reader *r, struct node n, struct kernel_spec *k)
{
    struct expr_symbols symbols;
    struct value *slots;
    size_t count = node_count(n);
    if (count > 3)
        return node_error(r, n, "must have one to three axes");
    if (!constant_symbols(r, &symbols, &slots))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct formula f;
        if (!read_formula(r, node_item(r, n, i), &symbols, &f) ||
            !eval_constant(r, &f, slots, &k->problem_size[i]))
            return false;
    }
    k->problem_axes = (uint32_t)count;
    return true;
}

static bool read_one_language(struct reader *r, struct node kernel, struct kernel_spec *k,
                              enum language l)
{
    struct node own = language_node(r, node_get(r, kernel, "Languages"), l);
    return read_formula(r, node_get(r, own, "When"), &r->spec->symbols, &k->languages[l].when) &&
           read_conditions(r, node_get(r, own, "Conditions"), language_title(l)) &&
           read_launches(r, kernel, k, l);
}

bool read_kernel(struct reader *r, struct node root)
{
    struct node kernel = node_get(r, root, "KernelSpecification");
    struct kernel_spec *k = arena_alloc(r->arena, sizeof *k);
    if (!k)
        return error_memory(r->error);
    r->spec->kernel = k;
    if (!node_present(kernel))
        return node_error(r, kernel, "is missing: it names the kernel, its sizes and arguments");
    if (!read_language(r, kernel, k) ||
        !read_further_languages(r, node_get(r, kernel, "Languages"), k) ||
        !read_problem_size(r, node_get(r, kernel, "ProblemSize"), k) ||
        !read_arguments(r, kernel, k))
        return false;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (k->languages[l].offered && !read_one_language(r, kernel, k, (enum language)l))
            return false;
    }
    return read_reference(r, kernel, k);
}

// ---- questions ---------------------------------------------------------------------------------

bool spec_has_language(const struct spec *s, enum language l)
{
    return l < LANGUAGE_COUNT && s->kernel->languages[l].offered;
}

enum language spec_language(const struct spec *s)
{
    return s->kernel->language;
}
