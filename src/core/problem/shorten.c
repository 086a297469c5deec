// T1 becomes the short form, part by part. What the short form has no word for stays a key of T1 in it, so that
// nothing is lost; what the kernel's text says is left out afterwards (convert_form.c).
#include "problem/shorten.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

#define DONE(...) ((const char *const[]){__VA_ARGS__, NULL})

// ---- members -----------------------------------------------------------------------------------

const json_t *t1_get(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

const char *t1_text(const json_t *object, const char *key)
{
    return json_string_value(t1_get(object, key));
}

json_t *shorten_put(struct shortening *x, json_t *object, const char *key, json_t *value)
{
    x->failed |= !value || json_object_set_new(object, key, value) < 0;
    return json_object_get(object, key);
}

static void shorten_add(struct shortening *x, json_t *list, json_t *value)
{
    x->failed |= !value || json_array_append_new(list, value) < 0;
}

void shorten_copy(struct shortening *x, json_t *to, const char *key, const json_t *from,
                  const char *t1)
{
    const json_t *value = t1_get(from, t1);
    if (value)
        shorten_put(x, to, key, json_deep_copy(value));
}

void shorten_flag(struct shortening *x, json_t *to, const char *key, const json_t *from,
                  const char *t1)
{
    const json_t *value = t1_get(from, t1);
    if (value)
        shorten_put(x, to, key,
                    json_boolean(json_is_integer(value) ? json_integer_value(value) != 0
                                                        : json_is_true(value)));
}

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0)
            return true;
    }
    return false;
}

void shorten_rest(struct shortening *x, json_t *to, const char *pattern, const json_t *from,
                  const char *const *done)
{
    const char *name, *place;
    json_t *value;
    json_object_foreach((json_t *)from, name, value)
    {
        bool is_comment = strcmp(name, "Comment") == 0 && !json_object_get(to, name);
        const struct spec_key *key = short_t1_key(pattern, name, &place);
        if (is_among(done, name) || json_is_null(value) ||
            (!is_comment && (!key || key->accepts == KEY_ANY)))
            continue; // said in other words, or never read
        shorten_put(x, to, name, json_deep_copy(value));
    }
}

// A list of the items, or of a single value that is not a list.
static json_t *as_list(const json_t *value)
{
    return json_is_array(value) ? json_deep_copy(value) : json_pack("[o]", json_deep_copy(value));
}

// ---- the kernel's files ------------------------------------------------------------------------

// Do the names say that all files are of this language?
static bool is_told_by_names(const json_t *files, enum language l)
{
    size_t index;
    json_t *file;
    enum language found;
    json_array_foreach(files, index, file)
    {
        if (language_of_file(json_string_value(file), &found) && found != l)
            return false;
    }
    return true;
}

static json_t *one_or_all(json_t *list)
{
    if (json_array_size(list) != 1)
        return list;
    json_t *one = json_incref(json_array_get(list, 0));
    json_decref(list);
    return one;
}

// `l` is the language that a source here is in.
static void put_sources(struct shortening *x, json_t *to, const json_t *value, enum language l)
{
    json_t *list = as_list(value);
    bool told = is_told_by_names(list, l);
    list = one_or_all(list);
    if (told)
        shorten_put(x, to, "kernel", list);
    else
        shorten_put(x, shorten_put(x, to, "kernel", json_object()), language_title(l), list);
}

static void put_files_by_language(struct shortening *x, json_t *to, const json_t *files)
{
    const char *name;
    json_t *value;
    json_t *kernel = shorten_put(x, to, "kernel", json_object());
    for (int others = 0; others < 2; others++) { // the spec's own first
        json_object_foreach((json_t *)files, name, value)
        {
            enum language l;
            if (language_parse(name, &l) && !json_is_null(value) && (l != x->own) == (others == 1))
                shorten_put(x, kernel, language_title(l), json_deep_copy(value));
        }
    }
}

static void shorten_kernel(struct shortening *x, json_t *to, const json_t *from, enum language l)
{
    const json_t *text = t1_get(from, "KernelSource"), *list = t1_get(from, "Sources");
    const json_t *file = t1_get(from, "KernelFile");
    if (text)
        shorten_put(x, to, "source", json_deep_copy(text));
    else if (json_array_size(list) > 0)
        put_sources(x, to, list, l);
    else if (json_is_object(file))
        put_files_by_language(x, to, file);
    else if (file)
        put_sources(x, to, file, l);
}

