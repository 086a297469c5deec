// Arguments of the short form: a scalar is its value, a buffer an object. What the spec does not say of them (type,
// memory, access, order) is what the kernels' text says.
#include "problem/expand.h"

#include "base/text.h"
#include "problem/layout.h"

#include <ctype.h>
#include <string.h>

// Facts about an argument from the kernels' source, over all launches.
struct argument_facts {
    const struct launch_facts *launch; // the first one that takes it; NULL: none does
    const struct signature_parameter *parameter;
    bool is_const;  // for all of them
    unsigned use;   // set of enum parameter_use
    bool all_known; // every kernel's parameters are known
};

// ---- what the text says ------------------------------------------------------------------------

static struct node launch_node(const struct expansion *x, uint32_t index)
{
    struct node launches = node_get(x->r, x->root, "launches");
    return node_count(launches) > 0 ? node_item(x->r, launches, index) : x->root;
}

// {"sampler": "clamp linear"}; beside an image it is that of a texture object.
static bool is_sampler_node(const struct expansion *x, struct node n)
{
    return str_equal(node_text(node_get(x->r, n, "MemoryType")), "Sampler") ||
           (node_present(node_get(x->r, n, "sampler")) &&
            !node_present(node_get(x->r, n, "image")));
}

// Is an argument of an explicit list none of the kernel's, in a language that does not pass it?
static bool is_passed_elsewhere(const struct expansion *x, const char *name)
{
    struct node n = node_get(x->r, node_get(x->r, x->root, "arguments"), name);
    const char *memory = node_text(node_get(x->r, n, "memory"));
    const char *t1 = node_text(node_get(x->r, n, "MemoryType"));
    bool is_local = str_equal_nocase(memory ? memory : "", "local") || str_equal(t1, "Local");
    bool is_symbol = str_equal_nocase(memory ? memory : "", "symbol") || str_equal(t1, "Symbol");
    enum memory m = is_local                ? MEMORY_LOCAL
                    : is_symbol             ? MEMORY_SYMBOL
                    : is_sampler_node(x, n) ? MEMORY_SAMPLER
                                            : MEMORY_VECTOR;
    return !memory_is_passed(m, language_traits(x->facts->language), false);
}

// The place of an argument among a kernel's parameters, or UINT32_MAX: by the launch's own list, else by its name.
static uint32_t place_of_argument(const struct expansion *x, struct node list,
                                  const struct signature *s, const char *name)
{
    for (uint32_t i = 0; !json_is_array(list.json) && i < s->count; i++) {
        if (str_equal(s->parameters[i].name, name))
            return i;
    }
    uint32_t place = 0;
    bool all = node_count(list) == s->count; // a kernel may take what others do not pass
    for (size_t i = 0; json_is_array(list.json) && i < node_count(list); i++) {
        const char *given = node_text(node_item(x->r, list, i));
        bool is_passed = given && (all || !is_passed_elsewhere(x, given));
        if (is_passed && strcmp(given, name) == 0)
            return place < s->count ? place : UINT32_MAX;
        place += is_passed;
    }
    return UINT32_MAX;
}

static void find_argument_facts(const struct expansion *x, const char *name,
                                struct argument_facts *out)
{
    *out = (struct argument_facts){.is_const = true, .all_known = true};
    bool is_list = node_count(node_get(x->r, x->root, "launches")) > 0;
    for (uint32_t i = 0; x->facts && i < x->facts->launch_count; i++) {
        const struct launch_facts *l = &x->facts->launches[i];
        struct node list = {NULL, ""};
        if (is_list)
            list = node_get(x->r, launch_node(x, i), "arguments");
        out->all_known = out->all_known && l->signature.known;
        uint32_t place = place_of_argument(x, list, &l->signature, name);
        if (place == UINT32_MAX)
            continue;
        const struct signature_parameter *p = &l->signature.parameters[place];
        if (!out->launch) {
            out->launch = l;
            out->parameter = p;
        }
        out->is_const = out->is_const && p->is_const;
        out->use |= p->is_const ? PARAMETER_READ : p->use;
    }
}

