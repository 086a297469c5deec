// The short form becomes T1, part by part. Every value of the T1 form notes the path of what it was made of, so that
// whoever reads it tells mistakes as the writer knows the text. Keys of T1 may stand in the short form, too: they are
// taken over as they are.
#include "problem/expand.h"

#include "problem/commands.h"
#include "problem/read_kernels.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- building ----------------------------------------------------------------------------------

json_t *expand_put(struct expansion *x, json_t *object, const char *key, json_t *value,
                   const char *path)
{
    x->failed |= !value || json_object_set_new(object, key, value) < 0 ||
                 !origin_note(x->origins, object, key, 0, path);
    return json_object_get(object, key);
}

json_t *expand_add(struct expansion *x, json_t *list, json_t *value, const char *path)
{
    size_t index = json_array_size(list);
    x->failed |= !value || json_array_append_new(list, value) < 0 ||
                 !origin_note(x->origins, list, NULL, index, path);
    return json_array_get(list, index);
}

void expand_copy(struct expansion *x, json_t *object, const char *key, struct node n)
{
    if (node_present(n))
        expand_put(x, object, key, json_deep_copy(n.json), n.path);
}

bool expand_on(const struct expansion *x, bool ok, const char *path)
{
    return ok || (read_on(x->r, false) && read_hide(x->r, path));
}

// An object or list of T1 stands in the text as it is, and what is in it.
static void note_verbatim(struct expansion *x, const json_t *json)
{
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_object(json)) {
        x->failed |= !origin_note_verbatim(x->origins, json);
        json_object_foreach((json_t *)json, key, value)
        {
            note_verbatim(x, value);
        }
    }
    json_array_foreach(json, index, value)
    {
        note_verbatim(x, value);
    }
}

static json_t *place_in(struct expansion *x, const char *place, json_t *to)
{
    if (to)
        return to;
    return strcmp(place, "General") == 0               ? x->general
           : strcmp(place, "ConfigurationSpace") == 0  ? x->space
           : strcmp(place, "KernelSpecification") == 0 ? x->kernel
                                                       : x->t1;
}

bool expand_t1_keys(struct expansion *x, struct node from, const char *pattern, json_t *to)
{
    const char *place;
    for (struct members m = node_members(x->r, from); members_next(&m);) {
        if (strcmp(m.name, "Comment") == 0)
            expand_copy(x, to ? to : x->t1, m.name, m.node);
        if (key_find(&short_keys, pattern, m.name) || !short_t1_key(pattern, m.name, &place) ||
            !node_present(m.node))
            continue;
        json_t *object = place_in(x, place, to);
        if (!json_object_get(object, m.name)) {
            expand_copy(x, object, m.name, m.node);
            note_verbatim(x, json_object_get(object, m.name));
        } else if (!read_on(x->r, node_error(x->r, m.node,
                                             "'%s' beside it says the same: leave one of them out",
                                             short_key_name(m.name))))
            return false;
    }
    return true;
}

// ---- the kernel's files ------------------------------------------------------------------------

// By language, those of the spec's own first.
struct kernel_files {
    json_t *own, *other[LANGUAGE_COUNT];
    const char *own_path, *other_path[LANGUAGE_COUNT];
};

static void add_kernel_file(struct expansion *x, struct kernel_files *files, struct node file,
                            bool known, enum language l)
{
    bool is_own = !known || (x->has_language && l == x->language);
    if (!node_text(file))
        return; // told as one of the wrong type
    json_t **list = is_own ? &files->own : &files->other[l];
    const char **path = is_own ? &files->own_path : &files->other_path[l];
    if (!*list) {
        *list = json_array();
        *path = file.path;
    }
    if (*list)
        expand_add(x, *list, json_deep_copy(file.json), file.path);
    x->failed |= !*list;
}

static bool collect_kernel_files(struct expansion *x, struct node n, struct kernel_files *files)
{
    enum language l = LANGUAGE_FIRST;
    for (size_t i = 0; !json_is_object(n.json) && i < node_count(n); i++) {
        struct node file = node_item(x->r, n, i);
        bool known = language_of_file(node_text(file), &l);
        add_kernel_file(x, files, file, known, l);
    }
    for (struct members m = node_members(x->r, n); members_next(&m);) {
        bool known = language_parse(m.name, &l);
        for (size_t i = 0; known && i < node_count(m.node); i++)
            add_kernel_file(x, files, node_item(x->r, m.node, i), true, l);
        if (!known &&
            !expand_on(x,
                       node_error(x->r, m.node,
                                  "'%s' is not a language hone runs; use " LANGUAGES_TITLES,
                                  m.name),
                       n.path))
            return false;
    }
    return true;
}