static bool is_plain_name(const char *text)
{
    bool ok = text && (isalpha((unsigned char)text[0]) || text[0] == '_');
    for (const char *c = text; ok && *c; c++)
        ok = isalnum((unsigned char)*c) || *c == '_' || *c == ':';
    return ok;
}

// Writes an invalid name, or an expression that looks like a name, as an expression.
static void shorten_function(struct shortening *x, json_t *to, const json_t *from)
{
    const char *name = t1_text(from, "KernelName"), *given = t1_text(from, "KernelNameExpression");
    struct text text = TEXT_INIT;
    if (!name && !given)
        return;
    if (given)
        text_addf(&text, is_plain_name(given) ? "str(%s)" : "%s", given);
    else if (is_plain_name(name))
        text_add(&text, name);
    else {
        struct value v = value_string(name);
        value_print(&v, &text);
    }
    x->failed |= text.failed;
    shorten_put(x, to, "function", json_string(text_cstr(&text)));
    text_release(&text);
}

// ---- sizes -------------------------------------------------------------------------------------

static const char *const axes[] = {"X", "Y", "Z"};
static const char *const divisors[] = {"GridDivX", "GridDivY", "GridDivZ"};

// X, Y, Z without gaps, and at least X.
static bool has_axes(const json_t *object)
{
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (t1_get(object, axes[i]) && count++ != i)
            return false;
    }
    return count > 0;
}

static bool has_gap(const json_t *from)
{
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        if (t1_get(from, divisors[i]) && count++ != i)
            return true;
    }
    return false;
}

struct size_facts {
    bool mixed;            // what has no words in the short form
    bool types, types_own; // types: beside the file's own sizes; types_own: each size has its own
};

static void look_at_sizes(const json_t *from, bool is_root, struct size_facts *f)
{
    const json_t *global = t1_get(from, "GlobalSize"), *local = t1_get(from, "LocalSize");
    bool has_type = t1_get(from, "GlobalSizeType") != NULL;
    bool divides = false;
    for (size_t i = 0; i < 3; i++)
        divides |= t1_get(from, divisors[i]) != NULL;
    f->mixed |= t1_get(from, "GlobalSizeFrom") || has_gap(from) ||
                (global && (divides || t1_get(from, "ProblemSize"))) ||
                (global && !has_axes(global)) || (local && !has_axes(local));
    f->types |= has_type && !is_root;
    f->types_own &= has_type == (global != NULL);
}

static void look_at_layers(const json_t *item, bool is_root, struct size_facts *f)
{
    const char *name;
    json_t *value;
    if (!item)
        return;
    look_at_sizes(item, is_root, f);
    json_object_foreach(json_object_get(item, "Languages"), name, value)
    {
        look_at_sizes(value, false, f);
    }
}

// Are there sizes whose meaning hangs together in a way that the short form cannot say?
static bool are_sizes_plain(const json_t *kernel)
{
    struct size_facts f = {.types_own = true};
    size_t index;
    json_t *launch;
    look_at_layers(kernel, true, &f);
    look_at_layers(t1_get(kernel, "Reference"), false, &f);
    json_array_foreach(t1_get(kernel, "Launches"), index, launch)
    {
        look_at_layers(launch, false, &f);
    }
    return f.mixed || (f.types && !f.types_own);
}

static json_t *axis_list(struct shortening *x, const json_t *object, const char *const *keys)
{
    json_t *list = json_array();
    for (size_t i = 0; i < 3; i++) {
        if (t1_get(object, keys[i]))
            shorten_add(x, list, json_deep_copy(t1_get(object, keys[i])));
    }
    return list;
}

static void shorten_sizes(struct shortening *x, json_t *to, const json_t *from, const json_t *root)
{
    const json_t *global = t1_get(from, "GlobalSize"), *problem = t1_get(from, "ProblemSize");
    if (x->plain_sizes)
        return;
    const char *type = t1_text(from, "GlobalSizeType");
    if (!type)
        type = t1_text(root, "GlobalSizeType");
    bool groups = type ? !str_equal_nocase(type, "OpenCL") : language_traits(x->own)->counts_groups;
    if (problem)
        shorten_put(x, to, "problem", as_list(problem));
    if (t1_get(from, divisors[0]))
        shorten_put(x, to, "per_group", axis_list(x, from, divisors));
    if (global)
        shorten_put(x, to, groups ? "groups" : "global", axis_list(x, global, axes));
    if (t1_get(from, "LocalSize"))
        shorten_put(x, to, "local", axis_list(x, t1_get(from, "LocalSize"), axes));
}

