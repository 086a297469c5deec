// Launches of a language: kernel, program, geometry, arguments, each looked up where it is given
// most specifically.
#include "problem/read_kernels.h"

#include "base/text.h"
#include "problem/commands.h"
#include "problem/option_words.h"
#include "problem/variant_texts.h"

#include <string.h>

// ---- blocks ------------------------------------------------------------------------------------

void block_add(struct block *b, struct node object, bool foreign)
{
    b->layers[b->count].object = object;
    b->layers[b->count].foreign = foreign;
    b->count++;
}

struct node block_get(const struct reader *r, const struct block *b, const char *key)
{
    struct node n = {NULL, key};
    for (unsigned i = 0; i < b->count; i++) {
        n = node_get(r, b->layers[i].object, key);
        if (node_present(n))
            return n;
    }
    n.json = NULL;
    return n;
}

// The first layer, of those written in the language that is read, with one of the keys.
static bool find_layer(const struct reader *r, const struct block *b, const char *const *keys,
                       size_t count, bool own, struct node *layer)
{
    for (unsigned i = 0; i < b->count; i++) {
        for (size_t key = 0; key < count; key++) {
            *layer = b->layers[i].object;
            if (!(own && b->layers[i].foreign) && node_present(node_get(r, *layer, keys[key])))
                return true;
        }
    }
    return false;
}

struct node language_node(const struct reader *r, struct node languages, enum language l)
{
    for (struct members m = node_members(r, languages); members_next(&m);) {
        if (str_equal_nocase(m.name, language_title(l)))
            return m.node;
    }
    return (struct node){NULL, languages.path};
}

// ---- programs ----------------------------------------------------------------------------------

static const char *const source_keys[] = {"KernelSource", "KernelCommand", "Sources", "KernelFile"};

struct node kernel_file_node(const struct reader *r, struct node layer, enum language l)
{
    struct node file = node_get(r, layer, "KernelFile");
    return json_is_object(file.json) ? language_node(r, file, l) : file;
}

// Index of the first layer that gives a source in the language, or -1. What a foreign one gives is
// in another, unless its KernelFile names this one.
static int find_source(const struct reader *r, const struct block *b, enum language l)
{
    for (unsigned i = 0; i < b->count; i++) {
        struct node layer = b->layers[i].object;
        bool is_named = json_is_object(node_get(r, layer, "KernelFile").json);
        bool has_file = node_present(kernel_file_node(r, layer, l));
        bool has_text = node_present(node_get(r, layer, "KernelSource")) ||
                        node_present(node_get(r, layer, "KernelCommand")) ||
                        node_count(node_get(r, layer, "Sources")) > 0;
        if (b->layers[i].foreign ? is_named && has_file : has_text || has_file)
            return (int)i;
    }
    return -1;
}

// Only hone's own form can say what is to be run: a file of another tuner's runs no program.
static bool read_generator(const struct reader *r, struct node n, struct program_spec *p)
{
    const char *const *words;
    uint32_t count;
    p->path = n.path;
    if (!r->origins)
        return node_error(r, n,
                          "a command is run from a spec in hone's short form alone: \"kernel\": "
                          "{\"exec\": [...]}");
    return read_texts(r, n, &words, &count) &&
           (count > 0 ||
            node_error(r, n, "is empty: the command is needed that prints the kernel's text")) &&
           read_variant(r, n.path, words, count, true, p);
}

static bool read_program_source(const struct reader *r, struct node layer, bool foreign,
                                enum language l, struct program_spec *p)
{
    static const struct node none = {NULL, ""};
    struct node text = foreign ? none : node_get(r, layer, "KernelSource");
    struct node list = foreign ? none : node_get(r, layer, "Sources");
    struct node command = foreign ? none : node_get(r, layer, "KernelCommand");
    struct node file = kernel_file_node(r, layer, l);
    if (node_present(command))
        return read_generator(r, command, p);
    if (node_present(text)) {
        p->path = text.path;
        return read_text(r, text, &p->text);
    }
    struct node n = node_count(list) > 0 ? list : file;
    p->path = n.path;
    if (!read_texts(r, n, &p->files, &p->file_count))
        return false;
    if (p->file_count == 1 && strchr(p->files[0], '{'))
        return read_variant(r, n.path, p->files, 1, false, p);
    return p->file_count > 0 || node_error(r, n, "is empty: the kernel's file is needed");
}

