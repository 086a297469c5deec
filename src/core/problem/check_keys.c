// The pass over the whole document that holds every key against the table of keys.
#include "problem/keys.h"
#include "problem/spec_json.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static unsigned kind_of_json(const json_t *json)
{
    static const unsigned kinds[] = {
        [JSON_OBJECT] = KEY_OBJECT,   [JSON_ARRAY] = KEY_ARRAY, [JSON_STRING] = KEY_STRING,
        [JSON_INTEGER] = KEY_INTEGER, [JSON_REAL] = KEY_REAL,   [JSON_TRUE] = KEY_BOOL,
        [JSON_FALSE] = KEY_BOOL,      [JSON_NULL] = KEY_NULL,
    };
    return kinds[json_typeof(json)];
}

// "a text, an integer or a list"
static void describe_kinds(unsigned kinds, struct text *out)
{
    static const struct {
        unsigned kinds;
        const char *name;
    } names[] = {
        {KEY_OBJECT, "an object"}, {KEY_ARRAY, "a list"},       {KEY_STRING, "a text"},
        {KEY_NUMBER, "a number"},  {KEY_INTEGER, "an integer"}, {KEY_BOOL, "true or false"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((kinds & names[i].kinds) != names[i].kinds)
            continue;
        text_addf(out, "%s%s", out->length > 0 ? ", or " : "", names[i].name);
        kinds &= ~names[i].kinds;
    }
}

static bool wrong_kind(const struct reader *r, struct node n, unsigned wanted, const char *why)
{
    struct text kinds = TEXT_INIT;
    describe_kinds(wanted, &kinds);
    node_error(r, n, "must be %s%s, but is %s", text_cstr(&kinds), why, json_kind_name(n.json));
    text_release(&kinds);
    return false;
}

// A value that no reader expects: the readers take it for absent.
static bool hide_kind(const struct reader *r, struct node n, unsigned wanted)
{
    return read_on(r, wrong_kind(r, n, wanted, "")) && read_hide(r, n.path);
}

// Is `text` one of the words separated by '|'?
static bool is_among_choices(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, text, length) == 0 && (at[length] == '|' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool check_strict(const struct reader *r, struct node n, const struct spec_key *key)
{
    if (!r->strict || !key->strict)
        return true;
    if (!(kind_of_json(n.json) & key->strict))
        return wrong_kind(r, n, key->strict, " in T1");
    const char *text = node_text(n);
    if (text && key->choices && !is_among_choices(key->choices, text))
        return node_error(r, n, "'%s' is not in T1, which knows %s", text, key->choices);
    return true;
}

static bool check_object(const struct reader *r, const struct key_table *t, struct node n,
                         const char *pattern);

static bool check_items(const struct reader *r, const struct key_table *t, struct node n,
                        const struct spec_key *key, const char *pattern)
{
    for (size_t i = 0; i < json_array_size(n.json); i++) {
        struct node item = node_item(r, n, i);
        if (!item.json)
            continue; // a mistake about it is told already
        unsigned kind = kind_of_json(item.json);
        bool is_known = !key->items || (kind & key->items);
        if (!is_known && !hide_kind(r, item, key->items))
            return false;
        if (is_known && r->strict && key->strict_items && !(kind & key->strict_items) &&
            !read_on(r, wrong_kind(r, item, key->strict_items, " in T1")))
            return false;
        if (kind == KEY_OBJECT && is_known && !check_object(r, t, item, pattern))
            return false;
    }
    return true;
}

// Does the key stand in T1's place for it, and not in a block of hone's that may have it too?
static bool is_own_key(const struct spec_key *key, const char *pattern)
{
    return strncmp(key->path, pattern, strlen(pattern)) == 0;
}

static bool check_key_value(const struct reader *r, const struct key_table *t, struct node n,
                            const struct spec_key *key, bool own)
{
    unsigned kind = kind_of_json(n.json);
    bool is_taken = key->accepts == KEY_ANY || kind == KEY_NULL || (kind & key->accepts);
    if (!is_taken)
        return hide_kind(r, n, key->accepts);
    if (own && !read_on(r, check_strict(r, n, key)))
        return false;
    if (key->accepts == KEY_ANY || kind == KEY_NULL)
        return true; // null is the same as leaving the key out

    char items[256];
    snprintf(items, sizeof items, "%s[]", key->path);
    if (kind == KEY_OBJECT)
        return check_object(r, t, n, key->single ? items : key->path);
    return kind != KEY_ARRAY || check_items(r, t, n, key, items);
}

static bool check_required(const struct reader *r, struct node n, const char *pattern)
{
    size_t count;
    const struct spec_key *keys = spec_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const char *name = key_name_in(&t1_keys, &keys[i], pattern);
        if (name && is_own_key(&keys[i], pattern) && keys[i].required &&
            !json_object_get(n.json, name) &&
            !read_on(r, node_error(r, n, "the key '%s' is missing, which T1 needs", name)))
            return false;
    }
    return true;
}

static bool check_object(const struct reader *r, const struct key_table *t, struct node n,
                         const char *pattern)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)n.json, name, value)
    {
        struct node child = node_get(r, n, name);
        if (!child.json)
            continue;
        const struct key_table *of = t;
        const struct spec_key *key = key_find(t, pattern, name);
        const char *near = key ? NULL : key_nearest(t, pattern, name), *place = pattern;
        if (!key && t == &short_keys) {
            key = short_t1_key(pattern, name, &place);
            of = &t1_keys;
        }
        if (key && of == &t1_keys && !key->strict && !key->dialect)
            r->spec->extended = true;
        if (key && !check_key_value(r, of, child, key, is_own_key(key, place)))
            return false;
        if (!key && near)
            node_warn(r, child, "unknown key, ignored; did you mean '%s'?", near);
        else if (!key && strcmp(name, "Comment") != 0)
            node_warn(r, child, "unknown key, ignored");
    }
    return !r->strict || check_required(r, n, pattern);
}

// Has the file keys, and none of them a spec's?
static bool is_foreign(const struct key_table *t, struct node root)
{
    const char *name, *place;
    json_t *value;
    json_object_foreach((json_t *)root.json, name, value)
    {
        if (key_find(t, "", name) || key_nearest(t, "", name) ||
            (t == &short_keys && short_t1_key("", name, &place)))
            return false;
    }
    return json_object_size(root.json) > 0;
}

bool check_keys(const struct reader *r, const struct key_table *t, struct node root)
{
    if (!json_is_object(root.json))
        return node_error(r, root, "must be a JSON object, but is %s", json_kind_name(root.json));
    if (is_foreign(t, root))
        return node_error(r, root, "has none of a spec's keys, so it is no spec");
    return check_object(r, t, root, "");
}