// ---- layers ------------------------------------------------------------------------------------

#define SIZE_KEYS                                                                                  \
    "GlobalSize", "GlobalSizeType", "GlobalSizeFrom", "LocalSize", "ProblemSize", "GridDivX",      \
        "GridDivY", "GridDivZ"
#define LAYER_KEYS                                                                                 \
    "KernelSource", "Sources", "KernelFile", "KernelName", "KernelNameExpression",                 \
        "CompilerOptions", "IncludeFolders", "Retarget", "SharedMemory"

// The sizes as they are, if they stay so.
static void keep_sizes(struct shortening *x, json_t *to, const json_t *from)
{
    static const char *const keys[] = {SIZE_KEYS};
    for (size_t i = 0; x->plain_sizes && i < sizeof keys / sizeof *keys; i++)
        shorten_copy(x, to, keys[i], from, keys[i]);
}

static void shorten_retarget(struct shortening *x, json_t *to, const json_t *from)
{
    const json_t *retarget = t1_get(from, "Retarget");
    if (!retarget)
        return;
    json_t *object = shorten_put(x, to, "retarget", json_object());
    shorten_copy(x, object, "target", retarget, "Target");
    shorten_copy(x, object, "when", retarget, "When");
}

// Empty words say nothing.
static void shorten_options(struct shortening *x, json_t *to, const json_t *from)
{
    size_t index;
    json_t *word;
    const json_t *given = t1_get(from, "CompilerOptions");
    if (!json_is_array(given)) {
        shorten_copy(x, to, "options", from, "CompilerOptions");
        return;
    }
    json_t *list = shorten_put(x, to, "options", json_array());
    json_array_foreach(given, index, word)
    {
        if (!str_equal(json_string_value(word), ""))
            shorten_add(x, list, json_deep_copy(word));
    }
}

static void shorten_layer(struct shortening *x, json_t *to, const json_t *from, const json_t *root,
                          enum language l)
{
    shorten_kernel(x, to, from, l);
    shorten_function(x, to, from);
    shorten_options(x, to, from);
    shorten_copy(x, to, "include", from, "IncludeFolders");
    shorten_retarget(x, to, from);
    shorten_sizes(x, to, from, root);
    keep_sizes(x, to, from);
    shorten_copy(x, to, "shared", from, "SharedMemory");
}

static void shorten_conditions(struct shortening *x, json_t *to, const json_t *list)
{
    size_t index;
    json_t *item;
    if (json_array_size(list) == 0)
        return;
    json_t *out = shorten_put(x, to, "restrictions", json_array());
    json_array_foreach(list, index, item)
    {
        const json_t *text = json_is_object(item) ? t1_get(item, "Expression") : item;
        if (text)
            shorten_add(x, out, json_deep_copy(text));
    }
}

static void shorten_languages(struct shortening *x, json_t *to, const json_t *from,
                              const json_t *root, const char *pattern)
{
    const char *name;
    json_t *value;
    if (json_object_size(t1_get(from, "Languages")) == 0)
        return;
    json_t *out = shorten_put(x, to, "languages", json_object());
    json_object_foreach((json_t *)t1_get(from, "Languages"), name, value)
    {
        enum language l;
        if (!language_parse(name, &l) || !json_is_object(value))
            continue;
        json_t *object = shorten_put(x, out, language_title(l), json_object());
        shorten_copy(x, object, "when", value, "When");
        shorten_conditions(x, object, t1_get(value, "Conditions"));
        shorten_layer(x, object, value, root, l);
        shorten_rest(x, object, pattern, value, DONE("When", "Conditions", LAYER_KEYS, SIZE_KEYS));
    }
}

// ---- launches ----------------------------------------------------------------------------------

// As they were read, in the same order: one without a name is called by its place.
static json_t *all_names(struct shortening *x)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->s->kernel->argument_count; i++)
        shorten_add(x, list, json_string(x->s->kernel->arguments[i].name));
    return list;
}