// One file is KernelFile, several are Sources.
static void put_kernel_files(struct expansion *x, json_t *list, const char *path, json_t *to)
{
    if (!list)
        return;
    if (json_array_size(list) == 1)
        expand_put(x, to, "KernelFile", json_incref(json_array_get(list, 0)), path);
    else
        expand_put(x, to, "Sources", json_incref(list), path);
    json_decref(list);
}

json_t *expand_language_object(struct expansion *x, json_t *to, const char *title, const char *path)
{
    json_t *languages = json_object_get(to, "Languages");
    if (!languages)
        languages = expand_put(x, to, "Languages", json_object(), "languages");
    json_t *object = json_object_get(languages, title);
    return object ? object : expand_put(x, languages, title, json_object(), path);
}

static bool expand_kernel_files(struct expansion *x, struct node n, json_t *to, bool has_languages)
{
    struct kernel_files files = {.own = NULL};
    bool ok = collect_kernel_files(x, n, &files);
    put_kernel_files(x, files.own, files.own_path, to);
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (!files.other[l])
            continue;
        json_t *object = has_languages
                             ? expand_language_object(x, to, language_title((enum language)l),
                                                      files.other_path[l])
                             : to;
        put_kernel_files(x, files.other[l], files.other_path[l], object);
    }
    return ok;
}

// A command stands in T1 as the source of its language.
static bool expand_command(struct expansion *x, struct node n, json_t *to)
{
    char *text = json_dumps(n.json, JSON_COMPACT);
    expand_put(x, to, "KernelSource", json_string(text ? text : ""), n.path);
    expand_put(x, to, "KernelName", json_string("run"), n.path);
    x->failed |= !text;
    free(text);
    return true;
}

// The spec's own language, where something but the text says it: that of its first file.
static void find_own_language(struct expansion *x)
{
    struct node n = node_get(x->r, x->root, "language");
    struct node kernel = node_get(x->r, x->root, "kernel");
    struct node launches = node_get(x->r, x->root, "launches");
    if (x->facts) {
        x->has_language = true;
        x->language = x->facts->language;
        return;
    }
    if (node_text(n)) {
        x->has_language = language_parse(node_text(n), &x->language);
        return;
    }
    if (!node_present(kernel) && node_count(launches) > 0)
        kernel = node_get(x->r, node_item(x->r, launches, 0), "kernel");
    if (is_command_object(kernel.json)) {
        x->has_language = true;
        x->language = language_of_commands();
        return;
    }
    if (json_object_get(kernel.json, "exec"))
        return; // its text says it
    for (struct members m = node_members(x->r, kernel); members_next(&m);) {
        x->has_language = language_parse(m.name, &x->language);
        return;
    }
    if (node_count(kernel) > 0)
        x->has_language = language_of_file(node_text(node_item(x->r, kernel, 0)), &x->language);
}

// ---- a launch's keys ---------------------------------------------------------------------------

// "saxpy", "ns::saxpy": what is no such name is an expression.
static bool is_function_name(const char *text)
{
    bool ok = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (const char *c = text; *c; c++)
        ok = ok && (isalnum((unsigned char)*c) || *c == '_' || *c == ':');
    return ok;
}

static void expand_function(struct expansion *x, struct node n, json_t *to)
{
    if (!node_text(n))
        return;
    bool is_name = is_function_name(node_text(n));
    expand_copy(x, to, is_name ? "KernelName" : "KernelNameExpression", n);
}

// A text is split at its blanks.
static void expand_words(struct expansion *x, struct node n, json_t *to, const char *key)
{
    if (!node_present(n))
        return;
    json_t *list = expand_put(x, to, key, json_array(), n.path);
    for (size_t i = 0; i < node_count(n); i++) {
        struct node item = node_item(x->r, n, i);
        const char *text = node_text(item);
        bool is_list = json_is_array(n.json);
        while (text && *text) {
            text += is_list ? 0 : strspn(text, " \t\n");
            size_t length = is_list ? strlen(text) : strcspn(text, " \t\n");
            if (length > 0)
                expand_add(x, list, json_stringn(text, length), item.path);
            text += length;
        }
    }
}

