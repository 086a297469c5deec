// Baselines of `hone bench`, read and written. The reader takes what anybody may have edited: every member is checked, what is
// unknown is passed over, and a file that says less than it must is refused with the path of what is missing.
#include "workflows/benchmark/baseline.h"

#include "base/emit.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1

// The device's texts, and how a baseline calls them.
#define DEVICE_TEXTS(X) X(name) X(platform) X(driver) X(compiler) X(surroundings)

// ---- reading -----------------------------------------------------------------------------------

struct reader {
    const char *path;
    struct arena *arena;
    struct error *e;
    struct job_program *texts; // without options
    size_t text_count;
};

// A text that must be there; NULL with the error.
static const char *read_member(const struct reader *r, json_t *object, const char *where,
                               const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) {
        error_set(r->e, ERROR_INPUT, "%s: %s%s: a text is missing here", r->path, where, key);
        return NULL;
    }
    const char *copy = arena_strdup(r->arena, text);
    if (!copy)
        error_memory(r->e);
    return copy;
}

static uint32_t read_number(json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static bool read_pass(const struct reader *r, json_t *object, const char *where,
                      struct baseline_pass *out)
{
    json_t *list = json_object_get(object, "samples_ns");
    size_t count = json_array_size(list);
    if (count == 0 || count > BASELINE_SAMPLES_MOST)
        return error_set(r->e, ERROR_INPUT,
                         "%s: %s.samples_ns: a list of 1 to %d times in ns belongs here", r->path,
                         where, BASELINE_SAMPLES_MOST);
    uint64_t *samples = arena_array(r->arena, count, sizeof *samples);
    if (!samples)
        return error_memory(r->e);
    for (size_t i = 0; i < count; i++) {
        json_int_t ns = json_integer_value(json_array_get(list, i));
        if (ns <= 0)
            return error_set(
                r->e, ERROR_INPUT,
                "%s: %s.samples_ns[%zu]: a whole number of ns, 1 or more, belongs here", r->path,
                where, i);
        samples[i] = (uint64_t)ns;
    }
    const char *moment = json_string_value(json_object_get(object, "moment"));
    const char *copy = arena_strdup(r->arena, moment ? moment : "");
    if (!copy)
        return error_memory(r->e);
    *out = (struct baseline_pass){.samples_ns = samples,
                                  .moment = copy,
                                  .load = read_number(object, "load"),
                                  .count = (uint32_t)count,
                                  .mhz = read_number(object, "mhz"),
                                  .celsius = read_number(object, "celsius"),
                                  .milliwatts = read_number(object, "milliwatts")};
    return true;
}

static bool read_passes(const struct reader *r, json_t *object, const char *where,
                        struct baseline_row *out)
{
    json_t *list = json_object_get(object, "passes");
    size_t count = json_array_size(list);
    if (count == 0 || count > BASELINE_PASSES_MOST)
        return error_set(r->e, ERROR_INPUT, "%s: %spasses: a list of 1 to %d belongs here", r->path,
                         where, BASELINE_PASSES_MOST);
    struct baseline_pass *passes = arena_array(r->arena, count, sizeof *passes);
    if (!passes)
        return error_memory(r->e);
    out->passes = passes;
    for (size_t i = 0; i < count; i++) {
        char at[64];
        str_format(at, sizeof at, "%spasses[%zu]", where, i);
        if (!read_pass(r, json_array_get(list, i), at, &passes[i]))
            return false;
    }
    out->pass_count = (uint32_t)count;
    return true;
}

// A list of texts, which may be missing.
static const char **read_words(const struct reader *r, json_t *list, const char *where,
                               uint32_t *count)
{
    size_t all = json_array_size(list);
    const char **words = arena_array(r->arena, all + 1, sizeof *words);
    *count = (uint32_t)all;
    for (size_t i = 0; words && i < all; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word) {
            error_set(r->e, ERROR_INPUT, "%s: %s[%zu]: a text belongs here", r->path, where, i);
            return NULL;
        }
        if (!(words[i] = arena_strdup(r->arena, word)))
            words = NULL;
    }
    if (!words)
        error_memory(r->e);
    return words;
}

