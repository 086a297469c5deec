// Writing: the session of a run, and each result with its job.

#include "base/array.h"
#include "stats/stats.h"
#include "store/database.h"
#include "store/fail.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static bool id_make(uint8_t id[STORE_ID_BYTES], struct error *e)
{
    ssize_t n;
    do
        n = getrandom(id, STORE_ID_BYTES, 0);
    while (n < 0 && errno == EINTR);
    if (n != STORE_ID_BYTES)
        return error_set_driver(e, ERROR_IO, errno, "no random numbers from the system: %s",
                                strerror(errno));
    return true;
}

#define DATE_BYTES 40

// Milliseconds, so that the newest of a run's results is the last one.
static void date_now(char out[DATE_BYTES])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(out, DATE_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + n, DATE_BYTES - n, ".%03ldZ", now.tv_nsec / 1000000);
}

// ---- session ------------------------------------------------------------------------------------

struct text_column {
    const char *parameter;
    size_t offset; // of a const char * in the struct
};

static const struct text_column session_columns[] = {
    {":command", offsetof(struct store_session, command)},
    {":hone_version", offsetof(struct store_session, hone_version)},
    {":host", offsetof(struct store_session, host)},
    {":spec_name", offsetof(struct store_session, spec_name)},
    {":spec_path", offsetof(struct store_session, spec_path)},
    {":constants", offsetof(struct store_session, constants)},
    {":surroundings", offsetof(struct store_session, surroundings)},
};

static const struct text_column device_columns[] = {
    {":device", offsetof(struct device_info, name)},
    {":vendor", offsetof(struct device_info, vendor)},
    {":platform", offsetof(struct device_info, platform)},
    {":platform_version", offsetof(struct device_info, platform_version)},
    {":driver", offsetof(struct device_info, driver)},
    {":compiler", offsetof(struct device_info, compiler)},
    {":language_version", offsetof(struct device_info, language_version)},
    {":uuid", offsetof(struct device_info, uuid)},
    {":pci", offsetof(struct device_info, pci)},
    {":device_surroundings", offsetof(struct device_info, surroundings)},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char **text_member(void *object, size_t offset)
{
    return (const char **)((char *)object + offset);
}

// Replaces the texts of `object` by copies; false without memory.
static bool columns_copy(struct arena *a, void *object, const struct text_column *columns,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char **text = text_member(object, columns[i].offset);
        const char *copy = arena_strdup(a, *text);
        if (*text && !copy)
            return false;
        *text = copy;
    }
    return true;
}

static void columns_bind(struct values *v, void *object, const struct text_column *columns,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        value_text(v, columns[i].parameter, *text_member(object, columns[i].offset));
}

// Room for one more session.
static struct begun *begun_add(struct store *s)
{
    if (!ARRAY_ROOM(s->runs, s->run_room, s->run_count + 1))
        return NULL;
    return memset(&s->runs[s->run_count++], 0, sizeof *s->runs);
}

static bool run_copy(struct run *r, const struct store_session *session)
{
    r->session = *session;
    if (!columns_copy(&r->arena, &r->session, session_columns, COUNT(session_columns)))
        return false;
    if (session->device) {
        r->device = *session->device;
        device_info_digest(session->device, &r->identity);
        if (!columns_copy(&r->arena, &r->device, device_columns, COUNT(device_columns)))
            return false;
        r->session.device = &r->device;
    }
    if (!session->spec_text)
        return true;
    const char *text = arena_strdup(&r->arena, session->spec_text);
    r->spec.items = arena_array(&r->arena, 1, sizeof *r->spec.items);
    if (!text || !r->spec.items)
        return false;
    r->spec.items[0] = (struct text_item){"spec", r->session.spec_name, text, strlen(text)};
    r->spec.count = 1;
    return true;
}