static bool expand_axes(struct expansion *x, struct node n, json_t *to, const char *key)
{
    static const char *const axes[] = {"X", "Y", "Z"};
    if (!node_present(n))
        return true;
    size_t count = node_count(n);
    if (count < 1 || count > 3)
        return node_error(x->r, n, "must have one to three axes");
    json_t *object = expand_put(x, to, key, json_object(), n.path);
    for (size_t i = 0; i < count; i++)
        expand_copy(x, object, axes[i], node_item(x->r, n, i));
    return true;
}

// In the short form `global` counts work-items in every language.
static bool expand_sizes(struct expansion *x, struct node from, json_t *to)
{
    struct node global = node_get(x->r, from, "global"), groups = node_get(x->r, from, "groups");
    struct node problem = node_get(x->r, from, "problem"),
                per_group = node_get(x->r, from, "per_group");
    static const char *const divisors[] = {"GridDivX", "GridDivY", "GridDivZ"};
    bool has_groups = node_present(groups);
    if (has_groups && node_present(global))
        return node_error(x->r, groups,
                          "the launch's size is given by 'global' already: leave one of them out");
    if (!expand_axes(x, has_groups ? groups : global, to, "GlobalSize") ||
        !expand_axes(x, node_get(x->r, from, "local"), to, "LocalSize"))
        return false;
    if (has_groups || node_present(global))
        expand_put(x, to, "GlobalSizeType", json_string(has_groups ? "CUDA" : "OpenCL"),
                   has_groups ? groups.path : global.path);
    if ((has_groups || node_present(global)) && node_present(problem))
        expand_put(x, to, "GlobalSizeFrom", json_string("GlobalSize"), problem.path);
    if (node_count(problem) > 3)
        return node_error(x->r, problem, "must have one to three axes");
    expand_copy(x, to, "ProblemSize", problem);
    if (node_count(per_group) > 3)
        return node_error(x->r, per_group, "must have one to three axes");
    for (size_t i = 0; i < 3 && i < node_count(per_group); i++)
        expand_copy(x, to, divisors[i], node_item(x->r, per_group, i));
    return true;
}

static bool expand_retarget(struct expansion *x, struct node n, json_t *to)
{
    if (!node_present(n))
        return true;
    json_t *object = expand_put(x, to, "Retarget", json_object(), n.path);
    if (node_text(n)) {
        expand_copy(x, object, "Target", n);
        return true;
    }
    expand_copy(x, object, "Target", node_get(x->r, n, "target"));
    expand_copy(x, object, "When", node_get(x->r, n, "when"));
    return expand_t1_keys(x, n, "retarget", object);
}

bool expand_layer(struct expansion *x, struct node from, json_t *to, bool has_languages)
{
    const struct reader *r = x->r;
    struct node kernel = node_get(r, from, "kernel");
    struct node generator =
        json_is_object(kernel.json) ? node_get(r, kernel, "exec") : (struct node){NULL, ""};
    if (r->refuses_commands && (node_present(generator) || is_command_object(kernel.json)))
        return node_error(
            r, kernel,
            "it names a command, and HONE_COMMANDS=refuse is set: commands of a spec are not run");
    if (node_present(generator))
        expand_words(x, generator, to, "KernelCommand");
    else if (is_command_object(kernel.json) ? !expand_command(x, kernel, to)
                                            : !expand_kernel_files(x, kernel, to, has_languages))
        return false;
    expand_copy(x, to, "KernelSource", node_get(r, from, "source"));
    expand_function(x, node_get(r, from, "function"), to);
    expand_words(x, node_get(r, from, "options"), to, "CompilerOptions");
    struct node include = node_get(r, from, "include");
    if (node_text(include))
        expand_add(x, expand_put(x, to, "IncludeFolders", json_array(), include.path),
                   json_deep_copy(include.json), include.path);
    else
        expand_copy(x, to, "IncludeFolders", include);
    expand_copy(x, to, "SharedMemory", node_get(r, from, "shared"));
    return expand_retarget(x, node_get(r, from, "retarget"), to) &&
           (expand_sizes(x, from, to) || (expand_on(x, false, node_get(r, from, "global").path) &&
                                          read_hide(r, node_get(r, from, "problem").path)));
}