static bool read_included(const struct reader *r, json_t *list, const char *where,
                          struct job_program *out)
{
    size_t count = json_array_size(list);
    out->files = arena_array(r->arena, count + 1, sizeof *out->files);
    out->file_count = (uint32_t)count;
    if (!out->files)
        return error_memory(r->e);
    for (size_t i = 0; i < count; i++) {
        json_t *file = json_array_get(list, i);
        const char *path = read_member(r, file, where, "path");
        const char *text = path ? read_member(r, file, where, "text") : NULL;
        if (!text)
            return false;
        out->files[i] = (struct job_file){.path = path, .text = text, .length = strlen(text)};
    }
    return true;
}

static bool read_texts(struct reader *r, json_t *list)
{
    r->text_count = json_array_size(list);
    r->texts = arena_array(r->arena, r->text_count + 1, sizeof *r->texts);
    if (!r->texts)
        return error_memory(r->e);
    for (size_t i = 0; i < r->text_count; i++) {
        json_t *object = json_array_get(list, i);
        struct job_program *p = &r->texts[i];
        char where[32];
        str_format(where, sizeof where, "texts[%zu].", i);
        if (!(p->name = read_member(r, object, where, "name")) ||
            !(p->source = read_member(r, object, where, "source")) ||
            !read_included(r, json_object_get(object, "files"), where, p) ||
            !(p->folders =
                  read_words(r, json_object_get(object, "folders"), "folders", &p->folder_count)))
            return false;
        p->length = strlen(p->source);
    }
    return true;
}

// Reads the code of a row, if the file has it.
static bool read_code(const struct reader *r, json_t *object, const char *where,
                      struct job_code *out)
{
    json_t *list = json_object_get(object, "programs");
    size_t count = json_array_size(list);
    *out = (struct job_code){.count = 0};
    if (count == 0)
        return true;
    out->programs = arena_array(r->arena, count, sizeof *out->programs);
    if (!out->programs)
        return error_memory(r->e);
    if (!(out->geometry = read_member(r, object, where, "geometry")))
        return false;
    for (size_t i = 0; i < count; i++) {
        json_t *program = json_array_get(list, i), *text = json_object_get(program, "text");
        struct job_program *p = &out->programs[i];
        if (!json_is_integer(text) || json_integer_value(text) < 0 ||
            (size_t)json_integer_value(text) >= r->text_count)
            return error_set(r->e, ERROR_INPUT,
                             "%s: %sprograms[%zu].text: the number of one of `texts` belongs here",
                             r->path, where, i);
        *p = r->texts[json_integer_value(text)];
        p->options =
            read_words(r, json_object_get(program, "options"), "options", &p->option_count);
        if (!p->options)
            return false;
    }
    out->count = (uint32_t)count;
    return true;
}

static bool read_set(const struct reader *r, json_t *object, const char *where,
                     struct baseline_row *out)
{
    json_t *list = json_object_get(object, "set");
    size_t count = json_array_size(list);
    const char **set = arena_array(r->arena, count + 1, sizeof *set);
    if (!json_is_array(list) || count > BASELINE_ROWS_MOST)
        return error_set(r->e, ERROR_INPUT, "%s: %sset: a list of \"NAME=VALUE\" belongs here",
                         r->path, where);
    if (!set)
        return error_memory(r->e);
    out->set = set;
    out->set_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text || !strchr(text, '='))
            return error_set(r->e, ERROR_INPUT, "%s: %sset[%zu]: \"NAME=VALUE\" belongs here",
                             r->path, where, i);
        set[i] = arena_strdup(r->arena, text);
        if (!set[i])
            return error_memory(r->e);
    }
    return true;
}

static bool read_row(const struct reader *r, json_t *object, const char *where,
                     struct baseline_row *out)
{
    const char *source = json_string_value(json_object_get(object, "source_sha256"));
    out->source = arena_strdup(r->arena, source ? source : "");
    return (out->source || error_memory(r->e)) && read_set(r, object, where, out) &&
           (out->constants = read_member(r, object, where, "constants")) &&
           (out->configuration = read_member(r, object, where, "configuration")) &&
           read_code(r, object, where, &out->code) && read_passes(r, object, where, out);
}

