// The JSON schema of specs, for editors: made of the tables of keys. It says which keys there are, of which kinds their
// values are, and what they mean; what an expression may hold it leaves to hone.
#include "problem/keys.h"

#include "base/emit.h"

#include <string.h>

#define DRAFT "http://json-schema.org/draft-07/schema#"

static void put_object(struct emit *j, const struct key_table *t, const char *pattern);

static void put_kinds(struct emit *j, const char *key, unsigned kinds)
{
    static const struct {
        unsigned kind;
        const char *name;
    } names[] = {{KEY_OBJECT, "object"}, {KEY_ARRAY, "array"},     {KEY_STRING, "string"},
                 {KEY_NUMBER, "number"}, {KEY_INTEGER, "integer"}, {KEY_BOOL, "boolean"}};
    emit_key(j, key);
    emit_array(j);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((kinds & names[i].kind) != names[i].kind)
            continue;
        emit_text(j, names[i].name);
        kinds &= ~names[i].kind;
    }
    emit_array_end(j);
}

// Words that an editor may offer; others, and other letters' case, are no mistakes.
static void put_choices(struct emit *j, const char *choices)
{
    char word[64];
    emit_key(j, "examples");
    emit_array(j);
    for (const char *at = choices; *at; at += *at == '|') {
        size_t length = strcspn(at, "|");
        str_format(word, sizeof word, "%.*s", (int)length, at);
        emit_text(j, word);
        at += length;
    }
    emit_array_end(j);
}

static void put_value(struct emit *j, const struct key_table *t, const struct spec_key *key)
{
    char items[256];
    struct text meaning = TEXT_INIT;
    str_format(items, sizeof items, "%s[]", key->path);
    text_add(&meaning, key->meaning);
    if (strcmp(key->fallback, "-") != 0)
        text_addf(&meaning, " (%s%s)",
                  strcmp(key->fallback, "required") == 0 ? "" : "default: ", key->fallback);
    emit_text_at(j, "description", text_cstr(&meaning));
    text_release(&meaning);
    if (key->accepts == KEY_ANY)
        return;
    put_kinds(j, "type", key->accepts);
    if (key->choices)
        put_choices(j, key->choices);
    if (key->accepts & KEY_OBJECT)
        put_object(j, t, key->single ? items : key->path);
    if (!(key->accepts & KEY_ARRAY) || !key->items)
        return;
    emit_key(j, "items");
    emit_object(j);
    put_kinds(j, "type", key->items);
    if (key->items & KEY_OBJECT)
        put_object(j, t, items);
    emit_object_end(j);
}

// "properties" for the keys of an object, "additionalProperties" for names of the writer's own.
static void put_object(struct emit *j, const struct key_table *t, const char *pattern)
{
    const struct spec_key *any = NULL;
    emit_key(j, "properties");
    emit_object(j);
    for (size_t i = 0; i < t->count; i++) {
        const char *name = key_name_in(t, &t->keys[i], pattern);
        bool is_any = name && strcmp(name, "*") == 0;
        any = is_any ? &t->keys[i] : any;
        if (!name || is_any)
            continue;
        emit_key(j, name);
        emit_object(j);
        put_value(j, t, &t->keys[i]);
        emit_object_end(j);
    }
    emit_object_end(j);
    if (!any)
        return;
    emit_key(j, "additionalProperties");
    emit_object(j);
    put_value(j, t, any);
    emit_object_end(j);
}

static void put_form(struct emit *j, const char *name, const struct key_table *t)
{
    emit_key(j, name);
    emit_object(j);
    put_object(j, t, "");
    emit_object_end(j);
}

void spec_schema(struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "$schema", DRAFT);
    emit_text_at(&j, "title", "hone: what to tune");
    emit_text_at(&j, "type", "object");
    // Tells the two forms apart.
    emit_raw_at(&j, "if",
                "{\"anyOf\": [{\"required\": [\"KernelSpecification\"]}, {\"required\": "
                "[\"ConfigurationSpace\"]}, {\"required\": [\"General\"]}]}");
    put_form(&j, "then", &t1_keys);
    put_form(&j, "else", &short_keys);
    emit_object_end(&j);
}