static void shorten_launches(struct shortening *x, const json_t *kernel)
{
    size_t index;
    json_t *from;
    const json_t *list = t1_get(kernel, "Launches");
    if (json_array_size(list) == 0) {
        if (x->one_launch)
            shorten_put(x, x->out, "launches", json_pack("[{s: o}]", "arguments", all_names(x)));
        return;
    }
    json_t *out = shorten_put(x, x->out, "launches", json_array());
    json_array_foreach(list, index, from)
    {
        json_t *to = json_object();
        shorten_add(x, out, to);
        shorten_copy(x, to, "name", from, "Name");
        shorten_layer(x, to, from, kernel, x->own);
        if (t1_get(from, "Arguments"))
            shorten_copy(x, to, "arguments", from, "Arguments");
        else
            shorten_put(x, to, "arguments", all_names(x));
        shorten_copy(x, to, "when", from, "When");
        shorten_copy(x, to, "repeat", from, "Repeat");
        shorten_copy(x, to, "swap", from, "Swap");
        shorten_languages(x, to, from, kernel, "launches[].languages.*");
        shorten_rest(x, to, "launches[]", from,
                     DONE("Name", "Arguments", "When", "Repeat", "Swap", "Languages", LAYER_KEYS,
                          SIZE_KEYS));
    }
}

static void shorten_reference(struct shortening *x, const json_t *kernel)
{
    static const char *const names[][2] = {{"kind", "Kind"},
                                           {"M", "M"},
                                           {"N", "N"},
                                           {"K", "K"},
                                           {"A", "A"},
                                           {"B", "B"},
                                           {"C", "C"},
                                           {"transpose_a", "TransposeA"},
                                           {"transpose_b", "TransposeB"},
                                           {"alpha", "Alpha"},
                                           {"beta", "Beta"},
                                           {"configuration", "Configuration"},
                                           {"files", "Files"},
                                           {"repeat", "Repeat"},
                                           {"swap", "Swap"}};
    const json_t *from = t1_get(kernel, "Reference");
    if (!from)
        return;
    json_t *to = shorten_put(x, x->out, "reference", json_object());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        shorten_copy(x, to, names[i][0], from, names[i][1]);
        if (str_starts(names[i][0], "transpose"))
            shorten_flag(x, to, names[i][0], from, names[i][1]);
    }
    shorten_layer(x, to, from, NULL, x->own);
    bool is_kernel = str_equal_nocase(t1_text(from, "Kind") ? t1_text(from, "Kind") : "", "kernel");
    if (t1_get(from, "Arguments"))
        shorten_copy(x, to, "arguments", from, "Arguments");
    else if (is_kernel)
        shorten_put(x, to, "arguments", all_names(x));
    shorten_languages(x, to, from, NULL, "reference.languages.*");
    shorten_rest(x, to, "reference", from,
                 DONE("Kind", "M", "N", "K", "A", "B", "C", "TransposeA", "TransposeB", "Alpha",
                      "Beta", "Configuration", "Files", "Repeat", "Swap", "Arguments", "Languages",
                      LAYER_KEYS, SIZE_KEYS));
}

// ---- the space ---------------------------------------------------------------------------------

static json_t *json_of_value(const struct value *v)
{
    switch (v->kind) {
    case VALUE_BOOL:
        return json_boolean(v->i != 0);
    case VALUE_INT:
        return json_integer(v->i);
    case VALUE_FLOAT:
        return json_real(v->f);
    default:
        return json_string(v->kind == VALUE_STRING ? v->s : "");
    }
}

static void shorten_constants(struct shortening *x)
{
    if (x->s->constant_count == 0)
        return;
    json_t *to = shorten_put(x, x->out, "constants", json_object());
    for (uint32_t i = 0; i < x->s->constant_count; i++)
        shorten_put(x, to, x->s->constants[i].name, json_of_value(&x->s->constants[i].value));
}