static bool read_rows(const struct reader *r, json_t *list, struct baseline *out)
{
    size_t count = json_array_size(list);
    if (count == 0 || count > BASELINE_ROWS_MOST)
        return error_set(r->e, ERROR_INPUT, "%s: rows: a list of 1 to %d belongs here", r->path,
                         BASELINE_ROWS_MOST);
    struct baseline_row *rows = arena_array(r->arena, count, sizeof *rows);
    if (!rows)
        return error_memory(r->e);
    for (size_t i = 0; i < count; i++) {
        char where[32];
        str_format(where, sizeof where, "rows[%zu].", i);
        if (!read_row(r, json_array_get(list, i), where, &rows[i]))
            return false;
        for (size_t k = 0; k < i; k++)
            if (str_equal(rows[k].constants, rows[i].constants) &&
                str_equal(rows[k].configuration, rows[i].configuration))
                return error_set(r->e, ERROR_INPUT, "%s: rows[%zu]: the same as rows[%zu]", r->path,
                                 i, k);
    }
    out->rows = rows;
    out->row_count = (uint32_t)count;
    return true;
}

static bool read_device(const struct reader *r, json_t *object, struct device_info *out)
{
    const char *language = read_member(r, object, "device.", "language");
    bool ok = language != NULL;
    if (ok && !language_parse(language, &out->language))
        return error_set(r->e, ERROR_INPUT, "%s: device.language: '%s' is not a language hone runs",
                         r->path, language);
#define X(member) ok = ok && (out->member = read_member(r, object, "device.", #member));
    DEVICE_TEXTS(X)
#undef X
    return ok;
}

#define BASELINE_COMMAND "hone bench SPEC -o FILE"
#define LIST_COMMAND     "hone best SPEC --json"

static json_t *parse_json(const struct reader *r, const char *text, size_t length,
                          const char *remedy)
{
    json_error_t why;
    json_t *root = json_loadb(text, length, 0, &why);
    if (!root)
        error_set(r->e, ERROR_INPUT, "%s:%d:%d: not valid JSON: %s; this writes it: %s", r->path,
                  why.line, why.column, why.text, remedy);
    return root;
}

static bool read_baseline(const struct reader *given, json_t *root, struct baseline *out)
{
    struct reader own = *given, *r = &own;
    json_int_t version = json_integer_value(json_object_get(root, "hone_baseline"));
    memset(out, 0, sizeof *out);
    if (version == 0)
        return error_set(
            r->e, ERROR_INPUT,
            "%s: is JSON, but no baseline of hone's; this writes one: " BASELINE_COMMAND, r->path);
    if (version != VERSION)
        return error_set(r->e, ERROR_INPUT,
                         "%s: hone_baseline: version %lld; this hone reads version %d", r->path,
                         (long long)version, VERSION);
    return (out->hone_version = read_member(r, root, "", "hone")) &&
           (out->date = read_member(r, root, "", "date")) &&
           (out->spec = read_member(r, root, "", "spec")) &&
           read_device(r, json_object_get(root, "device"), &out->device) &&
           read_texts(r, json_object_get(root, "texts")) &&
           read_rows(r, json_object_get(root, "rows"), out);
}

bool baseline_parse(const char *path, const char *text, size_t length, struct arena *a,
                    struct baseline *out, struct error *e)
{
    const struct reader r = {.path = path, .arena = a, .e = e};
    json_t *root = parse_json(&r, text, length, BASELINE_COMMAND);
    bool ok = root && read_baseline(&r, root, out);
    json_decref(root);
    return ok;
}

// ---- a list of configurations ------------------------------------------------------------------