static bool expand_restrictions(struct expansion *x, struct node n, json_t *to)
{
    if (!node_present(n))
        return true;
    json_t *list = expand_put(x, to, "Conditions", json_array(), n.path);
    for (size_t i = 0; i < node_count(n); i++) {
        struct node item = node_item(x->r, n, i);
        expand_copy(x, expand_add(x, list, json_object(), item.path), "Expression", item);
    }
    return true;
}

// Each language's object beside what the files' names have made of it.
static bool expand_languages(struct expansion *x, struct node n, const char *pattern, json_t *to)
{
    bool ok = true;
    for (struct members m = node_members(x->r, n); members_next(&m);) {
        enum language l;
        bool known = language_parse(m.name, &l);
        json_t *object =
            expand_language_object(x, to, known ? language_title(l) : m.name, m.node.path);
        expand_copy(x, object, "When", node_get(x->r, m.node, "when"));
        ok = ok && expand_restrictions(x, node_get(x->r, m.node, "restrictions"), object) &&
             expand_layer(x, m.node, object, false) && expand_t1_keys(x, m.node, pattern, object);
    }
    return ok;
}

// ---- launches ----------------------------------------------------------------------------------

// The kernel's name, where the spec leaves it to the text.
static bool expand_open_name(struct expansion *x, const struct launch_facts *facts,
                             struct node from, json_t *to)
{
    const json_t *const named[] = {to, x->kernel, from.json, x->root.json};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (json_object_get(named[i], "KernelName") ||
            json_object_get(named[i], "KernelNameExpression"))
            return true;
    }
    struct node n = node_get(x->r, from, "function");
    if (!x->facts) {
        expand_put(x, to, "KernelName", json_string(KERNEL_NAME_OPEN), n.path);
        return true;
    }
    if (facts->only) {
        expand_put(x, to, "KernelName", json_string(facts->only), n.path);
        return true;
    }
    x->is_kernel_open |= facts->kernels[0] != '\0';
    if (facts->kernels[0])
        return node_error(x->r, n, "is missing: %s has several kernels, %s; say which", facts->file,
                          facts->kernels);
    return node_error(x->r, n,
                      "is missing: no kernel is found in %s (templates do not count); say its name",
                      facts->file);
}

void expand_repeat(struct expansion *x, struct node from, json_t *to)
{
    expand_copy(x, to, "Repeat", node_get(x->r, from, "repeat"));
    expand_copy(x, to, "Swap", node_get(x->r, from, "swap"));
}

static bool expand_launch(struct expansion *x, struct node from, size_t index, json_t *to)
{
    const struct launch_facts *facts = x->facts ? &x->facts->launches[index] : NULL;
    struct node names = node_get(x->r, from, "arguments");
    expand_copy(x, to, "Name", node_get(x->r, from, "name"));
    expand_copy(x, to, "When", node_get(x->r, from, "when"));
    expand_repeat(x, from, to);
    if (!expand_layer(x, from, to, true) ||
        !expand_on(x, expand_open_name(x, facts, from, to), from.path) ||
        !expand_languages(x, node_get(x->r, from, "languages"), "launches[].languages.*", to))
        return false;
    if (node_present(names))
        expand_copy(x, to, "Arguments", names);
    else if (facts && facts->signature.known && !expand_argument_names(x, facts, to, names.path))
        return false;
    return expand_t1_keys(x, from, "launches[]", to);
}

static bool expand_launches(struct expansion *x)
{
    struct node n = node_get(x->r, x->root, "launches");
    if (node_count(n) == 0) {
        const struct launch_facts *facts = x->facts ? &x->facts->launches[0] : NULL;
        return expand_on(x, expand_open_name(x, facts, x->root, x->kernel), "function");
    }
    json_t *list = expand_put(x, x->kernel, "Launches", json_array(), n.path);
    for (size_t i = 0; i < node_count(n); i++) {
        struct node item = node_item(x->r, n, i);
        if (!expand_launch(x, item, i, expand_add(x, list, json_object(), item.path)))
            return false;
    }
    return true;
}

// ---- the space ---------------------------------------------------------------------------------