// ---- contents ----------------------------------------------------------------------------------

// Does an expression read a name? Texts in quotes do not count.
static bool mentions_name(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (char quote = 0; *text; text++) {
        if (quote) {
            quote = *text == quote ? 0 : quote;
        } else if (*text == '\'' || *text == '"') {
            quote = *text;
        } else if (isalpha((unsigned char)*text) || *text == '_') {
            const char *end = text;
            while (isalnum((unsigned char)*end) || *end == '_')
                end++;
            if ((size_t)(end - text) == length && strncmp(text, name, length) == 0)
                return true;
            text = end - 1;
        }
    }
    return false;
}

static bool is_data_file(const char *text)
{
    static const char *const endings[] = {".npy", ".bin", ".raw", ".dat"};
    size_t length = strlen(text);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (length > 4 && strcmp(text + length - 4, endings[i]) == 0)
            return true;
    }
    return false;
}

// A number is FillValue, a text FillExpression.
static void put_value(struct expansion *x, json_t *to, struct node n)
{
    bool is_open = !x->facts || x->is_kernel_open; // the members are not known yet
    if (is_open && json_is_object(n.json))
        expand_put(x, to, "FillValue", json_integer(0), n.path);
    else if (node_present(n))
        expand_copy(x, to, node_text(n) ? "FillExpression" : "FillValue", n);
}

static void put_fill_type(struct expansion *x, json_t *to, const char *type, const char *path)
{
    expand_put(x, to, "FillType", json_string(type), path);
}

// Integers are neither all alike nor below zero: they may be indices.
static void put_random(struct expansion *x, json_t *to, const struct element *el, const char *path)
{
    bool is_integer = el && el->scalar != SCALAR_CUSTOM && el->scalar != SCALAR_BOOL &&
                      !scalar_is_float(el->scalar);
    if (el && el->scalar == SCALAR_CUSTOM)
        return; // it has no values: zeros
    put_fill_type(x, to, "Random", path);
    if (is_integer)
        expand_put(x, to, "Range", json_pack("[i, i]", 0, 100), path);
}

static void put_fill_text(struct expansion *x, json_t *to, const struct element *el, struct node n)
{
    const char *text = node_text(n);
    if (strcmp(text, "random") == 0) {
        put_random(x, to, el, n.path);
    } else if (strcmp(text, "normal") == 0) {
        put_fill_type(x, to, "Random", n.path);
        expand_put(x, to, "Distribution", json_string("normal"), n.path);
    } else if (strcmp(text, "none") == 0) {
        put_fill_type(x, to, "Uninitialized", n.path);
    } else if (is_data_file(text)) {
        put_fill_type(x, to, "BinaryRaw", n.path);
        expand_copy(x, to, "DataSource", n);
    } else if (mentions_name(text, "i") || mentions_name(text, "size")) {
        put_fill_type(x, to, "Generator", n.path);
        expand_copy(x, to, "DataSource", n);
    } else {
        put_fill_type(x, to, "Constant", n.path);
        put_value(x, to, n);
    }
}

static bool put_fill_object(struct expansion *x, json_t *to, const struct element *el,
                            struct node n)
{
    static const char *const kinds[] = {"constant", "expression", "file", "random", "normal"};
    const struct reader *r = x->r;
    struct node kind = {NULL, n.path};
    size_t which = 3, count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct node given = node_get(r, n, kinds[i]);
        if (!node_present(given))
            continue;
        kind = given;
        which = i;
        count++;
    }
    struct node seed = node_get(r, n, "seed");
    if (count > 1)
        return node_error(
            r, kind,
            "only one of constant, expression, file, random and normal can be the contents");
    if (count == 0 && !node_present(seed))
        return node_error(r, n, "says nothing: use constant, expression, file, random or normal");
    expand_copy(x, to, "RandomSeed", seed);
    switch (which) {
    case 0:
        put_fill_type(x, to, "Constant", kind.path);
        put_value(x, to, kind);
        return true;
    case 1:
    case 2:
        put_fill_type(x, to, which == 1 ? "Generator" : "BinaryRaw", kind.path);
        expand_copy(x, to, "DataSource", kind);
        return true;
    default:
        if (!json_is_array(kind.json) && !json_is_number(kind.json) && !json_is_string(kind.json)) {
            put_random(x, to, el, kind.path); // the usual range
        } else {
            put_fill_type(x, to, "Random", kind.path);
            if (json_is_array(kind.json))
                expand_copy(x, to, "Range", kind);
            else
                put_value(x, to, kind);
        }
        if (which == 4)
            expand_put(x, to, "Distribution", json_string("normal"), kind.path);
        return true;
    }
}