// "a=1, b=x" of {"a": 1, "b": "x"}, as specs write configurations and constants; a text stays as it is.
static bool put_assignments(const json_t *value, const char *separator, struct text *out)
{
    const char *key;
    json_t *member;
    if (json_is_string(value)) {
        text_add(out, json_string_value(value));
        return true;
    }
    if (!json_is_object(value))
        return false;
    json_object_foreach((json_t *)value, key, member)
    {
        text_addf(out, "%s%s=", out->length ? separator : "", key);
        if (json_is_string(member))
            text_add(out, json_string_value(member));
        else if (json_is_integer(member))
            text_addf(out, "%lld", (long long)json_integer_value(member));
        else if (json_is_boolean(member))
            text_add(out, json_is_true(member) ? "true" : "false");
        else if (json_is_real(member)) {
            char number[32];
            f64_to_str(json_real_value(member), number);
            text_add(out, number);
        } else
            return false;
    }
    return true;
}

static bool list_set(const struct reader *r, const json_t *constants, struct baseline_row *out)
{
    const char *key;
    json_t *member;
    const char **set = arena_array(r->arena, json_object_size(constants) + 1, sizeof *set);
    bool ok = set != NULL;
    out->set = set;
    json_object_foreach((json_t *)constants, key, member)
    {
        struct text one = TEXT_INIT;
        json_t *single = json_pack("{s:O}", key, member);
        ok = ok && single && put_assignments(single, "", &one) && !one.failed &&
             (set[out->set_count++] = arena_strdup(r->arena, text_cstr(&one)));
        json_decref(single);
        text_release(&one);
    }
    return ok || error_set(r->e, ERROR_INPUT, "%s: a constant is not a number, text or truth value",
                           r->path);
}

// The object itself, where it is a row, else those within it.
static bool list_rows(const struct reader *r, json_t *value, struct baseline_row *rows,
                      uint32_t *count)
{
    json_t *constants = json_object_get(value, "constants"),
           *configuration = json_object_get(value, "configuration");
    json_t *member;
    const char *key;
    size_t i;
    bool ok = true;
    if (json_is_object(constants) &&
        (json_is_object(configuration) || json_is_string(configuration))) {
        struct text text = TEXT_INIT;
        if (*count == BASELINE_ROWS_MOST)
            return error_set(r->e, ERROR_INPUT, "%s: more than %d configurations", r->path,
                             BASELINE_ROWS_MOST);
        struct baseline_row *row = &rows[(*count)++];
        *row = (struct baseline_row){.constants = "", .source = ""};
        ok = put_assignments(configuration, ", ", &text) ||
             error_set(r->e, ERROR_INPUT, "%s: a parameter is not a number, text or truth value",
                       r->path);
        row->configuration = ok && !text.failed ? arena_strdup(r->arena, text_cstr(&text)) : NULL;
        text_release(&text);
        return ok && (row->configuration || error_memory(r->e)) && list_set(r, constants, row);
    }
    json_array_foreach(value, i, member) ok = ok && list_rows(r, member, rows, count);
    if (json_is_object(value)) {
        json_object_foreach(value, key, member) ok = ok && list_rows(r, member, rows, count);
    }
    return ok;
}

// A point of a dispatch table: its shape as constants, and the configuration that answers there.
static bool read_point(const struct reader *r, json_t *table, json_t *point, const char *where,
                       struct baseline_row *out)
{
    json_t *columns = json_object_get(table, "columns"), *shape = json_object_get(point, "shape");
    size_t count = json_array_size(columns);
    json_int_t index = json_integer_value(json_object_get(point, "configuration"));
    json_t *chosen = json_array_get(json_object_get(table, "configurations"), (size_t)index);
    const char **set = arena_array(r->arena, count + 1, sizeof *set);
    if (!set)
        return error_memory(r->e);
    if (json_array_size(shape) != count || index < 0)
        return error_set(r->e, ERROR_INPUT,
                         "%s: %sshape: one number for each of the columns belongs here", r->path,
                         where);
    *out = (struct baseline_row){
        .set = set, .set_count = (uint32_t)count, .constants = "", .source = ""};
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        json_t *value = json_array_get(shape, i);
        if (!name || !json_is_integer(value))
            return error_set(r->e, ERROR_INPUT, "%s: %sshape[%zu]: a whole number belongs here",
                             r->path, where, i);
        set[i] = arena_printf(r->arena, "%s=%lld", name, (long long)json_integer_value(value));
        if (!set[i])
            return error_memory(r->e);
    }
    out->configuration = read_member(r, chosen, where, "configuration");
    return out->configuration != NULL;
}

