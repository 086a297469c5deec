// Sets of texts: what a job's compiler saw, and the spec.

#include "base/array.h"
#include "store/database.h"
#include "store/fail.h"

#include <string.h>

static bool item_equal(const struct text_item *a, const struct text_item *b)
{
    return a->length == b->length && str_equal(a->kind, b->kind) && str_equal(a->name, b->name) &&
           (a->length == 0 || a->body == b->body || memcmp(a->body, b->body, a->length) == 0);
}

static bool set_equal(const struct text_set *a, const struct text_set *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!item_equal(&a->items[i], &b->items[i]))
            return false;
    return true;
}

// ---- of a job -----------------------------------------------------------------------------------

// Programs of one job often share sources and includes: each is listed once.
static void set_add(struct text_set *set, struct text_item item)
{
    for (size_t i = 0; i < set->count; i++)
        if (item_equal(&set->items[i], &item))
            return;
    set->items[set->count++] = item;
}

static size_t texts_count(const struct job *j)
{
    size_t count = j->program_count + (j->routine != ROUTINE_NONE);
    for (uint32_t p = 0; p < j->program_count; p++)
        count += j->programs[p].file_count;
    return count;
}

static void texts_collect(const struct job *j, const char *source, const char *include,
                          struct text_set *set)
{
    if (j->routine != ROUTINE_NONE) { // the library is all there is of it
        const char *library = j->routine_about     ? j->routine_about
                              : j->routine_library ? j->routine_library
                                                   : "";
        set_add(set,
                (struct text_item){source, routine_title(j->routine), library, strlen(library)});
    }
    for (uint32_t p = 0; p < j->program_count; p++) {
        const struct job_program *program = &j->programs[p];
        set_add(set, (struct text_item){source, program->name, program->source, program->length});
        for (uint32_t f = 0; f < program->file_count; f++) {
            const struct job_file *file = &program->files[f];
            set_add(set, (struct text_item){include, file->path, file->text, file->length});
        }
    }
}

bool texts_of_job(struct store *s, const struct job *j, struct text_set *out)
{
    const struct job *reference = j->reference.kind == REFERENCE_JOB ? j->reference.job : NULL;
    size_t count = texts_count(j) + (reference ? texts_count(reference) : 0);
    if (!ARRAY_ROOM(s->items, s->item_capacity, count + 1))
        return false;
    *out = (struct text_set){s->items, 0};
    texts_collect(j, "source", "include", out);
    if (reference)
        texts_collect(reference, "reference", "reference", out);
    return true;
}

// ---- writing ------------------------------------------------------------------------------------

void texts_digest(const struct text_set *set, struct digest *out)
{
    struct digest_state state;
    struct wire w;
    digest_start(&state);
    wire_hasher(&w, &state);
    for (size_t i = 0; i < set->count; i++) {
        struct text_item item = set->items[i];
        wire_str(&w, &item.kind);
        wire_str(&w, &item.name);
        wire_bytes(&w, &item.body, &item.length);
    }
    digest_finish(&state, out);
}

static const struct known_set *texts_known(const struct text_memory *m, const struct text_set *set)
{
    for (size_t i = 0; i < TEXT_SETS; i++)
        if (m->known[i].set.items && set_equal(&m->known[i].set, set))
            return &m->known[i];
    return NULL;
}

// Without memory the set is simply not remembered, and hashed again next time.
static void texts_remember(struct text_memory *m, const struct text_set *set,
                           const struct digest *digest)
{
    struct known_set *k = &m->known[m->next];
    m->next = (m->next + 1) % TEXT_SETS;
    arena_release(&k->arena);
    k->digest = *digest;
    k->set.items = NULL;
    k->set.count = set->count;
    struct text_item *items = arena_array(&k->arena, set->count + 1, sizeof *items);
    for (size_t i = 0; items && i < set->count; i++) {
        items[i] = set->items[i];
        items[i].kind = arena_strdup(&k->arena, set->items[i].kind);
        items[i].name = arena_strdup(&k->arena, set->items[i].name);
        items[i].body = arena_copy(&k->arena, set->items[i].body, set->items[i].length);
        if ((set->items[i].name && !items[i].name) || !items[i].kind || !items[i].body)
            return;
    }
    k->set.items = items;
}