static bool expand_defaults(struct expansion *x, struct node parameters)
{
    struct node n = node_get(x->r, x->root, "defaults");
    const char *name;
    json_t *value;
    (void)value;
    json_object_foreach((json_t *)n.json, name, value)
    {
        const char *other, *names[64];
        size_t count = 0;
        if (json_object_get(parameters.json, name))
            continue;
        json_object_foreach((json_t *)parameters.json, other, value)
        {
            if (count < sizeof names / sizeof *names)
                names[count++] = other;
        }
        const char *near = str_nearest(name, names, count);
        if (!read_on(x->r,
                     node_error(x->r, node_get(x->r, n, name), "there is no parameter '%s'%s%s%s",
                                name, near ? "; did you mean '" : "", near ? near : "",
                                near ? "'?" : "")))
            return false;
    }
    return true;
}

static bool expand_parameters(struct expansion *x)
{
    struct node n = node_get(x->r, x->root, "parameters");
    struct node defaults = node_get(x->r, x->root, "defaults");
    json_t *list = expand_put(x, x->space, "TuningParameters", json_array(), n.path);
    for (struct members m = node_members(x->r, n); members_next(&m);) {
        json_t *to = expand_add(x, list, json_object(), m.node.path);
        expand_put(x, to, "Name", json_string(m.name), m.node.path);
        if (json_is_object(m.node.json)) {
            expand_copy(x, to, "Values", node_get(x->r, m.node, "values"));
            expand_copy(x, to, "Type", node_get(x->r, m.node, "type"));
            if (!expand_t1_keys(x, m.node, "parameters.*", to))
                return false;
        } else {
            expand_copy(x, to, "Values", m.node);
        }
        expand_copy(x, to, "Default", node_get(x->r, defaults, m.name));
    }
    return expand_defaults(x, n);
}

// {"NAME": EXPRESSION} becomes a list of objects.
static bool expand_named(struct expansion *x, struct node n, json_t *to, const char *key)
{
    if (!node_present(n))
        return true;
    json_t *list = expand_put(x, to, key, json_array(), n.path);
    for (struct members m = node_members(x->r, n); members_next(&m);) {
        json_t *object = expand_add(x, list, json_object(), m.node.path);
        expand_put(x, object, "Name", json_string(m.name), m.node.path);
        if (json_is_object(m.node.json)) {
            expand_copy(x, object, "Expression", node_get(x->r, m.node, "value"));
            expand_copy(x, object, "Unit", node_get(x->r, m.node, "unit"));
        } else {
            expand_copy(x, object, "Expression", m.node);
        }
    }
    return true;
}

static bool expand_space(struct expansion *x)
{
    struct node constants = node_get(x->r, x->root, "constants");
    if (node_present(constants)) {
        json_t *to = expand_put(x, x->t1, "Constants", json_object(), constants.path);
        for (struct members m = node_members(x->r, constants); members_next(&m);) {
            expand_copy(x, to, m.name, m.node);
        }
    }
    return expand_parameters(x) &&
           expand_named(x, node_get(x->r, x->root, "derived"), x->space, "Derived") &&
           expand_restrictions(x, node_get(x->r, x->root, "restrictions"), x->space);
}

// ---- settings ----------------------------------------------------------------------------------

static void add_limit(struct expansion *x, json_t *list, const char *type, json_t *value,
                      const char *path)
{
    json_t *to = expand_add(x, list, json_object(), path);
    expand_put(x, to, "Type", json_string(type), path);
    expand_put(x, to, "BudgetValue", value, path);
}

static bool expand_budget(struct expansion *x)
{
    static const char *const names[][2] = {{"configurations", "ConfigurationCount"},
                                           {"seconds", "TuningDuration"},
                                           {"fraction", "ConfigurationFraction"}};
    struct node n = node_get(x->r, x->root, "budget");
    uint64_t time = 0;
    if (!node_present(n))
        return true;
    json_t *list = expand_put(x, x->t1, "Budget", json_array(), n.path);
    if (node_text(n) && !str_to_duration_ns(node_text(n), &time))
        return node_error(
            x->r, n,
            "'%s' is not a time, such as 60s or 5min; a number of configurations is a number",
            node_text(n));
    if (node_text(n))
        add_limit(x, list, "TuningDuration", json_real((double)time / 1e9), n.path);
    else if (json_is_integer(n.json))
        add_limit(x, list, "ConfigurationCount", json_deep_copy(n.json), n.path);
    for (size_t i = 0; i < 3; i++) {
        struct node limit = node_get(x->r, n, names[i][0]);
        if (node_present(limit))
            add_limit(x, list, names[i][1], json_deep_copy(limit.json), limit.path);
    }
    return true;
}