bool store_begin(struct store *s, const struct store_session *session, struct error *e)
{
    struct run *r = &s->run;
    arena_release(&r->arena);
    memset(r, 0, sizeof *r);
    if (!run_copy(r, session))
        return error_memory(e);
    if (!id_make(r->id, e))
        return false;
    struct begun *begun = begun_add(s);
    if (!begun)
        return error_memory(e);
    memcpy(begun->id, r->id, sizeof begun->id);
    r->begun = true;
    return true;
}

static void device_bind(struct values *v, struct run *r)
{
    columns_bind(v, &r->device, device_columns, COUNT(device_columns));
    value_text(v, ":device_type", device_type_text(r->device.type));
    value_i64(v, ":compute_units", r->device.compute_units);
    value_i64(v, ":clock_mhz", r->device.clock_mhz);
    value_u64(v, ":global_bytes", r->device.global_bytes);
    value_u64(v, ":local_bytes", r->device.local_bytes);
    value_digest(v, ":device_identity", &r->identity);
}

static bool session_put(struct store *s, const char *date, struct error *e)
{
    struct run *r = &s->run;
    struct digest spec;
    char seed[24];
    if (r->written)
        return true;
    if (r->spec.count && !texts_put(s, &r->spec, &spec, e))
        return false;
    struct values v = {statement_get(s, STATEMENT_PUT_SESSION, e), SQLITE_OK};
    if (!v.statement)
        return false;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->session.seed);
    value_blob(&v, ":id", r->id, sizeof r->id);
    value_text(&v, ":date", date);
    value_text(&v, ":seed", seed);
    columns_bind(&v, &r->session, session_columns, COUNT(session_columns));
    if (r->spec.count)
        value_digest(&v, ":texts", &spec);
    if (r->session.device)
        device_bind(&v, r);
    return values_run(&v, s, "writing the session", e);
}

// ---- job ----------------------------------------------------------------------------------------

static void kernels_list(struct text *out, const struct job *j)
{
    if (j->routine != ROUTINE_NONE)
        text_add(out, routine_text(j->routine));
    for (uint32_t i = 0; i < j->launch_count && i < LAUNCHES_TOLD; i++)
        text_addf(out, "%s%s", i ? "\n" : "", j->launches[i].kernel);
}

static void options_list(struct text *out, const struct job *j)
{
    for (uint32_t p = 0; p < j->program_count; p++)
        for (uint32_t i = 0; i < j->programs[p].option_count; i++)
            text_addf(out, "%s%s", i ? "\n" : p ? "\n\n" : "", j->programs[p].options[i]);
}

static bool job_put(struct store *s, const struct store_job *job, struct error *e)
{
    bool ok = false;
    struct digest texts;
    struct text_set set;
    struct text kernels = TEXT_INIT, options = TEXT_INIT, geometry = TEXT_INIT;
    struct values v = {statement_get(s, STATEMENT_PUT_JOB, e), SQLITE_OK};
    kernels_list(&kernels, job->job);
    options_list(&options, job->job);
    job_geometry_text(job->job, &geometry);
    if (!texts_of_job(s, job->job, &set) || kernels.failed || options.failed || geometry.failed) {
        error_memory(e);
        goto cleanup;
    }
    if (!v.statement || !texts_put(s, &set, &texts, e))
        goto cleanup;
    value_digest(&v, ":key", &job->key);
    value_i64(&v, ":measuring_version", HONE_MEASURING_VERSION);
    value_text(&v, ":language", language_text(job->job->language));
    value_text(&v, ":spec_name", job->as.spec_name);
    value_text(&v, ":constants", job->as.constants);
    value_text(&v, ":configuration", job->job->configuration);
    value_text(&v, ":configuration_json", job->job->configuration_json);
    value_text(&v, ":geometry", text_cstr(&geometry));
    value_text(&v, ":kernels", text_cstr(&kernels));
    value_text(&v, ":options", text_cstr(&options));
    value_digest(&v, ":source", &job->as.source);
    value_digest(&v, ":texts", &texts);
    ok = values_run(&v, s, "writing a job", e);
cleanup:
    text_release(&kernels);
    text_release(&options);
    text_release(&geometry);
    return ok;
}