// "sm_90", "sm_90a", "sm_100f"
static bool is_target(const char *text)
{
    size_t digits = str_starts(text, "sm_") ? strspn(text + 3, "0123456789") : 0;
    const char *suffix = text + 3 + digits;
    return digits >= 2 && digits <= 4 && strlen(suffix) <= 1 &&
           strspn(suffix, "af") == strlen(suffix);
}

// Retarget belongs to the source: as with its options, another language's does not count.
static bool read_retarget(const struct reader *r, const struct block *b, enum language l,
                          struct program_spec *p)
{
    static const char *const key[] = {"Retarget"};
    struct node layer;
    if (!find_layer(r, b, key, 1, true, &layer))
        return true;
    struct node n = node_get(r, layer, "Retarget"), target = node_get(r, n, "Target");
    if (!language_traits(l)->retargets)
        return node_error(r, n, "is for OpenCL; %s is compiled for the device's own target",
                          language_title(l));
    if (!node_present(target))
        return node_error(r, target, "is missing: the target is needed, such as sm_90a");
    if (!read_text(r, target, &p->target) ||
        !read_formula(r, node_get(r, n, "When"), &r->spec->symbols, &p->retarget_when))
        return false;
    return is_target(p->target) ||
           node_error(r, target, "'%s' is not a target of PTX; one is sm_90a", p->target);
}

// Only hone's own form can say what is to be run: a file of another tuner's runs no program.
static bool read_command_program(const struct reader *r, const struct kernel_spec *k,
                                 struct program_spec *p)
{
    if (r->origins)
        return read_command(r, k, p);
    return error_set(r->error, ERROR_INPUT,
                     "%s: a program is run from a spec in hone's short form alone: \"kernel\": "
                     "{\"run\": [...]}",
                     p->path);
}

static bool read_program(const struct reader *r, const struct kernel_spec *k, const struct block *b,
                         enum language l, struct program_spec *p)
{
    static const char *const option_key[] = {"CompilerOptions"};
    struct node layer;
    int source = find_source(r, b, l);
    if (source < 0)
        return node_error(r, b->layers[0].object,
                          "the kernel's source is missing: give KernelFile, Sources or "
                          "KernelSource for this language");
    if (!read_program_source(r, b->layers[source].object, b->layers[source].foreign, l, p) ||
        !read_texts(r, block_get(r, b, "IncludeFolders"), &p->folders, &p->folder_count))
        return false;
    if (language_traits(l)->is_command)
        return read_command_program(r, k, p);
    const char *path = "CompilerOptions";
    if (find_layer(r, b, option_key, 1, true, &layer)) {
        struct node options = node_get(r, layer, "CompilerOptions");
        path = options.path;
        if (!read_texts(r, options, &p->options, &p->option_count))
            return false;
    }
    return read_option_words(r, path, p);
}

static bool same_texts(const char *const *a, uint32_t a_count, const char *const *b,
                       uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++) {
        if (strcmp(a[i], b[i]) != 0)
            return false;
    }
    return true;
}

static bool same_program(const struct program_spec *a, const struct program_spec *b)
{
    return str_equal(a->text, b->text) &&
           same_texts(a->variant_words, a->variant_count, b->variant_words, b->variant_count) &&
           str_equal(a->target, b->target) &&
           str_equal(a->retarget_when.text, b->retarget_when.text) &&
           same_texts(a->files, a->file_count, b->files, b->file_count) &&
           same_texts(a->options, a->option_count, b->options, b->option_count) &&
           same_texts(a->folders, a->folder_count, b->folders, b->folder_count);
}

// Index of the program in the language's list, which has room for it; built once though several
// launches use it.
static uint32_t add_program(struct language_spec *l, const struct program_spec *p)
{
    for (uint32_t i = 0; i < l->program_count; i++) {
        if (same_program(&l->programs[i], p))
            return i;
    }
    l->programs[l->program_count] = *p;
    return l->program_count++;
}

// ---- geometry ----------------------------------------------------------------------------------

static const char *const axis_names[] = {"X", "Y", "Z"};

static bool read_axes(const struct reader *r, struct kernel_spec *k, enum language l, struct node n,
                      struct size_spec *out)
{
    if (!node_present(n))
        return true;
    for (uint32_t i = 0; i < 3; i++) {
        struct node axis = node_get(r, n, axis_names[i]);
        if (!read_size(r, k, 1u << l, axis, &out->axis[i]))
            return false;
        if (node_present(axis))
            out->axes = i + 1;
    }
    return node_present(node_get(r, n, "X")) || node_error(r, n, "needs at least X");
}

