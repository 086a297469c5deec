// Arguments of the kernels, from KernelSpecification.Arguments: type, memory, access, size, fill
// and how an output is verified. A fill is a constant, random, a generator expression or a data
// file; which keys count depends on it.
#include "problem/read_kernels.h"

#include "base/text.h"
#include "problem/layout.h"

#include <stdint.h>
#include <string.h>

static const char *const memory_names[] = {MEMORIES(LIST_TEXT)};

static const char *const access_names[] = {ACCESSES(LIST_TEXT)};

static const char *const compare_names[] = {COMPARES(LIST_TEXT)};

bool find_argument(const struct reader *r, const struct kernel_spec *k, struct node n,
                   const char *name, uint32_t *out)
{
    const char **names = arena_array(r->arena, k->argument_count + 1, sizeof *names);
    if (!names)
        return error_memory(r->error);
    for (uint32_t i = 0; i < k->argument_count; i++) {
        names[i] = k->arguments[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        *out = i;
        return true;
    }
    const char *near = str_nearest(name, names, k->argument_count);
    return node_error(r, n, "there is no argument '%s'%s%s%s", name,
                      near ? "; did you mean '" : "; see ",
                      near         ? near
                      : r->origins ? "arguments"
                                   : "KernelSpecification.Arguments",
                      near ? "'?" : "");
}

// ---- fills -------------------------------------------------------------------------------------

enum fill_choice {
    CHOICE_CONSTANT,
    CHOICE_RANDOM,
    CHOICE_GENERATOR,
    CHOICE_BINARY,
    CHOICE_UNINITIALIZED,
    CHOICE_SCRIPT,
    CHOICE_HDF,
    CHOICE_COUNT
};

static const char *const fill_names[] = {"Constant",      "Random", "Generator", "BinaryRaw",
                                         "Uninitialized", "Script", "BinaryHDF"};

static bool read_range(const struct reader *r, struct node item, struct fill_spec *out)
{
    const struct expr_symbols *symbols = &r->spec->symbols;
    struct node range = node_get(r, item, "Range");
    if (!node_present(range))
        return true;
    if (node_count(range) != 2)
        return node_error(r, range, "must be a list of two: [low, high]");
    return read_formula(r, node_item(r, range, 0), symbols, &out->low) &&
           read_formula(r, node_item(r, range, 1), symbols, &out->high);
}

static bool read_random(const struct reader *r, struct node item, struct fill_spec *out)
{
    static const char *const distributions[] = {"uniform", "normal"};
    size_t distribution;
    if (!read_choice(r, node_get(r, item, "Distribution"), distributions, 2, 0, &distribution) ||
        !read_range(r, item, out))
        return false;
    out->kind = distribution == 1 ? FILL_NORMAL : FILL_UNIFORM;
    struct node seed = node_get(r, item, "RandomSeed");
    if (json_is_integer(seed.json))
        out->seed = (uint64_t)json_integer_value(seed.json);
    return true;
}

static bool read_fill_source(const struct reader *r, const struct kernel_spec *k, struct node item,
                             enum fill_choice choice, struct fill_spec *out)
{
    struct node n = node_get(r, item, "DataSource");
    if (!node_text(n))
        return node_error(r, n,
                          choice == CHOICE_BINARY
                              ? "is missing: FillType BinaryRaw needs the file's name"
                              : "is missing: FillType Generator needs an expression over i");
    if (choice == CHOICE_BINARY) {
        out->kind = FILL_DATA;
        return read_data_name(r, n, &out->file);
    }
    out->kind = FILL_GENERATOR;
    return read_formula(r, n, &k->generator_symbols, &out->generator);
}

bool read_fill(const struct reader *r, const struct kernel_spec *k, struct node item, uint64_t seed,
               struct fill_spec *out)
{
    size_t choice;
    struct node type = node_get(r, item, "FillType");
    *out = (struct fill_spec){.kind = FILL_CONSTANT, .path = item.path, .seed = seed};
    if (!read_choice(r, type, fill_names, CHOICE_COUNT, CHOICE_CONSTANT, &choice))
        return false;
    struct node n = node_get_either(r, item, "FillExpression", "ScalarValue");
    if (!node_present(n))
        n = node_get(r, item, "FillValue");
    bool is_listed = json_is_array(n.json) || json_is_object(n.json); // read_listed_value()
    if (!is_listed && !read_formula(r, n, &r->spec->symbols, &out->value))
        return false;
    switch ((enum fill_choice)choice) {
    case CHOICE_RANDOM:
        return read_random(r, item, out);
    case CHOICE_GENERATOR:
    case CHOICE_BINARY:
        return read_fill_source(r, k, item, (enum fill_choice)choice, out);
    case CHOICE_UNINITIALIZED:
        out->kind = FILL_NONE;
        return true;
    case CHOICE_SCRIPT:
        return node_error(r, type,
                          "Script would run a program, and a spec is data only; write the "
                          "values to a file and use BinaryRaw");
    case CHOICE_HDF:
        return node_error(r, type,
                          "BinaryHDF is outside what hone reads; write the values to a "
                          ".npy file and use BinaryRaw");
    default:
        return true;
    }
}

// ---- verification ------------------------------------------------------------------------------

static bool read_verification(const struct reader *r, struct node n, struct compare_spec *out)
{
    const struct expr_symbols *symbols = &r->spec->symbols;
    struct node method = node_get(r, n, "Method"), region = node_get(r, n, "Region");
    struct node precision = node_get(r, n, "Precision");
    size_t kind;
    out->precision = json_number_value(precision.json);
    if (node_present(precision) && !(out->precision > 0 && out->precision < 1))
        return node_error(r, precision, "must be above 0 and below 1, as 1e-5");
    if (!read_choice(r, method, compare_names, COMPARE_COUNT, COMPARE_CLOSE, &kind))
        return false;
    out->chosen = node_present(method);
    out->kind = (enum compare_kind)kind;
    if (node_present(region) && node_count(region) != 2)
        return node_error(r, region, "must be a list of two: [first, count]");
    if (node_present(region) && (!read_formula(r, node_item(r, region, 0), symbols, &out->first) ||
                                 !read_formula(r, node_item(r, region, 1), symbols, &out->count)))
        return false;
    return read_formula(r, node_get(r, n, "AbsoluteTolerance"), symbols, &out->atol) &&
           read_formula(r, node_get(r, n, "RelativeTolerance"), symbols, &out->rtol);
}

// ---- one argument ------------------------------------------------------------------------------

static bool read_struct_type(const struct reader *r, struct node type, const char *text,
                             struct argument_spec *a)
{
    struct error why = ERROR_INIT;
    uint32_t alignment;
    a->element = (struct element){.scalar = SCALAR_CUSTOM, .width = 1};
    a->layout = layout_parse(r->arena, text, &why);
    if (!a->layout)
        return why.code == ERROR_MEMORY ? error_memory(r->error)
                                        : node_error(r, type, "%s", why.text);
    return layout_measure(a->layout, (enum language)0, &a->element.custom_bytes, &alignment) ||
           node_error(r, type, "a struct has at most 4096 bytes");
}

static bool read_argument_type(const struct reader *r, struct node item, struct argument_spec *a)
{
    struct node type = node_get(r, item, "Type"), bytes = node_get(r, item, "TypeSize");
    const char *text;
    if (!read_formula(r, node_get(r, item, "TypeExpression"), &r->spec->symbols, &a->type))
        return false;
    if (a->type.expr && !node_text(type))
        return true;
    if (!read_text(r, type, &text))
        return false;
    if (layout_is_struct(text))
        return read_struct_type(r, type, text, a);
    if (str_equal_nocase(text, "custom"))
        a->element = (struct element){.scalar = SCALAR_CUSTOM, .width = 1};
    else if (!element_parse(text, &a->element))
        return node_error(r, type,
                          "'%s' is not a type hone knows; use int32, float, double, half, "
                          "uint8, float4 and the like, or custom with TypeSize",
                          text);
    if (a->element.scalar != SCALAR_CUSTOM)
        return true;
    json_int_t size = json_integer_value(bytes.json);
    if (size < 1 || size > 65536)
        return node_error(r, bytes, "a custom type needs its size in bytes, from 1 to 65536");
    a->element.custom_bytes = (uint32_t)size;
    return true;
}

static bool read_access(const struct reader *r, struct node item, struct argument_spec *a)
{
    struct node output = node_get(r, item, "Output");
    bool expected = node_present(node_get(r, item, "Expect"));
    bool buffer = a->memory == MEMORY_VECTOR, wanted = node_flag(output, expected);
    size_t access;
    a->temporary = node_flag(node_get(r, item, "Temporary"), false);
    if (!read_choice(r, node_get(r, item, "AccessType"), access_names, ACCESS_COUNT,
                     wanted || a->temporary ? ACCESS_BOTH : ACCESS_READ, &access))
        return false;
    a->access = buffer ? (enum access)access : ACCESS_READ;
    a->says_access = node_present(node_get(r, item, "AccessType"));
    if (wanted && !buffer)
        return node_error(r, output, "only an argument of MemoryType Vector can be an output");
    if (wanted && a->temporary)
        return node_error(r, output,
                          "a temporary buffer is not compared; leave one of the two out");
    if (wanted && access == ACCESS_READ)
        return node_error(
            r, output, "a ReadOnly argument is not an output; say \"AccessType\": \"WriteOnly\"");
    a->output = !a->temporary && node_flag(output, a->access != ACCESS_READ);
    a->keep = a->access == ACCESS_BOTH && !node_flag(node_get(r, item, "Restore"), true);
    return true;
}

// ---- vectors and structs by value ----------------------------------------------------------------

// `is_array`: the items are structs of this layout, else it is that of the whole.
static bool write_listed(const struct reader *r, struct node n, const struct layout *layout,
                         bool is_array, struct text *out);

static bool write_array(const struct reader *r, struct node n, const struct layout *layout,
                        bool is_array, struct text *out)
{
    text_addc(out, '[');
    for (size_t i = 0; i < node_count(n); i++) {
        static const struct layout_member none = {.name = NULL};
        bool is_member = !is_array && layout && i < layout->count;
        const struct layout_member *m = is_member ? &layout->members[i] : &none;
        text_add(out, i ? ", " : "");
        if (!write_listed(r, node_item(r, n, i), is_array ? layout : m->inner, m->count > 0, out))
            return false;
    }
    text_addc(out, ']');
    return true;
}

// {"rows": 64, "gain": 1.5}: in the members' order.
static bool write_members(const struct reader *r, struct node n, const struct layout *layout,
                          struct text *out)
{
    if (!layout)
        return node_error(r, n, "members are of a struct; a vector's components are a list");
    for (struct members m = node_members(r, n); members_next(&m);) {
        const char *names[64], *near;
        size_t count = 0;
        bool is_known = false;
        for (uint32_t i = 0; i < layout->count; i++) {
            is_known = is_known || strcmp(layout->members[i].name, m.name) == 0;
            if (count < 64)
                names[count++] = layout->members[i].name;
        }
        near = is_known ? NULL : str_nearest(m.name, names, count);
        if (!is_known)
            return node_error(r, m.node, "the struct has no member '%s'%s%s%s", m.name,
                              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    text_addc(out, '[');
    for (uint32_t i = 0; i < layout->count; i++) {
        struct node member = node_get(r, n, layout->members[i].name);
        if (!node_present(member))
            return node_error(r, member, "is missing: a member of the struct");
        text_add(out, i ? ", " : "");
        if (!write_listed(r, member, layout->members[i].inner, layout->members[i].count > 0, out))
            return false;
    }
    text_addc(out, ']');
    return true;
}

static bool write_listed(const struct reader *r, struct node n, const struct layout *layout,
                         bool is_array, struct text *out)
{
    if (json_is_array(n.json))
        return write_array(r, n, layout, is_array, out);
    if (json_is_object(n.json))
        return write_members(r, n, layout, out);
    const char *text = node_lines(r, n);
    if (!text)
        return error_memory(r->error);
    text_addf(out, "(%s)", text);
    return true;
}

// A list or an object becomes one expression, which gives a list.
static bool read_listed_value(const struct reader *r, struct node item, struct argument_spec *a)
{
    static const char *const keys[] = {"FillExpression", "ScalarValue", "FillValue"};
    struct node n = {NULL, item.path};
    struct text text = TEXT_INIT;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !node_present(n); i++)
        n = node_get(r, item, keys[i]);
    if (!json_is_array(n.json) && !json_is_object(n.json))
        return true;
    if (a->memory != MEMORY_SCALAR)
        return node_error(r, n, "a list is the value of a vector or a struct, not of a buffer");
    bool ok = write_listed(r, n, a->layout, false, &text);
    json_t *whole = ok ? json_string(text_cstr(&text)) : NULL;
    ok = ok && (whole || error_memory(r->error)) &&
         read_formula(r, (struct node){whole, n.path}, &r->spec->symbols, &a->fill.value);
    json_decref(whole);
    text_release(&text);
    return ok;
}

static bool read_contents(const struct reader *r, const struct kernel_spec *k, struct node item,
                          uint64_t seed, struct argument_spec *a)
{
    struct node type = node_get(r, item, "FillType");
    if (a->memory == MEMORY_NOTHING || a->memory == MEMORY_SAMPLER) {
        a->fill = (struct fill_spec){.kind = FILL_NONE, .path = item.path};
        return true;
    }
    if (a->memory == MEMORY_SCALAR && a->element.scalar == SCALAR_CUSTOM && !a->layout)
        return node_error(
            r, node_get(r, item, "Type"),
            "a struct by value needs its members: \"struct {int rows; float gain;}\"");
    if (!read_fill(r, k, item, seed, &a->fill) || !read_listed_value(r, item, a))
        return false;
    if (a->memory == MEMORY_SCALAR && a->fill.kind != FILL_CONSTANT &&
        !(a->fill.kind == FILL_GENERATOR && a->element.width > 1))
        return node_error(r, type,
                          "a Scalar has one value: give FillValue or FillExpression; a vector also "
                          "FillType Generator");
    // The contents of what the kernel must write itself do not matter: it is poisoned.
    bool open = a->access == ACCESS_WRITE || (a->temporary && !node_present(type));
    if (open && a->memory != MEMORY_SCALAR)
        a->fill = (struct fill_spec){.kind = FILL_NONE, .path = item.path};
    return true;
}

static bool read_argument_name(const struct reader *r, const struct kernel_spec *k,
                               struct node item, struct argument_spec *a)
{
    struct node name = node_get(r, item, "Name");
    a->path = item.path;
    if (node_present(name) && !read_text(r, name, &a->name))
        return false;
    if (!node_present(name))
        a->name = arena_printf(r->arena, "argument%u", k->argument_count);
    if (!a->name)
        return error_memory(r->error);
    for (uint32_t i = 0; i < k->argument_count; i++) {
        if (strcmp(k->arguments[i].name, a->name) == 0)
            return node_error(r, name, "there are two arguments '%s'", a->name);
    }
    return true;
}

static bool read_memory(const struct reader *r, struct node item, struct argument_spec *a)
{
    static const char *const kinds[] = {"Global", "Constant"};
    size_t memory, kind;
    struct node n = node_get(r, item, "MemoryType");
    a->memory = MEMORY_VECTOR;
    if (!node_present(n))
        return node_error(r, n, "is missing: use Scalar, Vector, Local, Symbol, Null or Sampler");
    if (!read_choice(r, n, memory_names, MEMORY_COUNT, MEMORY_VECTOR, &memory) ||
        !read_choice(r, node_get(r, item, "MemType"), kinds, 2, 0, &kind))
        return false;
    a->memory = kind == 1 && memory == MEMORY_VECTOR ? MEMORY_SYMBOL : (enum memory)memory;
    return true;
}

// Once it has a name it is there, whatever else is wrong with it.
static bool read_argument_spec(const struct reader *r, struct kernel_spec *k, struct node item,
                               uint64_t seed, struct argument_spec *a)
{
    uint32_t before = r->faults->count;
    if (!read_argument_name(r, k, item, a))
        return false;
    k->argument_count++;
    bool ok = read_on(r, read_argument_type(r, item, a)) && read_on(r, read_memory(r, item, a)) &&
              read_on(r, read_access(r, item, a)) &&
              read_size(r, k, ALL_LANGUAGES, node_get(r, item, "Size"), &a->size) &&
              read_on(r, read_image(r, k, item, a)) &&
              read_on(r, read_contents(r, k, item, seed, a)) &&
              read_on(r, read_verification(r, node_get(r, item, "Verification"), &a->compare));
    a->compare.allow_nan = node_flag(node_get(r, item, "AllowNaN"), false);
    a->faulty = r->faults->count > before;
    return ok;
}

// ---- views -------------------------------------------------------------------------------------

// {"Argument": "bodies", "First": 1, "Stride": 4}, or the name alone.
static bool read_link(const struct reader *r, struct kernel_spec *k, struct node item,
                      struct argument_spec *a)
{
    struct node n = node_get(r, item, "LinkedTo");
    bool is_object = json_is_object(n.json);
    struct node name = is_object ? node_get(r, n, "Argument") : n;
    if (!node_present(n))
        return true;
    if (!node_text(name))
        return node_error(r, name, "is missing: the name of the argument with the data");
    if (!find_argument(r, k, name, node_text(name), &a->link.argument))
        return false;
    const struct argument_spec *of = &k->arguments[a->link.argument];
    a->link.path = n.path;
    if (a->memory != MEMORY_VECTOR && a->memory != MEMORY_SYMBOL)
        return node_error(r, n, "only a Vector or Symbol is a view of other data");
    if (of == a || (of->memory != MEMORY_VECTOR && of->memory != MEMORY_SYMBOL))
        return of->faulty || node_error(r, n, "'%s' is not another Vector or Symbol", of->name);
    return !is_object ||
           (read_size(r, k, ALL_LANGUAGES, node_get(r, n, "First"), &a->link.first) &&
            read_size(r, k, ALL_LANGUAGES, node_get(r, n, "Stride"), &a->link.stride));
}

// Once all names are known.
static bool read_links(const struct reader *r, struct kernel_spec *k, struct node list)
{
    uint32_t a = 0;
    for (size_t i = 0; i < node_count(list) && a < k->argument_count; i++) {
        struct node item = node_item(r, list, i);
        if (strcmp(item.path, k->arguments[a].path) != 0)
            continue; // it has no usable name
        if (!read_on(r, read_link(r, k, item, &k->arguments[a])))
            return false;
        a++;
    }
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct link_spec *l = &k->arguments[i].link;
        const struct argument_spec *of = &k->arguments[l->argument];
        if (l->path && of->link.path &&
            !read_on(r, error_set(r->error, ERROR_INPUT,
                                  "%s: '%s' is a view itself: name the argument with the data",
                                  l->path, of->name)))
            return false;
    }
    return true;
}

bool read_arguments(struct reader *r, struct node kernel, struct kernel_spec *k)
{
    struct node list = node_get(r, kernel, "Arguments");
    size_t count = node_count(list);
    k->arguments = arena_array(r->arena, count + 1, sizeof *k->arguments);
    if (!k->arguments)
        return error_memory(r->error);
    // The spec's names with i and size behind them; there they hide names of the spec.
    const struct expr_symbols *own = &r->spec->symbols;
    struct expr_symbol *items = arena_array(r->arena, own->count + 2, sizeof *items);
    if (!items)
        return error_memory(r->error);
    for (size_t i = 0; i < own->count; i++) {
        items[i] = own->items[i];
        if (strcmp(items[i].name, "i") == 0 || strcmp(items[i].name, "size") == 0)
            items[i].name = "";
    }
    items[own->count].name = "i";
    items[own->count + 1].name = "size";
    k->generator_symbols = (struct expr_symbols){items, own->count + 2};
    for (size_t i = 0; i < count; i++) {
        struct argument_spec *a = &k->arguments[k->argument_count];
        if (!read_on(r, read_argument_spec(r, k, node_item(r, list, i), i + 1, a)))
            return false;
    }
    return read_links(r, k, list);
}

double spec_precision(const struct spec *s, const char *argument)
{
    const struct kernel_spec *k = s->kernel;
    for (uint32_t i = 0; i < k->argument_count; i++) {
        if (str_equal(k->arguments[i].name, argument))
            return k->arguments[i].compare.precision;
    }
    return 0;
}