// ---- result -------------------------------------------------------------------------------------

void samples_list(struct text *out, const uint64_t *samples, uint32_t count)
{
    text_clear(out);
    text_addc(out, '[');
    for (uint32_t i = 0; i < count; i++)
        text_addf(out, "%s%llu", i ? ", " : "", (unsigned long long)samples[i]);
    text_addc(out, ']');
}

// By the codec, which only reads when it writes.
bool body_write(struct text *out, const struct result *r)
{
    struct wire w;
    struct result copy = *r;
    copy.log = "";
    text_clear(out);
    wire_writer(&w, out);
    result_codec(&w, &copy);
    return !w.failed && !out->failed;
}

static void policy_bind(struct values *v, const struct policy *p)
{
    value_i64(v, ":policy_launches", p->launches);
    value_i64(v, ":policy_batch", p->batch);
    value_u64(v, ":policy_hopeless_ns", p->hopeless_ns);
    value_u64(v, ":policy_budget_ns", p->budget_ns);
    value_u64(v, ":policy_launch_limit_ns", p->launch_limit_ns);
    value_u64(v, ":policy_build_limit_ns", p->build_limit_ns);
    value_i64(v, ":policy_cold", p->cold);
    value_i64(v, ":policy_fixed", p->fixed);
}

static void result_bind(struct values *v, const struct result *r)
{
    value_text(v, ":status", status_text(r->status));
    value_text(v, ":fault", fault_text(r->fault));
    value_text(v, ":verification", verification_text(r->verification));
    value_text(v, ":stop", stop_text(r->stop));
    value_i64(v, ":batch", r->batch);
    value_u64(v, ":limit_ns", r->limit_ns);
    value_text(v, ":message", r->message ? r->message : "");
    value_i64(v, ":format", RESULT_FORMAT);
    value_text(v, ":log", r->log && r->log[0] ? r->log : NULL);
}

// The number of the next result, within the transaction that writes it.
static bool sequence_next(struct store *s, int64_t *out, struct error *e)
{
    static const char doing[] = "writing a result";
    sqlite3_stmt *statement = statement_get(s, STATEMENT_HIGHEST, e);
    if (!statement)
        return false;
    int code = sqlite3_step(statement);
    int64_t highest = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    if (code != SQLITE_ROW)
        return store_fail_sqlite(e, s->path, s->db, doing);
    *out = highest > 0 ? highest + 1 : 1;
    return highest < INT64_MAX / 2 ||
           store_fail(e, s->path, SQLITE_CORRUPT,
                      "%s: the numbers of its results are damaged; `hone store verify` names the "
                      "rows, and another file has none of them",
                      doing);
}

static bool result_put(struct store *s, const uint8_t *id, const struct store_job *job,
                       const struct policy *policy, const struct result *result, const char *date,
                       struct error *e)
{
    struct begun *begun = &s->runs[s->run_count - 1];
    int64_t sequence = 0;
    const uint64_t *samples;
    uint32_t count;
    result_samples(result, &samples, &count);
    samples_list(&s->samples, samples, count);
    if (!body_write(&s->body, result) || s->samples.failed)
        return error_memory(e);
    if (!sequence_next(s, &sequence, e))
        return false;
    if (begun->results + begun->pending == 0)
        begun->first = sequence;
    struct values v = {statement_get(s, STATEMENT_PUT_RESULT, e), SQLITE_OK};
    if (!v.statement)
        return false;
    value_blob(&v, ":id", id, STORE_ID_BYTES);
    value_digest(&v, ":job", &job->key);
    value_blob(&v, ":session", s->run.id, sizeof s->run.id);
    value_text(&v, ":date", date);
    value_i64(&v, ":sequence", sequence);
    value_i64(&v, ":unseen", job_is_unseen(job->job));
    result_bind(&v, result);
    policy_bind(&v, policy);
    if (count > 0)
        value_f64(&v, ":median_ns",
                  result->exact_ns > 0 ? result->exact_ns : stats_median(samples, count));
    value_i64(&v, ":sample_count", count);
    value_textn(&v, ":samples_ns", s->samples.data, s->samples.length);
    value_blob(&v, ":body", s->body.data, s->body.length);
    return values_run(&v, s, "writing a result", e);
}