static bool read_table(const struct reader *r, json_t *table, const char *device,
                       struct baseline *out)
{
    json_t *devices = json_object_get(table, "devices"), *points = NULL, *d, *point;
    struct text others = TEXT_INIT;
    size_t i;
    json_array_foreach(devices, i, d)
    {
        const char *name = json_string_value(json_object_get(d, "name"));
        if (!points && str_equal(name, device))
            points = json_object_get(d, "points");
        text_add_name(&others, i ? ", " : "", name ? name : "", "");
    }
    size_t count = json_array_size(points);
    bool ok = count > 0 && count <= BASELINE_ROWS_MOST;
    if (!ok)
        error_set(r->e, ERROR_INPUT, "%s: devices: it has no points of %s, but of: %s", r->path,
                  device, text_cstr(&others));
    text_release(&others);
    struct baseline_row *rows = ok ? arena_array(r->arena, count, sizeof *rows) : NULL;
    if (ok && !rows)
        return error_memory(r->e);
    out->rows = rows;
    json_array_foreach(points, i, point)
    {
        char where[32];
        str_format(where, sizeof where, "points[%zu].", i);
        ok = ok && read_point(r, table, point, where, &rows[i]);
    }
    out->row_count = (uint32_t)count;
    return ok;
}

static bool read_list(const struct reader *r, json_t *root, struct baseline *out)
{
    struct baseline_row *rows = arena_array(r->arena, BASELINE_ROWS_MOST, sizeof *rows);
    out->rows = rows;
    if (!rows || !list_rows(r, root, rows, &out->row_count))
        return rows ? false : error_memory(r->e);
    return out->row_count > 0 ||
           error_set(r->e, ERROR_INPUT,
                     "%s: no object in it has constants and a configuration, as those that "
                     "`hone best --json` writes",
                     r->path);
}

bool baseline_parse_list(const char *path, const char *text, size_t length, const char *device,
                         struct arena *a, struct baseline *out, struct error *e)
{
    const struct reader r = {.path = path, .arena = a, .e = e};
    json_t *root = parse_json(&r, text, length, LIST_COMMAND);
    memset(out, 0, sizeof *out);
    bool is_table = json_is_array(json_object_get(root, "columns")) &&
                    json_is_array(json_object_get(root, "devices"));
    bool ok = root && (json_object_get(root, "hone_baseline") ? read_baseline(&r, root, out)
                       : is_table                             ? read_table(&r, root, device, out)
                                                              : read_list(&r, root, out));
    json_decref(root);
    return ok;
}

// ---- writing -----------------------------------------------------------------------------------

static void emit_known_at(struct emit *j, const char *key, uint32_t value)
{
    if (value)
        emit_u64_at(j, key, value);
}

// Are the texts of two programs the same?
static bool is_text_same(const struct job_program *a, const struct job_program *b)
{
    bool same = str_equal(a->name, b->name) && str_equal(a->source, b->source) &&
                a->file_count == b->file_count && a->folder_count == b->folder_count;
    for (uint32_t i = 0; same && i < a->file_count; i++)
        same = str_equal(a->files[i].path, b->files[i].path) &&
               str_equal(a->files[i].text, b->files[i].text);
    for (uint32_t i = 0; same && i < a->folder_count; i++)
        same = str_equal(a->folders[i], b->folders[i]);
    return same;
}

// The number among the texts of the one that the program has; count: of none before it.
static uint32_t find_text(const struct job_program *const *texts, uint32_t count,
                          const struct job_program *p)
{
    uint32_t i = 0;
    while (i < count && !is_text_same(texts[i], p))
        i++;
    return i;
}

static void emit_words_at(struct emit *j, const char *key, const char *const *words, uint32_t count)
{
    emit_array_at(j, key);
    for (uint32_t i = 0; i < count; i++)
        emit_text(j, words[i]);
    emit_array_end(j);
}

