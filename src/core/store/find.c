// Which stored result answers for a job under a policy: the table at store_find().

#include "store/database.h"
#include "store/fail.h"

#include <string.h>

// The fields of a stored result that decide whether it answers.
struct kept {
    enum status status;
    enum fault fault;
    enum stop_reason stop;
    uint32_t samples;
    uint64_t limit_ns; // TIMEOUT: that it met
    uint64_t launch_limit_ns, build_limit_ns;
    bool cold;
    bool fixed; // its number of samples was decided before they were seen
};

// ---- what decides -------------------------------------------------------------------------------

// Samples are counted, each the mean of a batch of launches.
static uint32_t samples_wanted(const struct policy *p)
{
    uint32_t batch = p->batch ? p->batch : 1;
    return p->launches / batch + (p->launches % batch != 0);
}

static bool is_early(const struct kept *k)
{
    return k->stop == STOP_HOPELESS || k->stop == STOP_LIMIT;
}

// Cold and warm times are different answers.
static bool is_comparable_kept(const struct kept *k, const struct store_question *q)
{
    return k->status == STATUS_CORRECT && k->cold == q->policy.cold;
}

// Samples that are only counted are put together elsewhere. The launch that is verified may be so
// slow that none is timed.
static bool correct_answers(const struct kept *k, const struct store_question *q)
{
    if (q->policy.launches == 0) // only whether it is right is asked
        return k->status == STATUS_CORRECT;
    if (!is_comparable_kept(k, q) || k->fixed || q->policy.fixed)
        return false;
    if (is_early(k))
        return !q->alone;
    return k->samples > 0 && (k->stop == STOP_SETTLED || k->stop == STOP_RANKED);
}

// A limit of 0 means that there is none.
static bool limit_covers(uint64_t met, uint64_t asked)
{
    return asked != 0 && met >= asked;
}

// The limit that was met tells whether it was a build or a launch that took too long; when both had
// the same, both are compared with it.
static bool timeout_answers(const struct kept *k, const struct policy *p)
{
    bool build = k->limit_ns == k->build_limit_ns;
    bool launch = k->limit_ns == k->launch_limit_ns || !build;
    return (!build || limit_covers(k->limit_ns, p->build_limit_ns)) &&
           (!launch || limit_covers(k->limit_ns, p->launch_limit_ns));
}

static bool failure_answers(const struct kept *k, const struct store_question *q)
{
    if (k->status == STATUS_CORRECT || (q->retry >> k->status & 1))
        return false;
    if (k->fault == FAULT_LOST)
        return !q->alone;
    if (k->fault != FAULT_CONFIGURATION)
        return false;
    return k->status != STATUS_TIMEOUT || timeout_answers(k, &q->policy);
}

// A failure that is to be tried again. Earlier results do not answer either: they would hide the
// failure.
static bool is_tried_again(const struct kept *k, const struct store_question *q)
{
    if (k->status == STATUS_CORRECT)
        return false;
    return (k->fault == FAULT_LOST && q->alone) ||
           (k->fault == FAULT_CONFIGURATION && (q->retry >> k->status & 1));
}

// ---- reading ------------------------------------------------------------------------------------

enum fault fault_read(const char *text)
{
    for (unsigned f = 0; f < FAULT_COUNT; f++)
        if (str_equal(text, fault_text((enum fault)f)))
            return (enum fault)f;
    return FAULT_COUNT;
}

// Columns as in STATEMENT_FIND. False for a status or stop that only a newer hone knows.
static bool kept_read(sqlite3_stmt *row, struct kept *k)
{
    const char *status = (const char *)sqlite3_column_text(row, 0);
    const char *stop = (const char *)sqlite3_column_text(row, 2);
    memset(k, 0, sizeof *k);
    if (!status || !status_parse(status, &k->status) || !stop || !stop_parse(stop, &k->stop))
        return false;
    k->fault = fault_read((const char *)sqlite3_column_text(row, 1));
    k->samples = (uint32_t)sqlite3_column_int64(row, 3);
    k->limit_ns = (uint64_t)sqlite3_column_int64(row, 4);
    k->cold = sqlite3_column_int(row, 5) != 0;
    k->launch_limit_ns = (uint64_t)sqlite3_column_int64(row, 6);
    k->build_limit_ns = (uint64_t)sqlite3_column_int64(row, 7);
    k->fixed = sqlite3_column_int(row, 8) != 0 || k->stop == STOP_FIXED;
    return true;
}

enum { UNSEEN = 9, SESSION, FORMAT };

// ---- finding ------------------------------------------------------------------------------------

// Rows come newest first.
struct finding {
    struct store *store;
    const struct store *front; // the store in question: `store`, or the one it is behind
    const struct store_question *q;
    struct result *counted; // fixed samples put together so far
    struct result *found;   // what answers
    bool works;             // a correct result was seen: failures before it do not answer
    bool over;              // nothing answers: the newest is a failure that is to be tried again
};