// Another process may have removed what this one knows to be there: then it is put again.
static bool memory_check(struct store *s, struct error *e)
{
    sqlite3_stmt *statement = statement_get(s, STATEMENT_DATA_VERSION, e);
    if (!statement)
        return false;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail_sqlite(e, s->path, s->db, "writing a result");
    int64_t version = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    if (version != s->data_version) {
        texts_forget(&s->texts);
        s->run.written = false;
    }
    s->data_version = version;
    return true;
}

static bool is_there(struct store *s, const uint8_t *id, bool *is, struct error *e)
{
    struct values v = {statement_get(s, STATEMENT_HAS_RESULT, e), SQLITE_OK};
    if (!v.statement)
        return false;
    value_blob(&v, ":id", id, STORE_ID_BYTES);
    int code = v.code == SQLITE_OK ? sqlite3_step(v.statement) : v.code;
    *is = code == SQLITE_ROW;
    sqlite3_reset(v.statement);
    return *is || code == SQLITE_DONE || store_fail_code(e, s->path, code, 0, "writing a result");
}

static bool all_put(struct store *s, const uint8_t *id, const struct store_job *job,
                    const struct policy *policy, const struct result *result, struct error *e)
{
    char date[DATE_BYTES];
    date_now(date);
    return session_put(s, date, e) && job_put(s, job, e) &&
           result_put(s, id, job, policy, result, date, e);
}

// Counts the results written since the transaction began, which were kept or lost together.
static void count_pending(struct store *s, bool kept)
{
    for (size_t i = 0; i < s->run_count; i++) {
        s->runs[i].results += kept ? s->runs[i].pending : 0;
        s->runs[i].pending = 0;
    }
}

// `once`: not if a result with this id is there.
static bool put_in_transaction(struct store *s, const uint8_t *id, bool once,
                               const struct store_job *job, const struct policy *policy,
                               const struct result *result, bool *added, struct error *e)
{
    if (s->mode != STORE_WRITE || !s->run.begun)
        return error_set(e, ERROR_USAGE, "%s: a result was to be written %s", s->path,
                         s->mode == STORE_WRITE ? "outside any session"
                                                : "to a store open for reading");
    if (s->together && sqlite3_get_autocommit(s->db))
        return store_fail(e, s->path, SQLITE_ABORT, "a result that belongs to this one failed");
    if (!s->together && !transaction_begin(s, e))
        return false;
    bool is_known = false;
    bool ok = memory_check(s, e) && (!once || is_there(s, id, &is_known, e)) &&
              (is_known || all_put(s, id, job, policy, result, e)) &&
              (s->together || transaction_commit(s, e));
    if (!ok)
        transaction_rollback(s);
    s->run.written |= ok && !is_known && !s->together;
    if (ok && !is_known)
        s->runs[s->run_count - 1].pending++;
    if (!s->together)
        count_pending(s, ok);
    *added = ok && !is_known;
    return ok;
}

bool store_put(struct store *s, const struct store_job *job, const struct policy *policy,
               const struct result *result, struct error *e)
{
    bool added;
    uint8_t id[STORE_ID_BYTES];
    return id_make(id, e) && put_in_transaction(s, id, false, job, policy, result, &added, e);
}

