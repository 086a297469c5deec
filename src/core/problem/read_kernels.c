// KernelSpecification: which languages there are, and their parts in order.
#include "problem/read_kernels.h"

#include "base/text.h"

#include <string.h>

// ---- languages ---------------------------------------------------------------------------------

static bool ends_in(const char *file, const char *ending)
{
    size_t length = strlen(file), tail = strlen(ending);
    return length >= tail && strcmp(file + length - tail, ending) == 0;
}

bool language_of_file(const char *file, enum language *out)
{
    for (unsigned l = 0; file && l < LANGUAGE_COUNT; l++) {
        const char *const *ending = language_traits((enum language)l)->endings;
        for (; *ending; ending++) {
            *out = (enum language)l;
            if (ends_in(file, *ending))
                return true;
        }
    }
    return false;
}

// The language of an object's source, if its KernelFile or Sources tell it.
static bool language_of_object(const struct reader *r, struct node object, enum language *out)
{
    struct node file = node_get(r, object, "KernelFile"), list = node_get(r, object, "Sources");
    if (node_count(list) > 0)
        return language_of_file(node_text(node_item(r, list, 0)), out);
    for (struct members m = node_members(r, file); members_next(&m);) {
        if (language_parse(m.name, out))
            return true;
    }
    return language_of_file(node_text(file), out);
}

// Without Language: what the kernel's files say, or those of the first launch.
static bool language_by_files(const struct reader *r, struct node kernel, enum language *out)
{
    struct node launches = node_get(r, kernel, "Launches");
    return language_of_object(r, kernel, out) ||
           (node_count(launches) > 0 && language_of_object(r, node_item(r, launches, 0), out));
}

static bool has_source(const struct reader *r, struct node object)
{
    return node_present(node_get(r, object, "KernelSource")) ||
           node_present(node_get(r, object, "Sources")) ||
           node_present(node_get(r, object, "KernelFile"));
}

// Or it is the first that has no source under Languages, if another one has; and what is
// retargeted is of the one language that can be. A text must be able to tell it.
static bool language_left_over(const struct reader *r, struct node kernel, enum language *out)
{
    struct node languages = node_get(r, kernel, "Languages");
    bool is_retargeted = node_present(node_get(r, kernel, "Retarget"));
    bool found = is_retargeted, is_set = false;
    *out = LANGUAGE_FIRST;
    for (unsigned i = 0; i < LANGUAGE_COUNT; i++) {
        enum language l = (enum language)i;
        bool elsewhere = has_source(r, language_node(r, languages, l));
        bool may_be = is_retargeted ? language_traits(l)->retargets : !elsewhere;
        found |= elsewhere;
        if (!is_set && may_be && language_is_told_by_text(l)) {
            *out = l;
            is_set = true;
        }
    }
    return found;
}

static bool read_kernel_language(const struct reader *r, struct node kernel, struct kernel_spec *k)
{
    struct node n = node_get(r, kernel, "Language");
    const char *text = node_text(n);
    size_t choice;
    const char *titles[LANGUAGE_COUNT];
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        titles[l] = language_title((enum language)l);
    if (text && (str_equal_nocase(text, "Vulkan") || str_equal_nocase(text, "Hypertuner") ||
                 str_equal_nocase(text, "HIP")))
        return node_error(r, n, "%s is outside what hone runs: " LANGUAGES_TITLES, text);
    if (!read_choice(r, n, titles, LANGUAGE_COUNT, LANGUAGE_FIRST, &choice))
        return false;
    k->language = (enum language)choice;
    k->by_text = !text && !language_by_files(r, kernel, &k->language) &&
                 !language_left_over(r, kernel, &k->language);
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        k->languages[l].offered = k->by_text ? language_is_told_by_text((enum language)l)
                                             : (enum language)l == k->language;
    return true;
}

// The names of languages that an object has as its keys.
static bool offer_languages(const struct reader *r, struct node object, struct kernel_spec *k)
{
    for (struct members m = node_members(r, object); members_next(&m);) {
        enum language l;
        if (strcmp(m.name, "Comment") == 0)
            continue;
        if (language_parse(m.name, &l))
            k->languages[l].offered = true;
        else if (!read_on(r, node_error(r, m.node,
                                        "'%s' is not a language hone runs; use " LANGUAGES_TITLES,
                                        m.name)))
            return false;
    }
    return true;
}