static bool is_enough(const struct finding *f)
{
    return f->counted && f->counted->sample_count >= samples_wanted(&f->q->policy);
}

// Adds one of the results that are counted by their samples.
static bool count_samples_row(struct finding *f, sqlite3_stmt *row, struct error *e)
{
    struct result *r = row_result(f->store, row, FORMAT, e);
    if (!r)
        return false;
    r->reused = true;
    bool ok = true;
    if (!f->counted) {
        f->counted = r;
        r = NULL;
    } else if (result_samples_alike(f->counted, r)) {
        ok = result_samples_before(f->counted, r) || error_memory(e);
    }
    result_free(r);
    if (ok && is_enough(f)) {
        f->found = f->counted;
        f->counted = NULL;
    }
    return ok;
}

static bool is_of_own_run(const struct finding *f, sqlite3_stmt *row)
{
    return store_is_own_run(f->front, sqlite3_column_blob(row, SESSION),
                            (size_t)sqlite3_column_bytes(row, SESSION));
}

static bool look_at_row(struct finding *f, sqlite3_stmt *row, struct error *e)
{
    struct kept k;
    if (!kept_read(row, &k) || !store_answers(f->front, sqlite3_column_int(row, UNSEEN) != 0,
                                              sqlite3_column_blob(row, SESSION),
                                              (size_t)sqlite3_column_bytes(row, SESSION)))
        return true;
    f->works |= k.status == STATUS_CORRECT;
    f->over = !f->works && is_tried_again(&k, f->q);
    if (k.fixed && k.samples > 0 && is_comparable_kept(&k, f->q))
        return count_samples_row(f, row, e);
    bool failure = !f->works && failure_answers(&k, f->q);
    if (!failure && !correct_answers(&k, f->q))
        return true;
    f->found = row_result(f->store, row, FORMAT, e);
    if (!f->found)
        return false;
    f->found->reused = true;
    if (result_compiler_died(f->found) && !is_of_own_run(f, row)) {
        result_free(f->found);
        f->found = NULL;
        f->over = true;
    }
    return true;
}

static bool look_at_rows(struct finding *f, struct error *e)
{
    bool ok = true;
    int code = SQLITE_ROW;
    struct store *s = f->store;
    static const enum statement finds[] = {STATEMENT_FIND_1, STATEMENT_FIND_2, STATEMENT_FIND};
    struct values v = {statement_get(s, finds[s->version - 1], e), SQLITE_OK};
    if (!v.statement)
        return false;
    value_digest(&v, ":job", &f->q->key);
    value_i64(&v, ":format", RESULT_FORMAT);
    while (ok && !f->found && !f->over && (code = sqlite3_step(v.statement)) == SQLITE_ROW)
        ok = look_at_row(f, v.statement, e);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        ok = store_fail_sqlite(e, s->path, s->db, "looking for a result");
    sqlite3_reset(v.statement);
    return ok;
}

// Searches the stores behind: a failure there does not override a correct result in front.
static bool find_behind(struct finding *f, struct error *e)
{
    bool ok = true;
    for (struct store *s = f->store->behind; s && ok && !f->found && !f->over; s = s->behind) {
        struct finding there = {.store = s, .front = f->front, .q = f->q, .works = f->works};
        ok = look_at_rows(&there, e);
        result_free(there.counted);
        f->found = there.found;
        f->works = there.works;
        f->over = there.over;
    }
    return ok;
}

struct result *store_find(struct store *s, const struct store_question *q, uint32_t *missing,
                          struct error *e)
{
    struct finding f = {.store = s, .front = s, .q = q};
    bool ok = look_at_rows(&f, e);
    if (ok)
        s->busy_ns = 0;
    if (missing)
        *missing = 0;
    if (ok && !f.found && !f.over)
        ok = find_behind(&f, e);
    if (ok && !f.found && missing && q->policy.fixed && f.counted) {
        *missing = samples_wanted(&q->policy) - f.counted->sample_count;
        return f.counted;
    }
    result_free(f.counted);
    return f.found;
}

bool store_has_configuration(struct store *s, const char *configuration_json,
                             const struct digest *source)
{
    bool has = false;
    for (; s && !has; s = s->behind) {
        struct values v = {statement_get(s, STATEMENT_HAS_CONFIGURATION, NULL), SQLITE_OK};
        if (!v.statement)
            continue;
        value_digest(&v, ":source", source);
        value_text(&v, ":configuration", configuration_json);
        has = v.code == SQLITE_OK && sqlite3_step(v.statement) == SQLITE_ROW;
        sqlite3_reset(v.statement);
    }
    return has;
}
