// Which stored result answers for a job under a policy.

#include "store/database.h"
#include "store/fail.h"

#include <string.h>

// What decides, of one stored result.
struct kept {
    enum status status;
    bool of_configuration; // a failure of the configuration's own
    bool deliberate;       // settled, or stopped early: a normal tune would stop there again
    uint32_t samples;
    uint64_t limit_ns; // TIMEOUT: that it met
    uint64_t launch_limit_ns, build_limit_ns;
    bool cold;
};

// Samples are counted, each the mean of a batch of launches.
static uint32_t samples_wanted(const struct policy *p)
{
    uint32_t batch = p->batch ? p->batch : 1;
    return p->launches / batch + (p->launches % batch != 0);
}

// A fixed policy counts samples alone, whatever ended the measuring. Cold and warm times are
// different answers.
static bool correct_answers(const struct kept *k, const struct policy *p)
{
    if (k->cold != p->cold)
        return false;
    return k->samples >= samples_wanted(p) || (k->deliberate && !p->fixed);
}

// A limit of 0 is none.
static bool limit_covers(uint64_t met, uint64_t asked)
{
    return asked != 0 && met >= asked;
}

// The limit that was met tells whether it was a build or a launch that took too long; when both had
// the same, both are held against it.
static bool timeout_answers(const struct kept *k, const struct policy *p)
{
    bool build = k->limit_ns == k->build_limit_ns;
    bool launch = k->limit_ns == k->launch_limit_ns || !build;
    return (!build || limit_covers(k->limit_ns, p->build_limit_ns)) &&
           (!launch || limit_covers(k->limit_ns, p->launch_limit_ns));
}

static bool answers(const struct kept *k, const struct policy *p, bool retry)
{
    if (k->status == STATUS_CORRECT)
        return correct_answers(k, p);
    if (retry || !k->of_configuration)
        return false;
    return k->status != STATUS_TIMEOUT || timeout_answers(k, p);
}

// Columns as in STATEMENT_FIND. False for a status that only a newer hone knows.
static bool kept_read(sqlite3_stmt *row, struct kept *k)
{
    const char *status = (const char *)sqlite3_column_text(row, 0);
    const char *fault = (const char *)sqlite3_column_text(row, 1);
    const char *stop = (const char *)sqlite3_column_text(row, 2);
    memset(k, 0, sizeof *k);
    if (!status || !status_parse(status, &k->status))
        return false;
    k->of_configuration = str_equal(fault, fault_text(FAULT_CONFIGURATION));
    k->deliberate = str_equal(stop, stop_text(STOP_SETTLED)) ||
                    str_equal(stop, stop_text(STOP_HOPELESS)) ||
                    str_equal(stop, stop_text(STOP_LIMIT));
    k->samples = (uint32_t)sqlite3_column_int64(row, 3);
    k->limit_ns = (uint64_t)sqlite3_column_int64(row, 4);
    k->cold = sqlite3_column_int(row, 5) != 0;
    k->launch_limit_ns = (uint64_t)sqlite3_column_int64(row, 6);
    k->build_limit_ns = (uint64_t)sqlite3_column_int64(row, 7);
    return true;
}

#define BODY 8

static struct result *body_read(struct store *s, sqlite3_stmt *row, struct error *e)
{
    const void *body = sqlite3_column_blob(row, BODY);
    struct result *r = result_decode(body, (size_t)sqlite3_column_bytes(row, BODY), e);
    if (r)
        r->reused = true;
    else
        error_context(e, "%s: a stored result", s->path);
    return r;
}

struct result *store_find(struct store *s, const struct digest *key, const struct policy *policy,
                          bool retry, struct error *e)
{
    int code;
    struct kept k;
    struct result *found = NULL;
    struct values v = {statement_get(s, STATEMENT_FIND, e), SQLITE_OK};
    if (!v.statement)
        return NULL;
    value_digest(&v, ":job", key);
    value_i64(&v, ":format", RESULT_FORMAT);
    bool done = false;
    while (!done && (code = sqlite3_step(v.statement)) == SQLITE_ROW) {
        done = kept_read(v.statement, &k) && answers(&k, policy, retry);
        if (done)
            found = body_read(s, v.statement, e);
    }
    if (!done && code != SQLITE_DONE)
        store_fail_sqlite(e, s->path, s->db, "looking for a result");
    sqlite3_reset(v.statement);
    return found;
}