// "genetic:population=20,method=uniform"
static void expand_search(struct expansion *x)
{
    struct node n = node_get(x->r, x->root, "search");
    const char *text = node_text(n);
    if (!text)
        return;
    json_t *to = expand_put(x, x->t1, "Search", json_object(), n.path);
    size_t length = strcspn(text, ":");
    expand_put(x, to, "Name", json_stringn(text, length), n.path);
    json_t *list = text[length] ? expand_put(x, to, "Attributes", json_array(), n.path) : NULL;
    for (text += length; list && *text; text += length) {
        text++;
        length = strcspn(text, ",");
        size_t name = strcspn(text, "=,");
        json_t *item = expand_add(x, list, json_object(), n.path);
        const char *value = name < length ? text + name + 1 : "";
        expand_put(x, item, "Name", json_stringn(text, name), n.path);
        expand_put(x, item, "Value", json_stringn(value, name < length ? length - name - 1 : 0),
                   n.path);
    }
}

static bool expand_settings(struct expansion *x)
{
    const struct reader *r = x->r;
    expand_copy(x, x->general, "BenchmarkName", node_get(r, x->root, "name"));
    expand_copy(x, x->t1, "Objective", node_get(r, x->root, "objective"));
    expand_copy(x, x->t1, "Iterations", node_get(r, x->root, "iterations"));
    expand_copy(x, x->t1, "StartWith", node_get(r, x->root, "start_with"));
    expand_search(x);
    return expand_named(x, node_get(r, x->root, "metrics"), x->t1, "Metrics") &&
           expand_on(x, expand_budget(x), "budget");
}

// ---- the whole ---------------------------------------------------------------------------------

static const char *member_among(const json_t *root, const char *const *names)
{
    while (*names && !json_object_get(root, *names))
        names++;
    return *names;
}

static const char *const t1_parts[] = {"General", "ConfigurationSpace", "KernelSpecification",
                                       NULL};
static const char *const short_words[] = {"kernel",    "source",   "parameters",
                                          "arguments", "launches", NULL};

bool short_form_is(const json_t *root)
{
    return !member_among(root, t1_parts) && member_among(root, short_words);
}

bool short_form_check(const struct reader *r, struct node root)
{
    const char *part = member_among(root.json, t1_parts);
    const char *word = member_among(root.json, short_words);
    return !part || !word ||
           node_error(r, node_get(r, root, part),
                      "is a part of the T1 form, and '%s' beside it a key of the short form: a "
                      "spec is in one of them; `hone help spec` has the keys of both",
                      word);
}

static bool expand_document(struct expansion *x)
{
    find_own_language(x);
    x->general = expand_put(x, x->t1, "General", json_object(), "");
    x->space = expand_put(x, x->t1, "ConfigurationSpace", json_object(), "");
    x->kernel = expand_put(x, x->t1, "KernelSpecification", json_object(), "");
    if (x->failed)
        return error_memory(x->r->error);
    if (!expand_settings(x) || !expand_space(x))
        return false;
    struct node language = node_get(x->r, x->root, "language");
    if (node_present(language))
        expand_copy(x, x->kernel, "Language", language);
    else if (x->has_language)
        expand_put(x, x->kernel, "Language", json_string(language_title(x->language)), "kernel");
    expand_repeat(x, x->root, x->kernel);
    expand_copy(x, x->kernel, "Partial", node_get(x->r, x->root, "partial"));
    bool ok = expand_layer(x, x->root, x->kernel, true) && expand_launches(x) &&
              expand_languages(x, node_get(x->r, x->root, "languages"), "languages.*", x->kernel) &&
              expand_arguments(x) && expand_on(x, expand_reference(x), "reference") &&
              expand_t1_keys(x, x->root, "", NULL);
    return ok && (!x->failed || error_memory(x->r->error));
}

bool short_form_expand(const struct reader *r, struct node root, const struct kernel_facts *facts,
                       struct origins **origins, json_t **out)
{
    struct expansion x = {.r = r, .root = root, .facts = facts};
    x.origins = *origins = origins_new(r->arena);
    x.t1 = *out = json_object();
    json_t *copy = NULL;
    if (!x.origins || !x.t1)
        return error_memory(r->error);
    const bool ok = expand_lengths(&x, &copy) && expand_document(&x);
    json_decref(copy);
    return ok;
}
