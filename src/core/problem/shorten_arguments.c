// Arguments of T1 in the short form, with everything that the kernel's text may say of them.
#include "problem/shorten.h"

#include "base/text.h"

#include <string.h>

// Keys of a T1 fill that are kept if the short form has no words for it.
#define FILL_KEYS                                                                                  \
    "FillType", "FillValue", "FillExpression", "ScalarValue", "Distribution", "Range",             \
        "RandomSeed", "DataSource"

// The value that counts.
static const json_t *value_of_fill(const json_t *from)
{
    static const char *const keys[] = {"FillExpression", "ScalarValue", "FillValue"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (t1_get(from, keys[i]))
            return t1_get(from, keys[i]);
    }
    return NULL;
}

static json_t *value_or_zero(const json_t *from)
{
    const json_t *value = value_of_fill(from);
    return value ? json_deep_copy(value) : json_integer(0);
}

// ---- fills -------------------------------------------------------------------------------------

// The usual ends depend on the type; if a formula gives that, they have no words: NULL.
static json_t *usual_range(const struct argument_spec *a)
{
    if (a->type.expr || a->element.scalar == SCALAR_CUSTOM)
        return NULL;
    bool negative = scalar_is_float(a->element.scalar) || scalar_is_signed(a->element.scalar);
    return json_pack("[i, i]", negative ? -1 : 0, 1);
}

static bool shorten_random(struct shortening *x, json_t *fill, const json_t *from,
                           const struct argument_spec *a)
{
    const char *distribution = t1_text(from, "Distribution");
    bool normal = str_equal_nocase(distribution ? distribution : "", "normal");
    const char *key = normal ? "normal" : "random";
    const json_t *range = t1_get(from, "Range"), *value = value_of_fill(from);
    json_t *usual = normal ? json_pack("[i, i]", 0, 1) : usual_range(a);
    bool is_told = true;
    if (range)
        shorten_put(x, fill, key, json_deep_copy(range));
    else if (value && !json_is_boolean(value))
        shorten_put(x, fill, key, json_deep_copy(value));
    else if (usual && !value)
        shorten_put(x, fill, key, json_incref(usual));
    else
        is_told = false;
    json_decref(usual);
    if (json_is_integer(t1_get(from, "RandomSeed")))
        shorten_copy(x, fill, "seed", from, "RandomSeed");
    return is_told && !(range && value);
}

// An object with the fill; NULL if it stays in T1's words.
static json_t *shorten_fill(struct shortening *x, const json_t *from, const struct argument_spec *a)
{
    const char *type = t1_text(from, "FillType");
    json_t *fill = json_object();
    bool is_told = true;
    if (!type || str_equal_nocase(type, "Constant"))
        shorten_put(x, fill, "constant", value_or_zero(from));
    else if (str_equal_nocase(type, "Random"))
        is_told = shorten_random(x, fill, from, a);
    else if (str_equal_nocase(type, "Generator"))
        shorten_copy(x, fill, "expression", from, "DataSource");
    else if (str_equal_nocase(type, "BinaryRaw"))
        shorten_copy(x, fill, "file", from, "DataSource");
    else if (str_equal_nocase(type, "Uninitialized")) {
        json_decref(fill);
        return json_string("none");
    } else
        is_told = false;
    if (is_told && json_object_size(fill) > 0)
        return fill;
    json_decref(fill);
    return NULL;
}

// ---- verification ------------------------------------------------------------------------------

static void shorten_verification(struct shortening *x, json_t *to, const json_t *from)
{
    const json_t *given = t1_get(from, "Verification");
    if (!given && !t1_get(from, "AllowNaN"))
        return;
    json_t *object = shorten_put(x, to, "verify", json_object());
    shorten_copy(x, object, "method", given, "Method");
    shorten_copy(x, object, "atol", given, "AbsoluteTolerance");
    shorten_copy(x, object, "rtol", given, "RelativeTolerance");
    shorten_copy(x, object, "region", given, "Region");
    shorten_flag(x, object, "nan", from, "AllowNaN");
}

// ---- one argument ------------------------------------------------------------------------------

static const char *word_of(const char *const (*words)[2], size_t count, const char *t1)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(words[i][1], t1))
            return words[i][0];
    }
    return NULL;
}