static bool put_fill(struct expansion *x, json_t *to, const struct element *el, struct node n)
{
    if (json_is_object(n.json))
        return put_fill_object(x, to, el, n);
    if (node_text(n)) {
        put_fill_text(x, to, el, n);
        return true;
    }
    put_fill_type(x, to, "Constant", n.path);
    put_value(x, to, n);
    return true;
}

// ---- verification ------------------------------------------------------------------------------

static bool put_verification(struct expansion *x, json_t *to, struct node n)
{
    static const char *const names[][2] = {{"method", "Method"},
                                           {"atol", "AbsoluteTolerance"},
                                           {"rtol", "RelativeTolerance"},
                                           {"precision", "Precision"},
                                           {"region", "Region"}};
    if (!node_present(n))
        return true;
    json_t *object = expand_put(x, to, "Verification", json_object(), n.path);
    if (node_text(n)) {
        expand_copy(x, object, "Method", n);
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expand_copy(x, object, names[i][1], node_get(x->r, n, names[i][0]));
    expand_copy(x, to, "AllowNaN", node_get(x->r, n, "nan"));
    return expand_t1_keys(x, n, "arguments.*.verify", object);
}

static void expand_link(struct expansion *x, json_t *to, struct node n)
{
    if (!json_is_object(n.json)) {
        expand_copy(x, to, "LinkedTo", n);
        return;
    }
    json_t *object = expand_put(x, to, "LinkedTo", json_object(), n.path);
    expand_copy(x, object, "Argument", node_get(x->r, n, "argument"));
    expand_copy(x, object, "First", node_get(x->r, n, "first"));
    expand_copy(x, object, "Stride", node_get(x->r, n, "stride"));
}

// ---- type, memory, access ----------------------------------------------------------------------

static const char *const memory_words[][2] = {{"scalar", "Scalar"},
                                              {"vector", "Vector"},
                                              {"local", "Local"},
                                              {"symbol", "Symbol"},
                                              {"constant", "Vector"}};
static const char *const access_words[][2] = {
    {"read", "ReadOnly"}, {"write", "WriteOnly"}, {"readwrite", "ReadWrite"}};

// The T1 word for one of the short form; a word that is T1's own is taken too.
static bool translate(const struct expansion *x, struct node n, const char *const (*words)[2],
                      size_t count, const char **out)
{
    const char *names[8];
    size_t choice;
    for (size_t i = 0; i < count; i++) {
        names[i] = words[i][0];
        if (str_equal(node_text(n), words[i][1])) {
            *out = words[i][1];
            return true;
        }
    }
    if (!read_choice(x->r, n, names, count, 0, &choice))
        return false;
    *out = words[choice][1];
    return true;
}

static bool refuse_place(const struct expansion *x, struct node n, const struct argument_facts *f,
                         const char *advice)
{
    return node_error(x->r, n, "kernel '%s' (%s, line %u) takes '%s' there: %s", f->launch->kernel,
                      f->launch->signature.file, f->launch->signature.line, f->parameter->text,
                      advice);
}

static bool find_memory(const struct expansion *x, const char *name, struct node n,
                        const struct argument_facts *f, const char **out)
{
    struct node memory = node_get(x->r, n, "memory");
    bool is_object = json_is_object(n.json);
    bool is_value = !is_object || node_present(node_get(x->r, n, "value"));
    if (node_present(memory))
        return translate(x, memory, memory_words, sizeof memory_words / sizeof *memory_words, out);
    const struct declared *d = f->launch ? &f->parameter->declared : NULL;
    char advice[160];
    *out = is_value ? "Scalar" : is_sampler_node(x, n) ? "Sampler" : "Vector";
    if (!d || d->kind == DECLARED_UNKNOWN)
        return true;
    bool is_image = node_present(node_get(x->r, n, "image")) || json_object_get(n.json, "Image");
    if (d->kind == DECLARED_IMAGE || d->kind == DECLARED_SAMPLER) {
        str_format(advice, sizeof advice,
                   d->kind == DECLARED_IMAGE ? "an image is \"%s\": {\"image\": [WIDTH, HEIGHT]}"
                                             : "a sampler is \"%s\": {\"sampler\": \"clamp_to_edge "
                                               "nearest\"}",
                   name);
        bool is_right = d->kind == DECLARED_IMAGE ? is_image : strcmp(*out, "Sampler") == 0;
        return is_right || refuse_place(x, n, f, advice);
    }
    bool is_pointer = d->kind == DECLARED_POINTER;
    str_format(advice, sizeof advice,
               is_pointer ? "a buffer is \"%s\": {\"size\": ELEMENTS}"
                          : "a value is \"%s\": EXPRESSION",
               name);
    bool has_size = node_present(node_get(x->r, n, "size"));
    if (is_pointer ? is_value || is_image || strcmp(*out, "Sampler") == 0 : has_size)
        return refuse_place(x, n, f, advice);
    *out = !is_pointer ? "Scalar" : d->space == SPACE_LOCAL ? "Local" : "Vector";
    return true;
}

// "const size_t count"
static bool declares_size(const char *text)
{
    const char *at = strstr(text, "size_t");
    return at && (at == text || at[-1] == ' ') && at[6] == ' ' && !strchr(text, '*');
}

// Writes Type or TypeExpression; `el` is the type if it is known.
static bool put_type(struct expansion *x, json_t *to, struct node n, const struct argument_facts *f,
                     struct element *el, bool *has_element)
{
    struct node type = node_get(x->r, n, "type");
    char name[24];
    *has_element = false;
    expand_copy(x, to, "TypeSize", node_get(x->r, n, "type_size"));
    if (node_present(type)) {
        bool is_custom = str_equal_nocase(node_text(type), "custom");
        *has_element = element_parse(node_text(type), el) || is_custom;
        if (is_custom)
            *el = (struct element){.scalar = SCALAR_CUSTOM, .width = 1};
        bool is_type = *has_element || layout_is_struct(node_text(type));
        expand_copy(x, to, is_type ? "Type" : "TypeExpression", type);
        return true;
    }
    if (json_object_get(n.json, "Type") || json_object_get(n.json, "TypeExpression"))
        return true;
    if (!x->facts || x->is_kernel_open) {
        expand_put(x, to, "Type", json_string("float"), type.path); // any would do
        return true;
    }
    if (f->launch && (f->parameter->declared.has_element || f->parameter->has_texel)) {
        *el = f->parameter->has_texel ? f->parameter->texel : f->parameter->declared.element;
        *has_element = true;
        element_name(el, name);
        expand_put(x, to, "Type", json_string(name), type.path);
        return true;
    }
    if (f->launch && f->parameter->record) {
        *el = (struct element){.scalar = SCALAR_CUSTOM, .width = 1};
        expand_put(x, to, "Type", json_string(f->parameter->record), type.path);
        return true;
    }
    struct data_file file;
    struct error ignored = ERROR_INIT;
    if (expand_data(x, n, &file, &ignored) && data_element(&file, el)) {
        *has_element = true;
        element_name(el, name);
        expand_put(x, to, "Type", json_string(name), type.path);
        return true;
    }
    if (f->launch && declares_size(f->parameter->text))
        return node_error(
            x->r, type,
            "is missing: kernel '%s' (%s, line %u) takes '%s', and %s allows no size_t "
            "as an argument: make it uint or ulong there",
            f->launch->kernel, f->launch->signature.file, f->launch->signature.line,
            f->parameter->text, language_title(x->language));
    if (f->launch)
        return node_error(x->r, type,
                          "is missing: '%s' of kernel '%s' (%s, line %u) does not say it; say "
                          "\"type\": \"float\" or the like",
                          f->parameter->text, f->launch->kernel, f->launch->signature.file,
                          f->launch->signature.line);
    return node_error(x->r, type, "is missing: %s; say \"type\": \"float\" or the like",
                      f->all_known ? "no kernel's source tells it"
                                   : "hone does not understand the kernel's parameters");
}

static bool put_access(struct expansion *x, json_t *to, const char *name, struct node n,
                       const struct argument_facts *f, const char **out)
{
    struct node access = node_get(x->r, n, "access");
    struct node right = node_get(x->r, n, "expect");
    const char *expect = node_present(right) ? node_lines(x->r, right) : NULL;
    bool is_output = json_is_true(node_get(x->r, n, "output").json) || node_present(right);
    bool is_read = expect && mentions_name(expect, name); // what was there before counts
    *out = NULL;
    if (node_present(access)) {
        if (!translate(x, access, access_words, sizeof access_words / sizeof *access_words, out))
            return false;
    } else if (json_object_get(n.json, "AccessType")) {
        return true;
    } else if (json_is_true(node_get(x->r, n, "temporary").json)) {
        return true;
    } else if (!x->facts || x->is_kernel_open) {
        bool is_swapped = expand_is_swapped(x, name); // written in one of the passes
        *out = is_swapped || expand_is_output(x, name) ? "ReadWrite" : "ReadOnly";
        if (is_swapped && !expand_is_output(x, name))
            expand_put(x, to, "Output", json_false(), access.path);
    } else if (f->launch && (f->parameter->declared.kind == DECLARED_POINTER ||
                             f->parameter->declared.kind == DECLARED_IMAGE)) {
        *out = f->use == PARAMETER_WRITTEN && !is_read  ? "WriteOnly"
               : f->use == PARAMETER_READ && !is_output ? "ReadOnly"
                                                        : "ReadWrite";
    } else {
        return node_error(x->r, access,
                          "is missing: hone does not see what the kernel does with it; say "
                          "\"access\": \"read\", \"write\" or \"readwrite\"");
    }
    expand_put(x, to, "AccessType", json_string(*out), access.path);
    return true;
}

// Integers of 8 or 16 bits that the kernel reads as floats are normalized.
static void put_image(struct expansion *x, json_t *to, struct node n,
                      const struct argument_facts *f, const struct element *el)
{
    struct node format = node_get(x->r, n, "format"), image = node_get(x->r, n, "image");
    const char *words = node_text(format) ? node_text(format) : "";
    bool is_read_so = f->launch && f->parameter->has_texel && el && node_present(image) &&
                      scalar_is_float(f->parameter->texel.scalar) && el->scalar != SCALAR_CUSTOM &&
                      !scalar_is_float(el->scalar) && scalar_bytes(el->scalar) <= 2;
    expand_copy(x, to, "Image", image);
    expand_copy(x, to, "Sampler", node_get(x->r, n, "sampler"));
    if (is_read_so && !strstr(words, "normalized"))
        expand_put(x, to, "Format", json_sprintf("%s%snormalized", words, *words ? " " : ""),
                   format.path);
    else
        expand_copy(x, to, "Format", format);
}

// ---- one argument ------------------------------------------------------------------------------

// Without a size of its own an argument has that of the .npy file which fills it; a file that is not there is told
// where the data is read.
static void put_size(struct expansion *x, json_t *to, struct node n, const struct element *el)
{
    struct node size = node_get(x->r, n, "size");
    struct data_file file;
    struct error ignored = ERROR_INIT;
    struct element one = el ? *el : (struct element){.scalar = SCALAR_CUSTOM, .custom_bytes = 1};
    one.packed = language_traits(x->language)->packs_three && one.width == 3;
    const uint32_t part = scalar_bytes(one.scalar) ? scalar_bytes(one.scalar) : 1;
    expand_copy(x, to, "Size", size);
    if (!node_present(size) && !json_object_get(n.json, "Size") &&
        expand_data(x, n, &file, &ignored))
        expand_put(x, to, "Size",
                   json_integer((json_int_t)(file.components * part / element_bytes(&one))),
                   size.path);
}

static bool expand_buffer(struct expansion *x, json_t *to, const char *name, struct node n,
                          const struct argument_facts *f, const char *memory)
{
    const struct reader *r = x->r;
    struct element el;
    bool has_element;
    const char *access = NULL;
    struct node fill = node_get(r, n, "fill"), temporary = node_get(r, n, "temporary");
    bool is_vector = strcmp(memory, "Vector") == 0 && !json_object_get(to, "MemType");
    if (!put_type(x, to, n, f, &el, &has_element) ||
        (is_vector && !put_access(x, to, name, n, f, &access)))
        return false;
    put_size(x, to, n, has_element ? &el : NULL);
    put_image(x, to, n, f, has_element ? &el : NULL);
    expand_link(x, to, node_get(r, n, "linked"));
    expand_copy(x, to, "Output", node_get(r, n, "output"));
    expand_copy(x, to, "Expect", node_get(r, n, "expect"));
    expand_copy(x, to, "Temporary", temporary);
    expand_copy(x, to, "Restore", node_get(r, n, "restore"));
    bool is_filled = strcmp(memory, "Local") != 0 && !json_is_true(temporary.json) &&
                     !str_equal(access, "WriteOnly") && !json_object_get(n.json, "FillType");
    if (node_present(fill) && !put_fill(x, to, has_element ? &el : NULL, fill))
        return false;
    if (!node_present(fill) && is_filled)
        put_random(x, to, has_element ? &el : NULL, fill.path);
    return put_verification(x, to, node_get(r, n, "verify"));
}

// "bias": null
static bool expand_null(struct expansion *x, json_t *to, struct node n,
                        const struct argument_facts *f)
{
    struct element el;
    bool has_element;
    if (f->launch && f->parameter->declared.kind == DECLARED_VALUE)
        return refuse_place(x, n, f, "null is for pointers");
    expand_put(x, to, "MemoryType", json_string("Null"), n.path);
    if (f->launch && f->parameter->declared.has_element)
        return put_type(x, to, n, f, &el, &has_element);
    expand_put(x, to, "Type", json_string("uint8"), n.path); // any would do
    return true;
}

static bool expand_argument(struct expansion *x, json_t *to, const char *name, struct node n)
{
    struct argument_facts f;
    const char *memory;
    struct element el;
    bool has_element;
    expand_put(x, to, "Name", json_string(name), n.path);
    find_argument_facts(x, name, &f);
    if (json_is_null(n.json))
        return expand_null(x, to, n, &f);
    if (!find_memory(x, name, n, &f, &memory))
        return false;
    if (!json_object_get(n.json, "MemoryType"))
        expand_put(x, to, "MemoryType", json_string(memory), n.path);
    if (str_equal(node_text(node_get(x->r, n, "memory")), "constant"))
        expand_put(x, to, "MemType", json_string("Constant"), n.path);
    if (strcmp(memory, "Sampler") == 0) {
        expand_put(x, to, "Type", json_string("uint8"), n.path); // any would do
        expand_copy(x, to, "Sampler", node_get(x->r, n, "sampler"));
        return expand_t1_keys(x, n, "arguments.*", to);
    }
    if (strcmp(memory, "Scalar") != 0)
        return expand_buffer(x, to, name, n, &f, memory) && expand_t1_keys(x, n, "arguments.*", to);
    if (!put_type(x, to, n, &f, &el, &has_element))
        return false;
    struct node value = json_is_object(n.json) ? node_get(x->r, n, "value") : n;
    if (json_is_object(n.json) && node_present(node_get(x->r, n, "fill"))) // a vector's components
        return put_fill(x, to, has_element ? &el : NULL, node_get(x->r, n, "fill")) &&
               expand_t1_keys(x, n, "arguments.*", to);
    bool is_told = node_present(value) || json_object_get(n.json, "FillValue") ||
                   json_object_get(n.json, "FillExpression") ||
                   json_object_get(n.json, "ScalarValue");
    if (!is_told)
        return node_error(x->r, value, "is missing: a scalar is \"%s\": EXPRESSION", name);
    put_value(x, to, value);
    return !json_is_object(n.json) || expand_t1_keys(x, n, "arguments.*", to);
}

// ---- their order -------------------------------------------------------------------------------

static bool is_name_of_spec(const struct expansion *x, const char *name)
{
    static const char *const places[] = {"constants", "parameters", "derived"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (json_object_get(json_object_get(x->root.json, places[i]), name))
            return true;
    }
    return false;
}

// Adds the parameters that the spec leaves out: a scalar takes the spec's value of the same name.
static bool expand_implied(struct expansion *x, struct node arguments, const struct launch_facts *l,
                           json_t *list)
{
    for (uint32_t i = 0; i < l->signature.count; i++) {
        const struct signature_parameter *p = &l->signature.parameters[i];
        bool is_given = !p->name || node_present(node_get(x->r, arguments, p->name));
        for (size_t other = 0; !is_given && other < json_array_size(list); other++)
            is_given = str_equal(
                json_string_value(json_object_get(json_array_get(list, other), "Name")), p->name);
        if (is_given)
            continue;
        struct node n = node_get(x->r, arguments, p->name);
        enum declared_kind kind = p->declared.kind;
        bool is_value = kind == DECLARED_VALUE || kind == DECLARED_UNKNOWN;
        if (!is_value || !is_name_of_spec(x, p->name)) {
            node_error(x->r, n, "is missing: kernel '%s' (%s, line %u) takes '%s'; say \"%s\": %s",
                       l->kernel, l->signature.file, l->signature.line, p->text, p->name,
                       is_value                   ? "VALUE"
                       : kind == DECLARED_IMAGE   ? "{\"image\": [WIDTH, HEIGHT]}"
                       : kind == DECLARED_SAMPLER ? "{\"sampler\": \"clamp_to_edge nearest\"}"
                                                  : "{\"size\": ELEMENTS}");
            if (!expand_on(x, false, n.path))
                return false;
            continue;
        }
        json_t *value = json_string(p->name);
        bool ok = value && expand_argument(x, expand_add(x, list, json_object(), n.path), p->name,
                                           (struct node){value, n.path});
        x->failed |= !value;
        json_decref(value);
        if (x->failed)
            return error_memory(x->r->error);
        if (!expand_on(x, ok, n.path))
            return false;
    }
    return true;
}

static bool refuse_unknown(const struct expansion *x, struct node arguments, const char *name)
{
    const struct launch_facts *l = &x->facts->launches[0];
    const char **names = arena_array(x->r->arena, l->signature.count + (size_t)1, sizeof *names);
    struct text known = TEXT_INIT;
    uint32_t count = 0;
    for (uint32_t i = 0; names && i < l->signature.count; i++) {
        const char *own = l->signature.parameters[i].name;
        if (own)
            names[count++] = own;
        text_addf(&known, "%s%s", i ? ", " : "", l->signature.parameters[i].text);
    }
    const char *near = names ? str_nearest(name, names, count) : NULL;
    node_error(x->r, node_get(x->r, arguments, name),
               "kernel '%s' (%s, line %u) has no parameter of this name (it takes %s)%s%s%s",
               l->kernel, l->signature.file, l->signature.line,
               l->signature.count ? text_cstr(&known) : "none", near ? "; did you mean '" : "",
               near ? near : "", near ? "'?" : "");
    text_release(&known);
    return false;
}

// With one launch whose parameters are known, each argument must be one of them, unless its memory
// puts it elsewhere.
static bool check_names(const struct expansion *x, struct node arguments)
{
    const char *name;
    json_t *value;
    struct argument_facts f;
    const char *memory;
    if (!x->facts || x->facts->launch_count != 1 || !x->facts->launches[0].signature.known)
        return true;
    json_object_foreach((json_t *)arguments.json, name, value)
    {
        struct node n = node_get(x->r, arguments, name);
        bool is_listed = json_is_array(node_get(x->r, launch_node(x, 0), "arguments").json);
        find_argument_facts(x, name, &f);
        if (f.launch || is_listed)
            continue;
        bool is_elsewhere = json_is_object(value) &&
                            (is_sampler_node(x, n) || node_present(node_get(x->r, n, "memory")) ||
                             json_object_get(value, "MemoryType"));
        bool is_wrong = !is_elsewhere ||
                        (find_memory(x, name, n, &f, &memory) && strcmp(memory, "Scalar") == 0);
        if (is_wrong && !expand_on(x, refuse_unknown(x, arguments, name), n.path))
            return false;
    }
    return true;
}

// Puts the arguments of the only kernel into its order; those that it does not take stay where they are.
static void sort_arguments(struct expansion *x, json_t *list)
{
    const struct signature *s = &x->facts->launches[0].signature;
    size_t count = json_array_size(list);
    json_t *sorted = json_array();
    size_t next = 0;
    x->failed |= !sorted;
    for (size_t i = 0; sorted && i < count; i++) {
        json_t *item = json_array_get(list, i), *taken = NULL;
        const char *name = json_string_value(json_object_get(item, "Name"));
        bool is_taken = false;
        for (uint32_t p = 0; p < s->count; p++)
            is_taken |= str_equal(s->parameters[p].name, name);
        for (; is_taken && !taken && next < s->count; next++) {
            for (size_t k = 0; k < count && !taken; k++) {
                json_t *other = json_array_get(list, k);
                if (s->parameters[next].name &&
                    str_equal(json_string_value(json_object_get(other, "Name")),
                              s->parameters[next].name))
                    taken = other;
            }
        }
        item = taken ? taken : item;
        x->failed |= json_array_append(sorted, item) < 0;
    }
    for (size_t i = 0; sorted && i < count; i++) {
        json_t *item = json_array_get(sorted, i);
        const char *name = json_string_value(json_object_get(item, "Name"));
        const char *path = arena_printf(x->r->arena, "arguments.%s", name ? name : "");
        x->failed |= !path || json_array_set(list, i, item) < 0 ||
                     !origin_note(x->origins, list, NULL, i, path ? path : "arguments");
    }
    json_decref(sorted);
}

bool expand_argument_names(struct expansion *x, const struct launch_facts *facts, json_t *to,
                           const char *path)
{
    json_t *list = expand_put(x, to, "Arguments", json_array(), path);
    for (uint32_t i = 0; i < facts->signature.count; i++) {
        const char *name = facts->signature.parameters[i].name;
        expand_add(x, list, json_string(name ? name : ""), path);
    }
    return true;
}

bool expand_arguments(struct expansion *x)
{
    struct node n = node_get(x->r, x->root, "arguments");
    json_t *list = expand_put(x, x->kernel, "Arguments", json_array(), n.path);
    if (!check_names(x, n))
        return false;
    for (struct members m = node_members(x->r, n); members_next(&m);) {
        if (!m.node.json)
            continue;
        json_t *to = expand_add(x, list, json_object(), m.node.path);
        if (!expand_on(x, expand_argument(x, to, m.name, m.node), m.node.path))
            return false;
    }
    bool is_list = node_count(node_get(x->r, x->root, "launches")) > 0;
    for (uint32_t i = 0; x->facts && i < x->facts->launch_count; i++) {
        bool has_names = is_list && node_present(node_get(x->r, launch_node(x, i), "arguments"));
        if (!has_names && x->facts->launches[i].signature.known &&
            !expand_implied(x, n, &x->facts->launches[i], list))
            return false;
    }
    if (x->facts && !is_list && x->facts->launches[0].signature.known)
        sort_arguments(x, list);
    return true;
}
