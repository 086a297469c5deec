// The fields of a command's JSON, from the tables that write it.
#include "cli/help.h"

enum { WIDTH = 79, MEANING_COLUMN = 36, TABLES_MOST = 32 };

// The tables that were listed already.
struct listed {
    const struct fields *tables[TABLES_MOST];
    size_t count;
};

static bool is_listed(struct listed *l, const struct fields *f)
{
    for (size_t i = 0; i < l->count; i++) {
        if (l->tables[i] == f)
            return true;
    }
    if (l->count < TABLES_MOST)
        l->tables[l->count++] = f;
    return false;
}

static const char *shape_of(enum field_kind kind)
{
    bool is_array = kind == FIELD_RECORDS || kind == FIELD_LIST || kind == FIELD_EACH;
    return is_array                                                             ? "[{}]"
           : kind == FIELD_U64S || kind == FIELD_TEXTS                          ? "[]"
           : kind == FIELD_PAIR                                                 ? "[low, high]"
           : kind == FIELD_BOOL || kind == FIELD_MAYBE                          ? "bool"
           : kind == FIELD_RECORD || kind == FIELD_WITHIN || kind == FIELD_PART ? "{}"
                                                                                : "";
}

// "    median_ns                     ns; null: not timed"
static void put_field(const struct field *f, size_t indent, bool is_above, struct text *out)
{
    const char *parts[] = {shape_of(f->kind), f->unit, f->meaning, is_above ? "as above" : ""};
    struct text words = TEXT_INIT;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_addf(&words, "%s%s", words.length && *parts[i] ? "; " : "", parts[i]);
    text_addf(out, "%*s%-*s", (int)indent, "", words.length ? MEANING_COLUMN - 1 - (int)indent : 0,
              f->name);
    text_add(out, words.length ? " " : "");
    help_wrap(text_cstr(&words), words.length, MEANING_COLUMN, MEANING_COLUMN, WIDTH, out);
    out->failed |= words.failed;
    text_release(&words);
}

static void put_fields(const struct fields *f, size_t indent, struct listed *l, struct text *out)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct field *row = &f->rows[i];
        bool is_inner = row->kind == FIELD_MEMBERS;
        bool is_above = row->of && !is_inner && is_listed(l, row->of);
        if (!is_inner)
            put_field(row, indent, is_above, out);
        if (row->of && !is_above)
            put_fields(row->of, indent + (is_inner ? 0 : 2), l, out);
    }
}

void help_json(const struct command *c, struct text *out)
{
    struct listed listed = {.count = 0};
    text_addf(out, "%s\n\n", c->json);
    for (const struct json_record *r = c->records; r && r->of; r++) {
        text_addf(out, "%s:\n\n", r->name);
        is_listed(&listed, r->of);
        put_fields(r->of, 2, &listed, out);
        text_add(out, "\n");
    }
}
