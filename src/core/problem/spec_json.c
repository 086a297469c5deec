// Nodes of the spec's JSON with their paths, and readers for the common kinds: text, choice,
// formula. An error names the file, the path and, inside an expression, the column.
#include "problem/spec_json.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool read_on(const struct reader *r, bool ok)
{
    return faults_keep(r->faults, r->arena, ok, r->error);
}

bool read_hide(const struct reader *r, const char *path)
{
    return faults_hide(r->faults, r->arena, path, r->error);
}

struct node node_root(const json_t *json)
{
    return (struct node){json, ""};
}

static struct node shown_node(const struct reader *r, const json_t *json, const char *path)
{
    return (struct node){faults_is_hidden(r->faults, path) ? NULL : json, path};
}

struct node node_get(const struct reader *r, struct node object, const char *key)
{
    const char *own = r->origins ? origin_find(r->origins, object.json, key, 0) : NULL;
    if (own)
        return shown_node(r, json_object_get(object.json, key), own);
    const json_t *json = json_object_get(object.json, key);
    if (r->origins && !origin_is_verbatim(r->origins, object.json))
        key = short_key_name(key);
    const char *path = object.path[0] ? arena_printf(r->arena, "%s.%s", object.path, key)
                                      : arena_strdup(r->arena, key);
    return shown_node(r, json, path ? path : key);
}

struct members node_members(const struct reader *r, struct node object)
{
    return (struct members){.reader = r, .object = object};
}

bool members_next(struct members *m)
{
    json_t *object = (json_t *)m->object.json;
    m->at = m->at ? json_object_iter_next(object, m->at) : json_object_iter(object);
    if (!m->at)
        return false;
    m->name = json_object_iter_key(m->at);
    m->node = node_get(m->reader, m->object, m->name);
    return true;
}

struct node node_get_either(const struct reader *r, struct node object, const char *key,
                            const char *other)
{
    struct node first = node_get(r, object, key);
    struct node second = node_get(r, object, other);
    return first.json || !second.json ? first : second;
}

struct node node_item(const struct reader *r, struct node array, size_t index)
{
    if (!json_is_array(array.json))
        return array;
    const char *path = r->origins ? origin_find(r->origins, array.json, NULL, index) : NULL;
    path = path ? path : arena_printf(r->arena, "%s[%zu]", array.path, index);
    return shown_node(r, json_array_get(array.json, index), path ? path : array.path);
}

size_t node_count(struct node array)
{
    if (!node_present(array))
        return 0;
    return json_is_array(array.json) ? json_array_size(array.json) : 1;
}

bool node_present(struct node n)
{
    return n.json && !json_is_null(n.json);
}

const char *node_text(struct node n)
{
    return json_string_value(n.json);
}

bool node_flag(struct node n, bool fallback)
{
    if (json_is_boolean(n.json))
        return json_is_true(n.json);
    return json_is_integer(n.json) ? json_integer_value(n.json) != 0 : fallback;
}

#undef node_error // the analyser's
bool node_error(const struct reader *r, struct node n, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    str_vformat(message, sizeof message, format, args);
    va_end(args);
    return error_set(r->error, ERROR_INPUT, "%s: %s", n.path[0] ? n.path : "the file", message);
}

void node_warn(const struct reader *r, struct node n, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    str_vformat(message, sizeof message, format, args);
    va_end(args);
    spec_warn(r->spec, r->log, LOG_WARNING, "%s: %s", n.path[0] ? n.path : "the file", message);
}

const char *json_kind_name(const json_t *json)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "a list",
        [JSON_STRING] = "a text",
        [JSON_INTEGER] = "an integer",
        [JSON_REAL] = "a number with a point",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    return json ? names[json_typeof(json)] : "nothing";
}

bool read_text(const struct reader *r, struct node n, const char **out)
{
    const char *text = node_text(n);
    if (!text)
        return node_error(r, n, "is missing: a text is needed here");
    if (!text[0])
        return node_error(r, n, "is empty");
    *out = arena_strdup(r->arena, text);
    return *out || error_memory(r->error);
}

