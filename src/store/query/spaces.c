// What a store holds, as recorded spaces: which there are, and the results of one.

#include "store/query/query.h"

#define SPACES_MOST 4096

struct noted {
    struct noted *next;
    struct stored_space space;
};

struct noting {
    struct arena *a;
    struct noted *first, **last;
    size_t count;
    bool failed; // no memory
};

const char *result_statistic(const struct result *r)
{
    return r->statistic && r->statistic[0] ? r->statistic : "median";
}

static bool is_of_space(const struct stored_space *s, const struct store_row *row)
{
    return str_equal(s->spec, row->spec_name) && str_equal(s->constants, row->constants) &&
           str_equal(s->device, row->device) && str_equal(s->platform, row->platform) &&
           str_equal(s->language, row->language);
}

static void add_space(struct noting *n, const struct store_row *row)
{
    struct store_row own;
    struct noted *fresh = arena_alloc(n->a, sizeof *fresh);
    const char *statistic = arena_strdup(n->a, result_statistic(row->result));
    n->failed |= !fresh || !statistic || !store_row_copy(n->a, row, &own);
    if (n->failed)
        return;
    fresh->space = (struct stored_space){.spec = own.spec_name,
                                         .constants = own.constants,
                                         .device = own.device,
                                         .platform = own.platform,
                                         .language = own.language,
                                         .driver = own.driver,
                                         .kernels = own.kernels,
                                         .hone_version = own.hone_version,
                                         .identity = own.identity,
                                         .source = own.source,
                                         .cold = own.cold,
                                         .is_timed = own.status == STATUS_CORRECT,
                                         .results = 1,
                                         .is_imported = own.stop == STOP_IMPORTED,
                                         .statistic = statistic};
    *n->last = fresh;
    n->last = &fresh->next;
    n->count++;
}

// Rows come newest first: the first of a space says which of the others are alike, the first that
// is correct whether the inputs were cold.
static bool note_space(void *context, const struct store_row *row)
{
    struct noting *n = context;
    bool is_correct = row->status == STATUS_CORRECT;
    for (struct noted *known = n->first; known; known = known->next) {
        struct stored_space *s = &known->space;
        if (!is_of_space(s, row))
            continue;
        if (is_correct && !s->is_timed) {
            s->is_timed = true;
            s->cold = row->cold;
        }
        s->results += digest_equal(&s->identity, &row->identity) &&
                      digest_equal(&s->source, &row->source) &&
                      (!is_correct || s->cold == row->cold);
        return true;
    }
    if (n->count < SPACES_MOST)
        add_space(n, row);
    return !n->failed;
}

// Samples of comparisons are of paired runs of their own; what a lost device left says nothing.
static struct store_query recorded_rows(const char *spec_name, const char *constants)
{
    return (struct store_query){.spec_name = spec_name,
                                .constants = constants,
                                .all_runs = true,
                                .today = true,
                                .imported = true,
                                .telling = true,
                                .timeouts = true,
                                .uncompared = true};
}

bool stored_spaces(struct store *s, const char *spec_name, const char *constants, struct arena *a,
                   struct stored_space **out, size_t *count, struct error *e)
{
    struct noting n = {.a = a};
    const struct store_query q = recorded_rows(spec_name, constants);
    n.last = &n.first;
    *count = 0;
    if (!store_each(s, &q, note_space, &n, e))
        return false;
    *out = n.failed ? NULL : arena_array(a, n.count + 1, sizeof **out);
    if (!*out)
        return error_memory(e);
    for (const struct noted *at = n.first; at; at = at->next)
        (*out)[(*count)++] = at->space;
    return true;
}

static struct store_query rows_of_space(const struct stored_space *space)
{
    struct store_query q = recorded_rows(space->spec, space->constants);
    q.device_identity = &space->identity;
    q.source = &space->source;
    q.inputs = space->cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM;
    return q;
}

bool stored_space_each(struct store *s, const struct stored_space *space,
                       bool (*each)(void *context, const struct store_row *row), void *context,
                       struct error *e)
{
    struct store_query q = rows_of_space(space);
    q.newest = STORE_NEWEST_OF_CONFIGURATION;
    return store_each(s, &q, each, context, e);
}

bool stored_space_each_result(struct store *s, const struct stored_space *space,
                              bool (*each)(void *context, const struct store_row *row),
                              void *context, struct error *e)
{
    struct store_query q = rows_of_space(space);
    q.logs = true;
    return store_each(s, &q, each, context, e);
}
