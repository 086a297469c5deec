// T1 as other tuners' users write it: what stands there in another shape gets the one that T1 gives it, before anything
// is read. A shape that is not understood stays as it is, and the reader says what is wrong with it.
#include "problem/respell.h"

#include "base/text.h"

#include <string.h>

static const char *const axes[] = {"X", "Y", "Z"};

static bool append_part(json_t *list, const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    return from == to || json_array_append_new(list, json_stringn(from, (size_t)(to - from))) == 0;
}

// "(W, H)", "[4096, 4096]": the parts; no list where it is none, or is made by a comprehension. False without memory.
static bool split_list(const char *text, json_t **out)
{
    size_t length = strlen(text);
    const char *from = text + 1;
    int depth = 0;
    bool is_list = length > 1 && strchr("([", text[0]) && strchr(")]", text[length - 1]) &&
                   strchr(text, ',') && !strstr(text, " for ") && !strpbrk(text, "'\"");
    if (!is_list)
        return true;
    json_t *list = json_array();
    bool ok = list != NULL;
    for (const char *c = text; ok && *c; c++) {
        depth += strchr("([", *c) ? 1 : strchr(")]", *c) ? -1 : 0;
        bool ends = depth == 0 || (depth == 1 && *c == ',');
        is_list = is_list && (depth > 0 || !c[1]); // not (a + b) * (c + d, 1)
        ok = !ends || append_part(list, from, c);
        from = ends ? c + 1 : from;
    }
    if (ok && is_list && depth == 0)
        *out = list;
    else
        json_decref(list);
    return ok;
}

// {"X": "W", "Y": "H"} as a list.
static bool list_axes(const json_t *object, json_t **out)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < 3 && json_object_get(object, axes[i]); i++)
        ok = json_array_append(list, json_object_get(object, axes[i])) == 0;
    if (ok && json_array_size(list) == json_object_size(object))
        *out = list;
    else
        json_decref(list);
    return ok;
}

// ["W", "H"], or a size alone, as {"X": "W", "Y": "H"}.
static bool name_axes(json_t *value, json_t **out)
{
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    if (count < 1 || count > 3)
        return true;
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = json_object_set(object, axes[i],
                             json_is_array(value) ? json_array_get(value, i) : value) == 0;
    if (ok)
        *out = object;
    else
        json_decref(object);
    return ok;
}

static bool split_words(const char *text, json_t **out)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    while (ok && *(text += strspn(text, " \t\n"))) {
        size_t length = strcspn(text, " \t\n");
        ok = json_array_append_new(list, json_stringn(text, length)) == 0;
        text += length;
    }
    if (ok)
        *out = list;
    else
        json_decref(list);
    return ok;
}

static bool respell_size(json_t *kernel, const char *key)
{
    json_t *value = json_object_get(kernel, key), *object = NULL;
    bool is_other = json_is_array(value) || json_is_string(value) || json_is_number(value);
    return !is_other || (name_axes(value, &object) &&
                         (!object || json_object_set_new(kernel, key, object) == 0));
}

static bool respell_problem(json_t *kernel)
{
    const json_t *value = json_object_get(kernel, "ProblemSize");
    json_t *list = NULL;
    bool ok = json_is_object(value)   ? list_axes(value, &list)
              : json_is_string(value) ? split_list(json_string_value(value), &list)
                                      : true;
    return ok && (!list || json_object_set_new(kernel, "ProblemSize", list) == 0);
}

static bool respell_files(json_t *kernel)
{
    json_t *files = json_object_get(kernel, "KernelFile");
    size_t count = json_is_array(files) ? json_array_size(files) : 0;
    if (count == 0 || json_object_get(kernel, "Sources"))
        return true;
    if (count == 1)
        return json_object_set(kernel, "KernelFile", json_array_get(files, 0)) == 0;
    return json_object_set(kernel, "Sources", files) == 0 &&
           json_object_del(kernel, "KernelFile") == 0;
}

bool respell_t1(json_t *root)
{
    json_t *kernel = json_object_get(root, "KernelSpecification");
    const char *options = json_string_value(json_object_get(kernel, "CompilerOptions"));
    json_t *words = NULL;
    if (!json_is_object(kernel))
        return true;
    if (options && (!split_words(options, &words) ||
                    json_object_set_new(kernel, "CompilerOptions", words) != 0))
        return false;
    return respell_problem(kernel) && respell_size(kernel, "GlobalSize") &&
           respell_size(kernel, "LocalSize") && respell_files(kernel);
}