static const struct constant *find_braced_constant(const struct spec *s, const char *at,
                                                   size_t length)
{
    for (uint32_t i = 0; i < s->constant_count; i++) {
        const char *name = s->constants[i].name;
        if (strlen(name) == length && memcmp(name, at, length) == 0)
            return &s->constants[i];
    }
    return NULL;
}

bool read_data_name(const struct reader *r, struct node n, const char **out)
{
    struct text name = TEXT_INIT;
    if (!read_text(r, n, out))
        return false;
    for (const char *at = *out; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const struct constant *c =
            end ? find_braced_constant(r->spec, at + 1, (size_t)(end - at - 1)) : NULL;
        if (c)
            value_print(&c->value, &name);
        else
            text_addc(&name, *at);
        at = c ? end + 1 : at + 1;
    }
    *out = text_to_arena(&name, r->arena);
    text_release(&name);
    return *out || error_memory(r->error);
}

bool read_texts(const struct reader *r, struct node n, const char *const **items, uint32_t *count)
{
    size_t size = node_count(n);
    const char **texts = arena_array(r->arena, size + 1, sizeof *texts);
    if (!texts)
        return error_memory(r->error);

    uint32_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const char *text = node_text(node_item(r, n, i));
        if (text && text[0] && !(texts[used++] = arena_strdup(r->arena, text)))
            return error_memory(r->error);
    }
    *items = used > 0 ? texts : NULL;
    *count = used;
    return true;
}

bool read_choice(const struct reader *r, struct node n, const char *const *names, size_t count,
                 size_t fallback, size_t *out)
{
    *out = fallback;
    const char *text = node_text(n);
    if (!text)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(text, names[i])) {
            *out = i;
            return true;
        }
    }
    struct text known = TEXT_INIT;
    for (size_t i = 0; i < count; i++)
        text_addf(&known, "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ", names[i]);
    node_error(r, n, "'%s' is not known here; use %s", text, text_cstr(&known));
    text_release(&known);
    return false;
}

// The text of an expression: a string as it is, a number or boolean as Python writes it.
static const char *expression_text(const struct reader *r, struct node n)
{
    if (json_is_string(n.json))
        return arena_strdup(r->arena, json_string_value(n.json));
    struct value v = node_value(n);
    struct text text = TEXT_INIT;
    value_print(&v, &text);
    return text_to_arena(&text, r->arena);
}

const char *node_lines(const struct reader *r, struct node n)
{
    struct text text = TEXT_INIT;
    if (!json_is_array(n.json))
        return expression_text(r, n);
    for (size_t i = 0; i < json_array_size(n.json); i++) {
        const char *line = json_string_value(json_array_get(n.json, i));
        text_addf(&text, "%s%s", i ? "\n" : "", line ? line : "");
    }
    return text_to_arena(&text, r->arena);
}

bool read_formula(const struct reader *r, struct node n, const struct expr_symbols *symbols,
                  struct formula *out)
{
    *out = (struct formula){.path = n.path};
    if (!node_present(n))
        return true;
    out->text = expression_text(r, n);
    if (!out->text)
        return error_memory(r->error);
    out->expr = expr_parse(r->arena, out->text, symbols, r->error);
    if (!out->expr) {
        error_context(r->error, "%s", n.path);
        return false;
    }
    return true;
}

// An integer that JSON's reader does not take: it stands in a text.
static bool is_large_integer(const char *text, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *out = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    return *end == 0 && errno == 0 && *out > INT64_MAX;
}

struct value node_value(struct node n)
{
    if (json_is_integer(n.json))
        return value_int(json_integer_value(n.json));
    if (json_is_real(n.json))
        return value_float(json_real_value(n.json));
    if (json_is_boolean(n.json))
        return value_bool(json_is_true(n.json));
    const char *text = json_is_string(n.json) ? json_string_value(n.json) : "";
    uint64_t u;
    return is_large_integer(text, &u) ? value_uint(u) : value_string(text);
}