static void emit_program_text(const struct job_program *p, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "name", p->name);
    emit_text_at(j, "source", p->source);
    emit_array_at(j, "files");
    for (uint32_t i = 0; i < p->file_count; i++) {
        emit_object(j);
        emit_text_at(j, "path", p->files[i].path);
        emit_text_at(j, "text", p->files[i].text);
        emit_object_end(j);
    }
    emit_array_end(j);
    emit_words_at(j, "folders", p->folders, p->folder_count);
    emit_object_end(j);
}

#define TEXTS_MOST 256 // what comes after them is not kept

// Each text once, in the order of the rows.
static uint32_t emit_texts(const struct baseline *b, const struct job_program **texts,
                           struct emit *j)
{
    uint32_t count = 0;
    emit_array_at(j, "texts");
    for (uint32_t i = 0; i < b->row_count; i++) {
        for (uint32_t k = 0; k < b->rows[i].code.count; k++) {
            const struct job_program *p = &b->rows[i].code.programs[k];
            if (count == TEXTS_MOST || find_text(texts, count, p) < count)
                continue;
            texts[count++] = p;
            emit_program_text(p, j);
        }
    }
    emit_array_end(j);
    return count;
}

static void emit_code(const struct job_code *code, const struct job_program *const *texts,
                      uint32_t count, struct emit *j)
{
    for (uint32_t i = 0; i < code->count; i++)
        if (find_text(texts, count, &code->programs[i]) == count)
            return;
    if (code->count == 0)
        return;
    emit_text_at(j, "geometry", code->geometry);
    emit_array_at(j, "programs");
    for (uint32_t i = 0; i < code->count; i++) {
        const struct job_program *p = &code->programs[i];
        emit_object(j);
        emit_u64_at(j, "text", find_text(texts, count, p));
        emit_words_at(j, "options", p->options, p->option_count);
        emit_object_end(j);
    }
    emit_array_end(j);
}

static void emit_row(const struct baseline_row *row, const struct job_program *const *texts,
                     uint32_t text_count, struct emit *j)
{
    emit_object(j);
    emit_words_at(j, "set", row->set, row->set_count);
    emit_text_at(j, "constants", row->constants);
    emit_text_at(j, "configuration", row->configuration);
    emit_text_at(j, "source_sha256", row->source);
    emit_code(&row->code, texts, text_count, j);
    emit_array_at(j, "passes");
    for (uint32_t i = 0; i < row->pass_count; i++) {
        const struct baseline_pass *p = &row->passes[i];
        emit_object(j);
        emit_u64s_at(j, "samples_ns", p->samples_ns, p->count);
        if (p->moment && p->moment[0])
            emit_text_at(j, "moment", p->moment);
        emit_known_at(j, "load", p->load);
        emit_known_at(j, "mhz", p->mhz);
        emit_known_at(j, "celsius", p->celsius);
        emit_known_at(j, "milliwatts", p->milliwatts);
        emit_object_end(j);
    }
    emit_array_end(j);
    emit_object_end(j);
}

void baseline_write(const struct baseline *b, struct text *out)
{
    const struct job_program *texts[TEXTS_MOST];
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_u64_at(&j, "hone_baseline", VERSION);
    emit_text_at(&j, "hone", b->hone_version);
    emit_text_at(&j, "date", b->date);
    emit_text_at(&j, "spec", b->spec);
    emit_object_at(&j, "device");
    emit_text_at(&j, "language", language_text(b->device.language));
#define X(member) emit_text_at(&j, #member, b->device.member);
    DEVICE_TEXTS(X)
#undef X
    emit_object_end(&j);
    uint32_t count = emit_texts(b, texts, &j);
    emit_array_at(&j, "rows");
    for (uint32_t i = 0; i < b->row_count; i++) {
        text_add(out, "\n");
        emit_row(&b->rows[i], texts, count, &j);
    }
    emit_array_end(&j);
    emit_object_end(&j);
    text_add(out, "\n");
}

// ---- holding against it ------------------------------------------------------------------------

static bool is_other(const char *what, const char *then, const char *now, struct text *why)
{
    if (str_equal(then, now))
        return false;
    text_addf(why, "%s%s %s, here %s", why->length ? "; " : "", what, then[0] ? then : "(none)",
              now[0] ? now : "(none)");
    return true;
}

