// The reference of the outputs in the short form: a word, or an object whose keys show its kind.
#include "problem/expand.h"

#include "base/text.h"

#include <string.h>

static const char *kind_by_keys(const struct expansion *x, struct node n)
{
    static const char *const telling[][2] = {
        {"M", "gemm"},          {"kernel", "kernel"}, {"source", "kernel"},
        {"function", "kernel"}, {"files", "file"},    {"configuration", "configuration"}};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
        if (node_present(node_get(x->r, n, telling[i][0])))
            return telling[i][1];
    }
    return NULL;
}

static const char *find_kind(const struct expansion *x, struct node n)
{
    struct node kind = node_get(x->r, n, "kind");
    return node_text(kind) ? node_text(kind) : kind_by_keys(x, n);
}

// Does a list of names, or of pairs of them, have it?
static bool has_name(const json_t *list, const char *name)
{
    size_t index;
    json_t *item;
    json_array_foreach(list, index, item)
    {
        if (json_is_array(item) ? has_name(item, name) : str_equal(json_string_value(item), name))
            return true;
    }
    return false;
}

bool expand_is_swapped(const struct expansion *x, const char *name)
{
    struct node launches = node_get(x->r, x->root, "launches");
    bool found = has_name(node_get(x->r, x->root, "swap").json, name) ||
                 has_name(node_get(x->r, node_get(x->r, x->root, "reference"), "swap").json, name);
    for (size_t i = 0; !found && i < node_count(launches); i++)
        found = has_name(node_get(x->r, node_item(x->r, launches, i), "swap").json, name);
    return found;
}

bool expand_is_output(struct expansion *x, const char *name)
{
    struct node reference = node_get(x->r, x->root, "reference");
    struct node arguments = node_get(x->r, x->root, "arguments");
    const char *kind = find_kind(x, reference), *other;
    json_t *value;
    bool any = false;
    if (str_equal_nocase(kind ? kind : "", "gemm")) {
        struct node c = node_get(x->r, reference, "C");
        return strcmp(node_text(c) ? node_text(c) : "C", name) == 0;
    }
    if (node_present(node_get(x->r, reference, "files")))
        return json_object_get(node_get(x->r, reference, "files").json, name) != NULL;
    json_object_foreach((json_t *)arguments.json, other, value)
    {
        bool is_named = json_is_true(json_object_get(value, "output")) ||
                        json_object_get(value, "expect") || json_object_get(value, "Expect") ||
                        json_object_get(value, "verify") || json_object_get(value, "Verification");
        any |= is_named;
        if (is_named && strcmp(other, name) == 0)
            return true;
    }
    return !any;
}

// {"a": 1, "b": "x"} -> "a=1, b='x'"
static void put_configuration(struct expansion *x, json_t *to, struct node n)
{
    struct text text = TEXT_INIT;
    if (!json_is_object(n.json)) {
        expand_copy(x, to, "Configuration", n);
        return;
    }
    text_add(&text, "");
    for (struct members m = node_members(x->r, n); members_next(&m);) {
        struct value v = node_value(m.node);
        text_addf(&text, "%s%s=", text.length ? ", " : "", m.name);
        value_print(&v, &text);
    }
    x->failed |= text.failed;
    expand_put(x, to, "Configuration", json_string(text_cstr(&text)), n.path);
    text_release(&text);
}

// The kernel that is the results' reference: its name and arguments may be left to its text.
static bool expand_reference_kernel(struct expansion *x, struct node n, json_t *to)
{
    const struct launch_facts *facts = x->facts ? x->facts->reference : NULL;
    struct node names = node_get(x->r, n, "arguments"), function = node_get(x->r, n, "function");
    bool has_name =
        json_object_get(to, "KernelName") || json_object_get(to, "KernelNameExpression");
    if (!has_name && !facts)
        expand_put(x, to, "KernelName", json_string(KERNEL_NAME_OPEN), function.path);
    else if (!has_name && facts->only)
        expand_put(x, to, "KernelName", json_string(facts->only), function.path);
    else if (!has_name)
        return node_error(x->r, function, "is missing: %s has %s%s; say its name", facts->file,
                          facts->kernels[0] ? "several kernels, " : "no kernel that hone finds",
                          facts->kernels);
    if (node_present(names))
        expand_copy(x, to, "Arguments", names);
    else if (facts && facts->signature.known)
        return expand_argument_names(x, facts, to, names.path);
    return true;
}

static bool expand_reference_object(struct expansion *x, struct node n, json_t *to)
{
    static const char *const names[][2] = {{"M", "M"},
                                           {"N", "N"},
                                           {"K", "K"},
                                           {"A", "A"},
                                           {"B", "B"},
                                           {"C", "C"},
                                           {"alpha", "Alpha"},
                                           {"beta", "Beta"},
                                           {"gamma", "Gamma"},
                                           {"bias", "Bias"},
                                           {"activation", "Activation"},
                                           {"batch", "Batch"},
                                           {"transpose_a", "TransposeA"},
                                           {"transpose_b", "TransposeB"}};
    struct node kind = node_get(x->r, n, "kind"), files = node_get(x->r, n, "files");
    const char *text = find_kind(x, n);
    if (text)
        expand_put(x, to, "Kind", json_string(text), kind.path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expand_copy(x, to, names[i][1], node_get(x->r, n, names[i][0]));
    put_configuration(x, to, node_get(x->r, n, "configuration"));
    if (node_present(files)) {
        json_t *list = expand_put(x, to, "Files", json_object(), files.path);
        for (struct members m = node_members(x->r, files); members_next(&m);) {
            expand_copy(x, list, m.name, m.node);
        }
    }
    expand_repeat(x, n, to);
    if (!expand_layer(x, n, to, true))
        return false;
    struct node languages = node_get(x->r, n, "languages");
    for (struct members m = node_members(x->r, languages); members_next(&m);) {
        enum language l;
        json_t *object = expand_language_object(
            x, to, language_parse(m.name, &l) ? language_title(l) : m.name, m.node.path);
        if (!expand_layer(x, m.node, object, false) ||
            !expand_t1_keys(x, m.node, "reference.languages.*", object))
            return false;
    }
    if (str_equal_nocase(text ? text : "", "kernel") && !expand_reference_kernel(x, n, to))
        return false;
    return expand_t1_keys(x, n, "reference", to);
}

bool expand_reference(struct expansion *x)
{
    struct node n = node_get(x->r, x->root, "reference");
    const char *text = node_text(n);
    if (!node_present(n) || str_equal(text, "default"))
        return true;
    if (text && strcmp(text, "none") != 0)
        return node_error(x->r, n, "'%s' is not known here; use none, default or an object", text);
    json_t *to = expand_put(x, x->kernel, "Reference", json_object(), n.path);
    if (!text)
        return expand_reference_object(x, n, to);
    expand_put(x, to, "Kind", json_string("none"), n.path);
    return true;
}