// Sizes that do not count: they may hold invalid names.
static bool skip_axes(const struct reader *r, struct node n, const char *instead)
{
    struct formula unused;
    for (uint32_t i = 0; node_present(n) && i < 3; i++) {
        struct node axis = node_get(r, n, axis_names[i]);
        if (read_formula(r, axis, &r->spec->symbols, &unused))
            continue;
        if (r->error->code != ERROR_INPUT)
            return false;
        node_warn(r, axis, "%s; not needed: %s", r->error->text + strlen(axis.path) + 2, instead);
        error_clear(r->error);
    }
    return true;
}

static bool read_problem(const struct reader *r, struct kernel_spec *k, enum language l,
                         const struct block *b, struct launch_spec *out)
{
    static const char *const keys[] = {"GridDivX", "GridDivY", "GridDivZ"};
    struct node n = block_get(r, b, "ProblemSize");
    if (node_count(n) < 1 || node_count(n) > 3)
        return node_error(
            r, n,
            node_present(n) ? "must have one to three axes"
            : str_starts(n.path, "problem")
                ? "is missing, and so is global, the number of work-items: one is needed"
                : "is missing, and so is GlobalSize: one is needed");
    out->problem.axes = (uint32_t)node_count(n);
    for (uint32_t i = 0; i < out->problem.axes; i++) {
        if (!read_size(r, k, 1u << l, node_item(r, n, i), &out->problem.axis[i]))
            return false;
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
        struct divisor_spec *d = &out->divisors[axis];
        struct node list = block_get(r, b, keys[axis]);
        d->given = node_present(list);
        d->items = arena_array(r->arena, node_count(list) + 1, sizeof *d->items);
        if (!d->items)
            return error_memory(r->error);
        for (; d->count < node_count(list); d->count++) {
            if (!read_size(r, k, 1u << l, node_item(r, list, d->count), &d->items[d->count]))
                return false;
        }
    }
    return true;
}

// Which of the sizes count.
struct sizing {
    bool by_problem; // ProblemSize and its divisors, not GlobalSize
    bool by_names;   // parameters block_size_x, ..., not LocalSize
};

// The size that is given most specifically. If ProblemSize and GlobalSize stand together
// ProblemSize counts, and the work-group is that of the parameters with Kernel Tuner's names: so
// files are written that T1's schema wants a GlobalSize and LocalSize of. GlobalSizeFrom may say
// otherwise.
static bool choose_sizing(const struct reader *r, const struct block *b, struct sizing *out)
{
    static const char *const keys[] = {"GlobalSize", "ProblemSize", "GridDivX", "GridDivY",
                                       "GridDivZ"};
    struct node layer, from = block_get(r, b, "GlobalSizeFrom");
    size_t choice;
    bool any = find_layer(r, b, keys, 5, false, &layer);
    bool has_global = any && node_present(node_get(r, layer, "GlobalSize"));
    bool has_problem = false;
    for (size_t i = 1; any && i < 5; i++)
        has_problem = has_problem || node_present(node_get(r, layer, keys[i]));
    has_problem = has_problem && node_present(block_get(r, b, "ProblemSize"));
    if (!read_choice(r, from, keys, 2, has_problem || !has_global ? 1 : 0, &choice))
        return false;
    out->by_problem = choice == 1;
    out->by_names = has_global && has_problem && out->by_problem;
    return true;
}

// Kernel Tuner's names for the work-group's size, if the spec has them.
static bool local_by_names(const struct reader *r, struct size_spec *out)
{
    static const char *const names[] = {"block_size_x", "block_size_y", "block_size_z"};
    const struct expr_symbols *symbols = &r->spec->symbols;
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < r->spec->slots.facts; i++) {
            if (strcmp(symbols->items[i].name, names[axis]) != 0)
                continue;
            out->axis[axis] = (struct formula){.path = names[axis], .text = names[axis]};
            out->axis[axis].expr = expr_parse(r->arena, names[axis], symbols, r->error);
            if (!out->axis[axis].expr)
                return false;
            out->axes = axis + 1;
        }
    }
    return true;
}

static bool read_global(const struct reader *r, struct kernel_spec *k, enum language l,
                        const struct block *b, const struct sizing *by, struct launch_spec *out)
{
    static const char *const types[] = {"OpenCL", "CUDA"};
    struct node global = block_get(r, b, "GlobalSize");
    size_t type;
    if (!read_choice(r, block_get(r, b, "GlobalSizeType"), types, 2,
                     language_traits(k->language)->counts_groups ? 1 : 0, &type))
        return false;
    out->groups = type == 1;
    if (!by->by_problem)
        return read_axes(r, k, l, global, &out->global);
    return read_problem(r, k, l, b, out) &&
           skip_axes(r, global, "ProblemSize and GridDivX, GridDivY, GridDivZ count");
}