void texts_forget(struct text_memory *m)
{
    for (size_t i = 0; i < TEXT_SETS; i++) {
        arena_release(&m->known[i].arena);
        m->known[i].set = (struct text_set){NULL, 0};
    }
}

static bool item_put(struct store *s, const struct digest *texts, size_t position,
                     const struct text_item *item, struct error *e)
{
    struct values v = {statement_get(s, STATEMENT_PUT_TEXT, e), SQLITE_OK};
    if (!v.statement)
        return false;
    value_digest(&v, ":texts", texts);
    value_i64(&v, ":position", (int64_t)position);
    value_text(&v, ":kind", item->kind);
    value_text(&v, ":name", item->name ? item->name : "");
    value_textn(&v, ":body", item->body, item->length);
    return values_run(&v, s, "writing the texts of a job", e);
}

bool texts_put(struct store *s, const struct text_set *set, struct digest *digest, struct error *e)
{
    const struct known_set *known = texts_known(&s->texts, set);
    if (known) {
        *digest = known->digest;
        return true;
    }
    texts_digest(set, digest);
    for (size_t i = 0; i < set->count; i++)
        if (!item_put(s, digest, i, &set->items[i], e))
            return false;
    texts_remember(&s->texts, set, digest);
    return true;
}

// ---- reading ------------------------------------------------------------------------------------

// The spec is that of the newest session that measured the job.
#define TEXTS_SQL(place)                                                                           \
    "SELECT kind, name, body FROM (SELECT texts, 0 AS part FROM (SELECT session.texts AS texts "   \
    "FROM result JOIN session ON session.id = result.session WHERE result.job = :key "             \
    "ORDER BY " place " DESC, result.date DESC, result.id DESC LIMIT 1) UNION ALL "                \
    "SELECT texts, 1 FROM job WHERE key = :key) AS sets JOIN text ON text.texts = sets.texts "     \
    "ORDER BY sets.part, text.position"

static const char texts_sql[] = TEXTS_SQL("coalesce(result.number, result.sequence)");
static const char texts_sql_1[] = TEXTS_SQL("result.sequence");

// *found: there were any.
static bool texts_of(struct store *s, const struct digest *key,
                     bool (*each)(void *context, const char *kind, const char *name,
                                  const char *text, size_t length),
                     void *context, bool *found, struct error *e)
{
    int code = SQLITE_ROW;
    bool more = true;
    struct values v = {NULL, SQLITE_OK};
    const char *sql = s->version >= 2 ? texts_sql : texts_sql_1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &v.statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "reading texts");
    value_digest(&v, ":key", key);
    while (more && (code = sqlite3_step(v.statement)) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(v.statement, 0);
        const char *name = (const char *)sqlite3_column_text(v.statement, 1);
        const char *text = (const char *)sqlite3_column_text(v.statement, 2);
        *found = true;
        more = each(context, kind, name, text, (size_t)sqlite3_column_bytes(v.statement, 2));
    }
    bool ok = !more || code == SQLITE_DONE || store_fail_sqlite(e, s->path, s->db, "reading texts");
    sqlite3_finalize(v.statement);
    return ok;
}

bool store_texts(struct store *s, const struct digest *key,
                 bool (*each)(void *context, const char *kind, const char *name, const char *text,
                              size_t length),
                 void *context, struct error *e)
{
    bool ok = true, found = false;
    for (; s && ok && !found; s = s->behind)
        ok = texts_of(s, key, each, context, &found, e);
    return ok;
}