bool store_put_once(struct store *s, const uint8_t id[STORE_ID_BYTES], const struct store_job *job,
                    const struct policy *policy, const struct result *result, bool *added,
                    struct error *e)
{
    return put_in_transaction(s, id, true, job, policy, result, added, e);
}

bool store_together(struct store *s, struct error *e)
{
    s->together = transaction_begin(s, e);
    return s->together;
}

bool store_together_end(struct store *s, bool keep, struct error *e)
{
    bool whole = !sqlite3_get_autocommit(s->db);
    s->together = false;
    bool ok = keep && whole && transaction_commit(s, e);
    if (!ok)
        transaction_rollback(s);
    count_pending(s, ok);
    return ok;
}

bool store_surroundings(struct store *s, const char *surroundings, struct error *e)
{
    struct run *r = &s->run;
    const struct begun *begun = r->begun ? &s->runs[s->run_count - 1] : NULL;
    if (s->mode != STORE_WRITE || !begun)
        return error_set(e, ERROR_USAGE, "%s: there is no session", s->path);
    r->session.surroundings = arena_strdup(&r->arena, surroundings);
    if (!r->session.surroundings)
        return error_memory(e);
    if (begun->results + begun->pending == 0)
        return true;
    if (!transaction_begin(s, e))
        return false;
    struct values v = {statement_get(s, STATEMENT_SURROUNDINGS, e), SQLITE_OK};
    bool ok = v.statement != NULL;
    if (ok) {
        value_blob(&v, ":id", r->id, sizeof r->id);
        value_text(&v, ":surroundings", surroundings);
        ok = values_run(&v, s, "writing the session", e) && transaction_commit(s, e);
    }
    if (!ok)
        transaction_rollback(s);
    return ok;
}

// ---- what was written ---------------------------------------------------------------------------

static bool count_back(struct store *s, const struct begun *b, sqlite3_stmt *count, uint64_t *out,
                       struct error *e)
{
    sqlite3_bind_int64(count, 1, b->first);
    sqlite3_bind_blob(count, 2, b->id, sizeof b->id, SQLITE_STATIC);
    if (sqlite3_step(count) != SQLITE_ROW)
        return store_fail_sqlite(e, s->path, s->db, "reading back what was written");
    *out += (uint64_t)sqlite3_column_int64(count, 0);
    sqlite3_reset(count);
    return true;
}

bool store_kept(struct store *s, struct error *e)
{
    static const char sql[] = "SELECT count(*) FROM result WHERE sequence >= ?1 AND session = ?2";
    uint64_t wanted = 0, there = 0;
    sqlite3_stmt *count = NULL;
    if (s->mode != STORE_WRITE)
        return true;
    bool ok = sqlite3_prepare_v2(s->db, sql, -1, &count, NULL) == SQLITE_OK ||
              store_fail_sqlite(e, s->path, s->db, "reading back what was written");
    for (size_t i = 0; ok && i < s->run_count; i++) {
        wanted += s->runs[i].results;
        ok = s->runs[i].results == 0 || count_back(s, &s->runs[i], count, &there, e);
    }
    sqlite3_finalize(count);
    return ok && (there == wanted ||
                  store_fail(e, s->path, SQLITE_CORRUPT,
                             "of the %llu results that this run wrote %llu are there: another "
                             "program removed them, or the file does not keep what is written to "
                             "it; `hone store verify` looks at the rest",
                             (unsigned long long)wanted, (unsigned long long)there));
}

void store_reuse_unseen(struct store *s)
{
    s->reuse_unseen = true;
}

bool store_is_own_run(const struct store *s, const void *session, size_t length)
{
    for (size_t i = 0; i < s->run_count && length == STORE_ID_BYTES; i++)
        if (memcmp(s->runs[i].id, session, length) == 0)
            return true;
    return false;
}

bool store_answers(const struct store *s, bool unseen, const void *session, size_t length)
{
    return !unseen || s->reuse_unseen || store_is_own_run(s, session, length);
}