// "[1, 2, 4]" is a list of JSON, too, and so nearly are "['a', 'b']" and "[True, False]".
static json_t *list_of_text(const char *text)
{
    struct text list = TEXT_INIT;
    bool is_text = false, is_plain = text != NULL;
    for (const char *c = text; is_plain && *c; c++) {
        bool is_word = !is_text && (str_starts(c, "True") || str_starts(c, "False"));
        is_text ^= *c == '\'';
        if (is_word) {
            text_add(&list, *c == 'T' ? "true" : "false");
            c += *c == 'T' ? 3 : 4;
        } else {
            is_plain = is_text ? *c != '"' && *c != '\\' : strchr("' []0123456789,.-", *c) != NULL;
            text_addc(&list, *c == '\'' ? '"' : *c);
        }
    }
    json_t *json = is_plain && !list.failed ? json_loads(text_cstr(&list), 0, NULL) : NULL;
    text_release(&list);
    return json;
}

static void shorten_parameters(struct shortening *x, const json_t *space)
{
    size_t index;
    json_t *from;
    const json_t *list = t1_get(space, "TuningParameters");
    json_t *to = shorten_put(x, x->out, "parameters", json_object()), *defaults = json_object();
    json_array_foreach(list, index, from)
    {
        const char *name = t1_text(from, "Name");
        const json_t *values = t1_get(from, "Values"), *chosen = t1_get(from, "Default");
        json_t *items = list_of_text(json_string_value(values));
        json_t *object = shorten_put(x, to, name ? name : "", json_object());
        shorten_put(x, object, "values", items ? items : json_deep_copy(values));
        shorten_copy(x, object, "type", from, "Type");
        if (json_is_array(chosen))
            chosen = json_array_get(chosen, 0);
        if (chosen && name)
            shorten_put(x, defaults, name, json_deep_copy(chosen));
    }
    if (json_object_size(defaults) > 0)
        shorten_put(x, x->out, "defaults", json_incref(defaults));
    json_decref(defaults);
}

// [{"Name", "Expression", ...}] as an object, if no name comes twice.
static bool shorten_named(struct shortening *x, const json_t *list, const char *key)
{
    size_t index;
    json_t *from;
    if (json_array_size(list) == 0)
        return true;
    json_t *to = json_object();
    json_array_foreach(list, index, from)
    {
        const char *name = t1_text(from, "Name"), *unit = t1_text(from, "Unit");
        const json_t *text = t1_get(from, "Expression");
        if (!name || !text || json_object_get(to, name)) {
            json_decref(to);
            return false;
        }
        json_t *value = json_deep_copy(text);
        if (unit && strcmp(unit, name) != 0)
            value = json_pack("{s: o, s: s}", "value", value, "unit", unit);
        shorten_put(x, to, name, value);
    }
    shorten_put(x, x->out, key, to);
    return true;
}

// ---- settings ----------------------------------------------------------------------------------

// Writes the objective: the key in its own words, else the one that was read from General.
static void shorten_objective(struct shortening *x)
{
    if (t1_get(x->from, "Objective")) {
        shorten_copy(x, x->out, "objective", x->from, "Objective");
        return;
    }
    if (x->s->objective_count == 0)
        return;
    const struct objective *o = &x->s->objectives[0];
    struct text text = TEXT_INIT;
    bool is_time = o->metric == OBJECTIVE_TIME;
    text_addf(&text, "%s%s", is_time ? "" : o->maximise ? "max:" : "min:", o->name);
    shorten_put(x, x->out, "objective", json_string(text_cstr(&text)));
    text_release(&text);
}

static bool shorten_budget(struct shortening *x)
{
    static const char *const names[][2] = {{"configurations", "ConfigurationCount"},
                                           {"seconds", "TuningDuration"},
                                           {"fraction", "ConfigurationFraction"}};
    const json_t *given = t1_get(x->from, "Budget");
    size_t count = json_is_object(given) ? 1 : json_array_size(given);
    if (count == 0)
        return true;
    json_t *to = json_object();
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_object(given) ? given : json_array_get(given, i);
        const char *type = t1_text(item, "Type");
        for (size_t n = 0; type && n < 3; n++) {
            if (str_equal_nocase(type, names[n][1]) && !json_object_get(to, names[n][0]))
                shorten_copy(x, to, names[n][0], item, "BudgetValue");
        }
    }
    if (json_object_size(to) < count) {
        json_decref(to);
        return false;
    }
    json_t *one = json_object_get(to, "configurations");
    if (count == 1 && json_is_integer(one))
        shorten_put(x, x->out, "budget", json_incref(one));
    else
        shorten_put(x, x->out, "budget", json_incref(to));
    json_decref(to);
    return true;
}