bool read_size(const struct reader *r, struct kernel_spec *k, unsigned languages, struct node n,
               struct formula *out)
{
    if (read_formula(r, n, &r->spec->symbols, out) || r->error->code != ERROR_INPUT)
        return out->expr || !node_present(n);
    struct late_fault **at = &k->late;
    while (*at && strcmp((*at)->text, r->error->text) != 0)
        at = &(*at)->next;
    if (!*at && (*at = arena_alloc(r->arena, sizeof **at)))
        (*at)->text = arena_strdup(r->arena, r->error->text);
    error_clear(r->error);
    if (!*at || !(*at)->text)
        return error_memory(r->error);
    (*at)->languages |= languages;
    return true;
}

// ProblemSize as a name of every expression: known now if it is over constants, else when a job
// is made.
static bool read_problem_size(const struct reader *r, struct node n, struct kernel_spec *k)
{
    struct expr_symbols symbols;
    struct value *slots;
    size_t count = node_count(n);
    if (count > 3)
        return node_error(r, n, "must have one to three axes");
    if (!constant_symbols(r, &symbols, &slots))
        return false;
    k->problem_axes = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct node item = node_item(r, n, i);
        struct formula f;
        if (read_formula(r, item, &symbols, &f)) {
            if (!read_on(r, eval_constant(r, &f, slots, &k->problem_size[i])))
                return false;
            continue;
        }
        error_clear(r->error);
        if (!read_size(r, k, ALL_LANGUAGES, item, &k->problem[i]))
            return false;
        if (k->problem[i].expr &&
            expr_uses(k->problem[i].expr, r->spec->slots.special + SPECIAL_PROBLEM_SIZE))
            return node_error(r, item, "ProblemSize cannot be made of itself");
    }
    return true;
}

static bool uses_problem(const struct reader *r, const struct formula *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].expr &&
            expr_uses(list[i].expr, r->spec->slots.special + SPECIAL_PROBLEM_SIZE) &&
            !read_on(r,
                     error_set(r->error, ERROR_INPUT,
                               "%s: ProblemSize depends on parameters in this spec, and is known "
                               "in sizes and arguments alone: write here what it is made of",
                               list[i].path)))
            return false;
    }
    return true;
}

// Refuses a ProblemSize that depends on parameters in expressions that are evaluated without a job.
static bool check_problem_size(const struct reader *r, const struct kernel_spec *k)
{
    const struct spec *s = r->spec;
    bool varies = false;
    for (uint32_t i = 0; i < 3; i++)
        varies = varies || k->problem[i].expr;
    return !varies || (uses_problem(r, s->restrictions, s->restriction_count) &&
                       uses_problem(r, s->derived, s->derived_count) &&
                       uses_problem(r, s->metrics, s->metric_count));
}

void spec_warn_of_sizes(const struct spec *s, const struct log *log)
{
    for (const struct late_fault *x = s->kernel->late; x; x = x->next)
        spec_warn(s, log, LOG_WARNING, "%s (until it is mended, nothing can be run)", x->text);
}

// If the text decides which language is the spec's own, each is read as if it were.
static bool read_one_language(struct reader *r, struct node kernel, struct kernel_spec *k,
                              enum language l)
{
    k->language = k->by_text ? l : k->language;
    struct node own = language_node(r, node_get(r, kernel, "Languages"), l);
    struct formula *when = &k->languages[l].when;
    return read_on(r, read_formula(r, node_get(r, own, "When"), &r->spec->symbols, when)) &&
           read_conditions(r, node_get(r, own, "Conditions"), language_title(l)) &&
           read_on(r, read_launches(r, kernel, k, l));
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
    r->spec->partial = !r->spec->extended || node_flag(node_get(r, kernel, "Partial"), false);
    // Without a language there are no launches to read.
    bool runs = read_kernel_language(r, kernel, k);
    if (!read_on(r, runs))
        return false;
    struct node launches = node_get(r, kernel, "Launches");
    bool ok = offer_languages(r, node_get(r, kernel, "Languages"), k) &&
              offer_languages(r, node_get(r, kernel, "KernelFile"), k);
    for (size_t i = 0; ok && i < node_count(launches); i++)
        ok = offer_languages(r, node_get(r, node_item(r, launches, i), "KernelFile"), k);
    if (!ok || !read_on(r, read_problem_size(r, node_get(r, kernel, "ProblemSize"), k)) ||
        !read_arguments(r, kernel, k) || !read_repeat(r, k, kernel, NULL, &k->repeat))
        return false;
    for (unsigned l = 0; runs && l < LANGUAGE_COUNT; l++) {
        if (k->languages[l].offered && !read_one_language(r, kernel, k, (enum language)l))
            return false;
    }
    return check_problem_size(r, k) && (!runs || read_reference(r, kernel, k));
}
