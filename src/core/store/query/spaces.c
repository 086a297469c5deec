// The contents of a store as recorded spaces: their list, and the results of one.

#include "store/query/query.h"

#include <string.h>

#define SPACES_MOST 4096

// Rows with warm and with cold inputs are counted apart: which of them a set shows is known only once the newest correct
// row of the place has been seen.
struct noted {
    struct noted *next;
    struct noted *leader; // the newest of the place: this one, or an earlier one
    struct stored_space space;
    uint64_t warm, cold, failed, others; // others: of another driver or text
};

struct noting {
    struct arena *a;
    enum stored_apart apart;
    struct noted *first, **last;
    struct noted *recent; // that had the last row: the next one is mostly of the same
    size_t count;
    bool failed; // no memory
};

const char *result_statistic(const struct result *r)
{
    return r->statistic && r->statistic[0] ? r->statistic : "median";
}

static bool is_of_place(const struct stored_space *s, const struct store_row *row)
{
    return str_equal(s->spec, row->spec_name) && str_equal(s->constants, row->constants) &&
           str_equal(s->device, row->device) && str_equal(s->platform, row->platform) &&
           str_equal(s->language, row->language);
}

static struct noted *add_space(struct noting *n, const struct store_row *row, struct noted *leader)
{
    struct store_row own;
    struct noted *fresh = arena_alloc(n->a, sizeof *fresh);
    const char *statistic = arena_strdup(n->a, result_statistic(row->result));
    const uint8_t *session = arena_copy(n->a, row->session_bytes, sizeof row->session_bytes);
    n->failed |= !fresh || !statistic || !session || !store_row_copy(n->a, row, &own);
    if (n->failed)
        return NULL;
    *fresh = (struct noted){.leader = leader ? leader : fresh};
    fresh->space = (struct stored_space){.spec = own.spec_name,
                                         .constants = own.constants,
                                         .device = own.device,
                                         .platform = own.platform,
                                         .language = own.language,
                                         .driver = own.driver,
                                         .kernels = own.kernels,
                                         .hone_version = own.hone_version,
                                         .uuid = own.uuid,
                                         .pci = own.pci,
                                         .identity = own.identity,
                                         .source = own.source,
                                         .session = n->apart == STORED_RUNS ? session : NULL,
                                         .is_imported = own.stop == STOP_IMPORTED,
                                         .statistic = statistic};
    *n->last = fresh;
    n->last = &fresh->next;
    n->count++;
    return fresh;
}

static bool is_of_space(const struct noting *n, const struct noted *known,
                        const struct store_row *row)
{
    const struct stored_space *s = &known->space;
    if (n->apart == STORED_RUNS && memcmp(s->session, row->session_bytes, STORE_ID_BYTES) != 0)
        return false;
    if (n->apart == STORED_DRIVERS && !digest_equal(&s->identity, &row->identity))
        return false;
    return is_of_place(s, row);
}

// The space of a row, a new one if there is none; *leader is the newest of its place. NULL: the row
// belongs to no space.
static struct noted *space_of_row(struct noting *n, const struct store_row *row)
{
    struct noted *leader = NULL;
    if (n->recent && is_of_space(n, n->recent, row))
        return n->recent;
    for (struct noted *known = n->first; known; known = known->next) {
        if (is_of_space(n, known, row))
            return known;
        if (!leader && is_of_place(&known->space, row))
            leader = known;
    }
    // of an older driver with another text nothing compares
    if (leader && n->apart == STORED_DRIVERS && !digest_equal(&leader->space.source, &row->source))
        leader->others++;
    else if (n->count < SPACES_MOST)
        return add_space(n, row, leader);
    return NULL;
}

// Rows come newest first: the first of a space says which of the others are alike, the first that
// is correct whether the inputs were cold.
static bool note_space(void *context, const struct store_row *row)
{
    struct noting *n = context;
    struct noted *known = space_of_row(n, row);
    if (!known)
        return !n->failed;
    struct stored_space *s = &known->space;
    bool is_correct = row->status == STATUS_CORRECT;
    n->recent = known;
    if (is_correct && !s->is_timed) {
        s->is_timed = true;
        s->cold = row->cold;
    }
    bool counts =
        digest_equal(&s->identity, &row->identity) && digest_equal(&s->source, &row->source);
    *(!counts       ? &known->others
      : !is_correct ? &known->failed
      : row->cold   ? &known->cold
                    : &known->warm) += 1;
    return true;
}

// In a place with several drivers the newest decides for all whether inputs are cold; a space left
// empty is dropped.
static void count_space(const struct noting *n, struct noted *of)
{
    struct stored_space *s = &of->space;
    const struct stored_space *leader = &of->leader->space;
    if (n->apart == STORED_DRIVERS && leader->is_timed)
        s->cold = leader->cold;
    s->results = of->failed + (s->cold ? of->cold : of->warm);
    s->left_out = of->others + (s->cold ? of->warm : of->cold);
    s->is_timed = s->is_timed && (s->cold ? of->cold : of->warm) > 0;
    if (s->results == 0 && of->leader != of)
        of->leader->space.left_out += s->left_out;
}

// Runs are numbered from the oldest of their place.
static void number_runs(struct noted *first)
{
    for (struct noted *at = first; at; at = at->next) {
        at->space.run = 1;
        for (const struct noted *older = at->next; older; older = older->next)
            at->space.run += older->leader == at->leader;
    }
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

bool stored_spaces(struct store *s, const char *spec_name, const char *constants,
                   enum stored_apart apart, struct arena *a, struct stored_space **out,
                   size_t *count, struct error *e)
{
    struct noting n = {.a = a, .apart = apart};
    const struct store_query q = recorded_rows(spec_name, constants);
    n.last = &n.first;
    *count = 0;
    if (!store_each(s, &q, note_space, &n, e))
        return false;
    *out = n.failed ? NULL : arena_array(a, n.count + 1, sizeof **out);
    if (!*out)
        return error_memory(e);
    if (apart == STORED_RUNS)
        number_runs(n.first);
    for (struct noted *at = n.first; at; at = at->next)
        count_space(&n, at);
    for (const struct noted *at = n.first; at; at = at->next) {
        if (at->space.results > 0 || at->leader == at)
            (*out)[(*count)++] = at->space;
    }
    return true;
}

static struct store_query rows_of_space(const struct stored_space *space)
{
    struct store_query q = recorded_rows(space->spec, space->constants);
    q.device_identity = &space->identity;
    q.source = &space->source;
    q.session = space->session;
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