// "genetic:population=20": as it was read. Values with a comma have no place there.
static bool shorten_search(struct shortening *x)
{
    struct text text = TEXT_INIT;
    bool ok = true;
    if (!x->s->strategy)
        return true;
    ok = !strpbrk(x->s->strategy, ":,");
    text_add(&text, x->s->strategy);
    for (uint32_t i = 0; i < x->s->strategy_attribute_count; i++) {
        ok = ok && !strchr(x->s->strategy_attributes[i], ',');
        text_addf(&text, "%c%s", i ? ',' : ':', x->s->strategy_attributes[i]);
    }
    if (ok)
        shorten_put(x, x->out, "search", json_string(text_cstr(&text)));
    text_release(&text);
    return ok;
}

// ---- the whole ---------------------------------------------------------------------------------

static void shorten_language(struct shortening *x, const json_t *kernel)
{
    // A language that was not given came from the text, and will again.
    if (t1_get(kernel, "Language") || !x->s->kernel->by_text)
        shorten_put(x, x->out, "language", json_string(language_title(x->own)));
}

bool shorten(struct shortening *x)
{
    const json_t *kernel = t1_get(x->from, "KernelSpecification");
    const json_t *space = t1_get(x->from, "ConfigurationSpace"),
                 *general = t1_get(x->from, "General");
    const json_t *conditions = t1_get(space, "Conditions");
    if (!(x->out = json_object()))
        return false;
    x->plain_sizes = are_sizes_plain(kernel);
    shorten_copy(x, x->out, "$schema", x->from, "$schema");
    shorten_copy(x, x->out, "Comment", x->from, "Comment");
    shorten_put(x, x->out, "name",
                json_string(x->s->name)); // a file of another name has the same results
    json_t *sized = json_object();        // the kernel's layer, of which a part goes to the front
    shorten_layer(x, sized, kernel, kernel, x->own);
    shorten_copy(x, x->out, "kernel", sized, "kernel");
    shorten_copy(x, x->out, "function", sized, "function");
    shorten_language(x, kernel);
    shorten_constants(x);
    shorten_parameters(x, space);
    bool derived = shorten_named(x, t1_get(space, "Derived"), "derived");
    shorten_conditions(x, x->out, conditions ? conditions : t1_get(space, "Constraints"));
    x->failed |= json_object_update_missing(x->out, sized) < 0;
    json_decref(sized);
    shorten_copy(x, x->out, "repeat", kernel, "Repeat");
    shorten_copy(x, x->out, "swap", kernel, "Swap");
    shorten_launches(x, kernel);
    shorten_arguments(x, kernel);
    shorten_reference(x, kernel);
    shorten_languages(x, x->out, kernel, kernel, "languages.*");
    bool metrics = shorten_named(x, t1_get(x->from, "Metrics"), "metrics");
    shorten_objective(x);
    shorten_copy(x, x->out, "iterations", x->from, "Iterations");
    shorten_copy(x, x->out, "start_with", x->from, "StartWith");
    bool budget = shorten_budget(x), search = shorten_search(x);
    const char *done[] = {"Constants",
                          metrics ? "Metrics" : "Objective",
                          "Objective",
                          "Iterations",
                          "StartWith",
                          "General",
                          "ConfigurationSpace",
                          "$schema",
                          "KernelSpecification",
                          search ? "Search" : "Objective",
                          search ? "SearchSettings" : "Objective",
                          budget ? "Budget" : "Objective",
                          NULL};
    shorten_rest(x, x->out, "", x->from, done);
    shorten_rest(
        x, x->out, "", space,
        DONE("TuningParameters", "Conditions", "Constraints", derived ? "Derived" : "Conditions"));
    shorten_rest(x, x->out, "", general, DONE("BenchmarkName", "Objective", "Minimize", "Comment"));
    shorten_rest(x, x->out, "", kernel,
                 DONE("Arguments", "Launches", "Languages", "Reference", "Language", "Repeat",
                      "Swap", "Partial", "Device", "BenchmarkName", "Comment", LAYER_KEYS,
                      SIZE_KEYS));
    // A T1 file of others may leave a part of an output unwritten; one in the short form has to say so.
    if (x->s->partial)
        shorten_put(x, x->out, "partial", json_true());
    return !x->failed;
}