static bool read_geometry(const struct reader *r, struct kernel_spec *k, const struct block *b,
                          enum language l, struct launch_spec *out)
{
    struct sizing by;
    struct node local = block_get(r, b, "LocalSize");
    if (language_traits(l)->is_plain_call)
        return true;
    if (!choose_sizing(r, b, &by) || !read_on(r, read_global(r, k, l, b, &by, out)))
        return false;
    if ((by.by_names || !node_present(local)) && !local_by_names(r, &out->local))
        return false;
    return out->local.axes > 0
               ? skip_axes(r, local, "block_size_x, block_size_y and block_size_z count")
               : read_axes(r, k, l, local, &out->local);
}

// ---- one launch --------------------------------------------------------------------------------

static bool read_argument_names(const struct reader *r, const struct kernel_spec *k, struct node n,
                                struct launch_spec *out)
{
    uint32_t count = node_present(n) ? (uint32_t)node_count(n) : k->argument_count;
    uint32_t *arguments = arena_array(r->arena, count + 1, sizeof *arguments);
    if (!arguments)
        return error_memory(r->error);
    for (uint32_t i = 0; i < count; i++) {
        struct node item = node_item(r, n, i);
        arguments[i] = i;
        const char *name = node_text(item);
        if (node_present(n) && name && !read_on(r, find_argument(r, k, item, name, &arguments[i])))
            return false;
    }
    out->arguments = arguments;
    out->argument_count = count;
    return true;
}

static bool is_swapped(const struct repeat_spec *p, uint32_t argument)
{
    for (uint32_t i = 0; i < p->swap_count; i++) {
        if (p->swaps[i].from == argument || p->swaps[i].to == argument)
            return true;
    }
    return false;
}

static bool read_swap(const struct reader *r, struct kernel_spec *k, struct node n,
                      const struct repeat_spec *outer, const struct repeat_spec *all,
                      struct swap_spec *out)
{
    uint32_t *const ends[] = {&out->from, &out->to};
    out->path = n.path;
    if (!json_is_array(n.json) || node_count(n) != 2)
        return node_error(r, n,
                          "must be two names of arguments: what is read, and what is written");
    for (size_t i = 0; i < 2; i++) {
        struct node item = node_item(r, n, i);
        const char *name = node_text(item);
        if (!find_argument(r, k, item, name ? name : "", ends[i]))
            return false;
        const struct argument_spec *a = &k->arguments[*ends[i]];
        if (!a->faulty && a->memory != MEMORY_VECTOR)
            return node_error(r, item, "'%s' is not a Vector", a->name);
        // Pairs of all launches, and of this object.
        if (is_swapped(all, *ends[i]) || (outer && is_swapped(outer, *ends[i])))
            return node_error(r, item, "'%s' is in another pair already", a->name);
    }
    const struct argument_spec *to = &k->arguments[out->to];
    if (out->from == out->to)
        return node_error(r, n, "names '%s' twice", to->name);
    return to->faulty || to->access != ACCESS_READ ||
           node_error(r, n, "'%s' is ReadOnly, but each pass writes it: name it first", to->name);
}

bool read_repeat(const struct reader *r, struct kernel_spec *k, struct node object,
                 const struct repeat_spec *outer, struct repeat_spec *out)
{
    struct node count = node_get(r, object, "Repeat"), list = node_get(r, object, "Swap");
    // ["a", "b"] is the one pair.
    bool is_pair = json_is_array(list.json) && json_is_string(json_array_get(list.json, 0));
    size_t pairs = is_pair ? 1 : node_count(list);
    out->swaps = arena_array(r->arena, pairs + 1, sizeof *out->swaps);
    if (!out->swaps)
        return error_memory(r->error);
    if (!read_size(r, k, ALL_LANGUAGES, count, &out->count))
        return false;
    if (pairs > 0 && !node_present(count) &&
        !read_on(r, node_error(r, list, "is for launches that repeat: give Repeat as well")))
        return false;
    for (size_t i = 0; i < pairs; i++) {
        bool ok = read_swap(r, k, is_pair ? list : node_item(r, list, i), outer, out,
                            &out->swaps[out->swap_count]);
        out->swap_count += ok;
        if (!read_on(r, ok))
            return false;
    }
    return true;
}