static const char *memory_word(const struct argument_spec *a, const json_t *from)
{
    static const char *const words[] = {[MEMORY_SCALAR] = "scalar",
                                        [MEMORY_VECTOR] = "vector",
                                        [MEMORY_LOCAL] = "local",
                                        [MEMORY_SYMBOL] = "symbol"};
    const char *memory = t1_text(from, "MemoryType");
    // A Vector whose MemType makes it a symbol.
    bool is_constant =
        a->memory == MEMORY_SYMBOL && str_equal_nocase(memory ? memory : "", "Vector");
    return is_constant ? "constant" : words[a->memory];
}

static void shorten_link(struct shortening *x, json_t *to, const json_t *from)
{
    const json_t *link = t1_get(from, "LinkedTo");
    if (!json_is_object(link)) {
        shorten_copy(x, to, "linked", from, "LinkedTo");
        return;
    }
    json_t *object = shorten_put(x, to, "linked", json_object());
    shorten_copy(x, object, "argument", link, "Argument");
    shorten_copy(x, object, "first", link, "First");
    shorten_copy(x, object, "stride", link, "Stride");
}

static void shorten_buffer(struct shortening *x, json_t *to, const json_t *from,
                           const struct argument_spec *a)
{
    static const char *const access[][2] = {
        {"read", "ReadOnly"}, {"write", "WriteOnly"}, {"readwrite", "ReadWrite"}};
    static const char *const access_names[] = {"ReadOnly", "WriteOnly", "ReadWrite"};
    const char *given = t1_text(from, "AccessType");
    bool is_usual = a->temporary && a->access == ACCESS_BOTH;
    if (a->memory == MEMORY_VECTOR && !is_usual) {
        const char *name = given ? given : access_names[a->access];
        const char *word = word_of(access, 3, name);
        shorten_put(x, to, "access", json_string(word ? word : name));
    }
    // Local memory and arguments that only the kernel writes have no contents.
    bool is_temporary = a->temporary && !t1_text(from, "FillType");
    bool is_open = a->memory == MEMORY_LOCAL ||
                   (a->memory == MEMORY_VECTOR && a->access == ACCESS_WRITE) || is_temporary;
    json_t *fill = is_open ? NULL : shorten_fill(x, from, a);
    if (fill)
        shorten_put(x, to, "fill", fill);
    static const char *const keys[] = {FILL_KEYS};
    for (size_t i = 0; !is_open && !fill && i < sizeof keys / sizeof *keys; i++)
        shorten_copy(x, to, keys[i], from, keys[i]);
    shorten_copy(x, to, "expect", from, "Expect");
    shorten_verification(x, to, from);
    shorten_link(x, to, from);
    shorten_flag(x, to, "output", from, "Output");
    shorten_flag(x, to, "temporary", from, "Temporary");
    shorten_flag(x, to, "restore", from, "Restore");
}

static void shorten_argument(struct shortening *x, json_t *to, const json_t *from,
                             const struct argument_spec *a)
{
    static const char *const done[] = {
        "Name",       "Type",   "TypeExpression", "TypeSize",     "MemoryType", "MemType",
        "AccessType", "Size",   FILL_KEYS,        "Verification", "AllowNaN",   "Expect",
        "LinkedTo",   "Output", "Temporary",      "Restore",      NULL};
    shorten_copy(x, to, "size", from, "Size");
    if (a->memory == MEMORY_SCALAR)
        shorten_put(x, to, "value", value_or_zero(from));
    if (t1_get(from, "TypeExpression"))
        shorten_copy(x, to, "type", from, "TypeExpression");
    else
        shorten_copy(x, to, "type", from, "Type");
    shorten_copy(x, to, "type_size", from, "TypeSize");
    shorten_put(x, to, "memory", json_string(memory_word(a, from)));
    if (a->memory != MEMORY_SCALAR)
        shorten_buffer(x, to, from, a);
    shorten_rest(x, to, "arguments.*", from, done);
}

void shorten_arguments(struct shortening *x, const json_t *kernel)
{
    size_t index;
    json_t *from;
    const struct kernel_spec *k = x->s->kernel;
    json_t *to = shorten_put(x, x->out, "arguments", json_object());
    json_array_foreach(t1_get(kernel, "Arguments"), index, from)
    {
        if (index < k->argument_count)
            shorten_argument(x, shorten_put(x, to, k->arguments[index].name, json_object()), from,
                             &k->arguments[index]);
    }
}
