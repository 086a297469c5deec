// Reads a recorded space out of a store: the one that is meant, its rows newest first, each
// configuration from the JSON that is kept with it.

#include "recorded/read_store.h"

#include "recorded/stored_space.h"
#include "recorded/tokens.h"
#include "stats/stats.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_store_file(const char *path)
{
    char head[16];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) // a pipe is read once
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is = pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
              memcmp(head, "SQLite format 3", sizeof head) == 0;
    close(fd);
    return is;
}

// ---- rows --------------------------------------------------------------------------------------

struct taking {
    struct gather *gather;
    struct tokens tokens;
};

static bool unreadable(struct taking *t, const char *json)
{
    return gather_refuse(t->gather, "a configuration that cannot be read: %.200s", json);
}

static bool set_values(struct taking *t, const char *json, struct text *name)
{
    struct value v;
    struct error *e = t->gather->e;
    if (tokens_next(&t->tokens, e) != TOKEN_OBJECT)
        return unreadable(t, json);
    while (tokens_next(&t->tokens, e) == TOKEN_KEY) {
        text_clear(name);
        text_add(name, text_cstr(&t->tokens.text));
        if (name->failed)
            return error_memory(e);
        tokens_next(&t->tokens, e);
        if (!tokens_value(&t->tokens, &v))
            return unreadable(t, json);
        if (!gather_set(t->gather, text_cstr(name), &v))
            return false;
    }
    return t->tokens.kind == TOKEN_OBJECT_END || unreadable(t, json);
}

// {"block_size_x": 16, ...}, as hone wrote it.
static bool set_configuration(struct taking *t, const char *json)
{
    struct bytes b;
    struct text name = TEXT_INIT;
    const char *path = t->gather->recorded->path;
    bool ok = bytes_open_memory(&b, path, json, strlen(json), t->gather->e);
    tokens_release(&t->tokens);
    tokens_init(&t->tokens, &b);
    ok = ok && set_values(t, json, &name);
    text_release(&name);
    bytes_close(&b);
    return ok;
}

static double cost(uint64_t ns)
{
    return ns > 0 ? (double)ns : NAN;
}

static const char *known_statistic(const struct result *r)
{
    return str_equal(r->statistic, "mean")      ? "mean"
           : str_equal(r->statistic, "minimum") ? "minimum"
                                                : "median";
}

static bool set_result(struct taking *t, const struct result *r)
{
    const uint64_t *samples;
    uint32_t count;
    struct recorded_row *row = &t->gather->row.row;
    row->status = r->status;
    t->gather->recorded->statistic = known_statistic(r); // one platform, one statistic
    if (result_samples(r, &samples, &count) && count > 0)
        row->time_ns = r->exact_ns > 0 ? r->exact_ns : stats_median(samples, count);
    row->costs = (struct recorded_costs){.compile_ns = cost(r->build_ns),
                                         .run_ns = cost(r->measure_ns),
                                         .verify_ns = cost(r->verify_ns + r->reference_ns),
                                         .framework_ns = cost(r->load_ns + r->inputs_ns),
                                         .search_ns = NAN};
    return !r->message || !r->message[0] || gather_message(t->gather, r->message);
}

static bool take_stored_row(void *context, const struct store_row *row)
{
    struct taking *t = context;
    snprintf(t->gather->place, sizeof t->gather->place, "result %.32s", row->id);
    gather_begin(t->gather);
    return set_configuration(t, row->configuration_json) && set_result(t, row->result) &&
           gather_end(t->gather);
}

// ---- the space ---------------------------------------------------------------------------------

static bool name_space(struct recorded *r, const struct stored_space *s, struct error *e)
{
    r->name = arena_strdup(&r->arena, s->spec);
    r->device = arena_strdup(&r->arena, s->device);
    r->constants = arena_strdup(&r->arena, s->constants);
    return (r->name && r->device && r->constants) || error_memory(e);
}

static bool gather_space(struct recorded *r, const struct recorded_options *o, struct store *store,
                         const struct stored_space *space, struct error *e)
{
    struct gather g;
    struct taking t = {.gather = &g};
    bool ok = gather_init(&g, r, o, e);
    g.unit_ns = 1;
    r->format = RECORDED_STORE;
    ok = ok && stored_space_each(store, space, take_stored_row, &t, e) && e->code == ERROR_NONE;
    ok = ok && gather_finish(&g) && name_space(r, space, e);
    tokens_release(&t.tokens);
    gather_release(&g);
    return ok;
}

struct recorded *read_stored_space(struct store *store, const struct stored_space *space,
                                   const struct log *log, struct error *e)
{
    const struct recorded_options o = {.log = log};
    struct recorded *r = alloc_zeroed(sizeof *r, e);
    if (!r)
        return NULL;
    arena_init(&r->arena);
    r->path = arena_strdup(&r->arena, store_path(store));
    if (r->path ? gather_space(r, &o, store, space, e) : error_memory(e))
        return r;
    recorded_free(r);
    return NULL;
}

static bool refuse_choice(const struct recorded *r, const struct recorded_options *o,
                          const struct stored_space *spaces, size_t count, struct error *e)
{
    struct text text = TEXT_INIT;
    if (count > 0) {
        text_addf(
            &text,
            "the store has %zu recorded spaces; choose one by spec, device and constants:", count);
        stored_spaces_list(spaces, count, &text);
    } else {
        text_addf(&text, "the store has no results%s%s", o->spec ? " of " : "",
                  o->spec ? o->spec->name : "");
        text_addf(&text, "%s%s", o->constants && o->constants[0] ? " with " : "",
                  o->constants ? o->constants : "");
        text_addf(&text, "%s%s", o->device ? " on " : "", o->device ? o->device : "");
    }
    error_set(e, count > 0 ? ERROR_USAGE : ERROR_INPUT, "%s: %s", r->path, text_cstr(&text));
    text_release(&text);
    return false;
}

bool read_store(struct recorded *r, const struct recorded_options *o, struct error *e)
{
    struct arena arena;
    struct stored_space *spaces = NULL;
    size_t count = 0;
    arena_init(&arena);
    struct store *store = store_open(r->path, STORE_READ, e);
    bool ok = store && stored_spaces(store, o->spec ? o->spec->name : o->name, o->constants,
                                     STORED_NEWEST, &arena, &spaces, &count, e);
    if (ok && o->device && o->device[0])
        count = stored_spaces_keep(spaces, count, o->device);
    if (ok && !o->name)
        count = stored_spaces_own(spaces, count);
    ok = ok && (count == 1 || refuse_choice(r, o, spaces, count, e));
    ok = ok && gather_space(r, o, store, &spaces[0], e);
    store_close(store);
    arena_release(&arena);
    return ok;
}