static bool read_kernel_name(const struct reader *r, const struct block *b, struct launch_spec *out)
{
    static const char *const keys[] = {"KernelNameExpression", "KernelName"};
    struct node layer;
    if (!find_layer(r, b, keys, 2, false, &layer))
        return node_error(r, node_get(r, b->layers[b->count - 1].object, "KernelName"),
                          "is missing: the name of the kernel in the source is needed");
    return read_formula(r, node_get(r, layer, keys[0]), &r->spec->symbols,
                        &out->kernel_expression) &&
           (out->kernel_expression.expr || read_text(r, node_get(r, layer, keys[1]), &out->kernel));
}

// `b` gives everything; the sources come from `sources`.
static bool read_launch(const struct reader *r, struct kernel_spec *k, struct node item,
                        const struct block *b, const struct block *sources, enum language l,
                        struct launch_spec *out)
{
    struct program_spec program = {.path = item.path};
    out->path = item.path;
    if (!read_on(r, read_kernel_name(r, b, out)) ||
        !read_on(r, read_program(r, k, sources, l, &program)) ||
        !read_on(r, read_retarget(r, sources, l, &program)) ||
        !read_on(r, read_geometry(r, k, b, l, out)) ||
        !read_size(r, k, 1u << l, block_get(r, b, "SharedMemory"), &out->shared))
        return false;
    out->program = add_program(&k->languages[l], &program);
    return true;
}

static void add_kernel_layers(const struct reader *r, struct node kernel,
                              const struct kernel_spec *k, enum language l, struct block *b)
{
    block_add(b, language_node(r, node_get(r, kernel, "Languages"), l), false);
    block_add(b, kernel, l != k->language);
}

static struct block item_block(const struct reader *r, struct node item,
                               const struct kernel_spec *k, enum language l)
{
    struct block b = {.count = 0};
    block_add(&b, language_node(r, node_get(r, item, "Languages"), l), false);
    block_add(&b, item, l != k->language);
    return b;
}

bool read_launches(struct reader *r, struct node kernel, struct kernel_spec *k, enum language l)
{
    struct language_spec *language = &k->languages[l];
    struct node list = node_get(r, kernel, "Launches"), none = {NULL, "KernelSpecification"};
    size_t count = node_count(list) > 0 ? node_count(list) : 1;
    language->launches = arena_array(r->arena, count, sizeof *language->launches);
    language->programs = arena_array(r->arena, count + 1, sizeof *language->programs);
    if (!language->launches || !language->programs)
        return error_memory(r->error);

    language->launch_count = (uint32_t)count;
    if (node_count(list) == 0) {
        struct block b = {.count = 0};
        add_kernel_layers(r, kernel, k, l, &b);
        return read_launch(r, k, kernel, &b, &b, l, &language->launches[0]) &&
               read_argument_names(r, k, none, &language->launches[0]);
    }
    for (size_t i = 0; i < count; i++) {
        struct node item = node_item(r, list, i);
        struct launch_spec *out = &language->launches[i];
        struct block b = item_block(r, item, k, l);
        struct node name = node_get(r, item, "Name");
        add_kernel_layers(r, kernel, k, l, &b);
        if (node_present(name) && !read_on(r, read_text(r, name, &out->name)))
            return false;
        if (!read_launch(r, k, item, &b, &b, l, out) ||
            !read_on(r,
                     read_formula(r, node_get(r, item, "When"), &r->spec->symbols, &out->when)) ||
            !read_argument_names(r, k, node_get(r, item, "Arguments"), out) ||
            !read_repeat(r, k, item, &k->repeat, &out->repeat))
            return false;
    }
    return true;
}

// A reference has a name and sizes of its own. Its source, options and folders are the kernel's
// unless it gives a source.
bool read_reference_launch(struct reader *r, struct node kernel, struct kernel_spec *k,
                           enum language l)
{
    struct language_spec *language = &k->languages[l];
    struct node item = node_get(r, kernel, "Reference"), layer;
    struct block own = item_block(r, item, k, l), sources = own;
    if (!find_layer(r, &own, source_keys, sizeof source_keys / sizeof *source_keys, false, &layer))
        add_kernel_layers(r, kernel, k, l, &sources);
    language->reference = arena_alloc(r->arena, sizeof *language->reference);
    if (!language->reference)
        return error_memory(r->error);
    return read_launch(r, k, item, &own, &sources, l, language->reference) &&
           read_argument_names(r, k, node_get(r, item, "Arguments"), language->reference) &&
           read_repeat(r, k, item, NULL, &language->reference->repeat);
}