enum baseline_fit baseline_fits(const struct baseline *b, const struct device_info *d,
                                struct text *why)
{
    const struct device_info *then = &b->device;
    bool device = is_other("device", then->name, d->name, why);
    device |= is_other("platform", then->platform, d->platform, why);
    device |= is_other("language", language_text(then->language), language_text(d->language), why);
    if (device)
        return BASELINE_OTHER_DEVICE;
    bool driver = is_other("driver", then->driver, d->driver, why);
    driver |= is_other("compiler", then->compiler, d->compiler, why);
    driver |= is_other("surroundings", then->surroundings, d->surroundings, why);
    return driver ? BASELINE_OTHER_DRIVER : BASELINE_FITS;
}

static bool is_of_moment(const struct baseline_pass *a, const struct baseline_pass *b)
{
    return str_equal(a->moment ? a->moment : "", b->moment ? b->moment : "");
}

static uint64_t least_sample(const struct baseline_pass *p)
{
    uint64_t least = p->samples_ns[0];
    for (uint32_t i = 1; i < p->count; i++)
        least = p->samples_ns[i] < least ? p->samples_ns[i] : least;
    return least;
}

const struct regression_moment *baseline_moments(const struct baseline_row *r, struct arena *a,
                                                 size_t *count)
{
    struct regression_moment *moments = arena_array(a, (size_t)r->pass_count + 1, sizeof *moments);
    uint64_t *ns = arena_array(a, (size_t)r->pass_count + 1, sizeof *ns);
    *count = 0;
    if (!moments || !ns)
        return NULL;
    for (uint32_t i = 0; i < r->pass_count; i++) {
        ns[i] = least_sample(&r->passes[i]);
        if (i == 0 || !is_of_moment(&r->passes[i], &r->passes[i - 1]))
            moments[(*count)++] = (struct regression_moment){.ns = &ns[i]};
        moments[*count - 1].count++;
    }
    return moments;
}

bool baseline_add_moment(const struct baseline_row *old, struct arena *a, struct baseline_row *now)
{
    uint32_t from = old->pass_count, moments = 1;
    while (from > 0 && from + now->pass_count > 0) {
        bool begins =
            from == old->pass_count || !is_of_moment(&old->passes[from - 1], &old->passes[from]);
        moments += begins;
        if (moments > BASELINE_MOMENTS_MOST ||
            old->pass_count - from + 1 + now->pass_count > BASELINE_PASSES_MOST)
            break;
        from--;
    }
    uint32_t kept = old->pass_count - from;
    struct baseline_pass *all = arena_array(a, (size_t)kept + now->pass_count + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < kept; i++)
        all[i] = old->passes[from + i];
    for (uint32_t i = 0; i < now->pass_count; i++)
        all[kept + i] = now->passes[i];
    now->passes = all;
    now->pass_count += kept;
    return true;
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t median_of(uint32_t *values, uint32_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return count ? values[count / 2] : 0;
}

struct baseline_state baseline_state_of(const struct baseline_pass *passes, uint32_t count)
{
    uint32_t mhz[BASELINE_PASSES_MOST] = {0}, celsius[BASELINE_PASSES_MOST] = {0},
             milliwatts[BASELINE_PASSES_MOST] = {0}, load[BASELINE_PASSES_MOST] = {0};
    uint32_t clocks = 0, heats = 0, powers = 0, loads = 0;
    for (uint32_t i = 0; i < count && i < BASELINE_PASSES_MOST; i++) {
        if (passes[i].mhz)
            mhz[clocks++] = passes[i].mhz;
        if (passes[i].celsius)
            celsius[heats++] = passes[i].celsius;
        if (passes[i].milliwatts)
            milliwatts[powers++] = passes[i].milliwatts;
        if (passes[i].load)
            load[loads++] = passes[i].load;
    }
    return (struct baseline_state){median_of(mhz, clocks), median_of(celsius, heats),
                                   median_of(milliwatts, powers), median_of(load, loads)};
}
