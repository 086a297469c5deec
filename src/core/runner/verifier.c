// The worker that compares: started when it is first needed, and asked in order. It is hone's own, so that whatever it does but
// answer ends the evaluation.
#include "runner/verifier.h"

#include <stdlib.h>

struct verifier {
    struct worker_setup setup;
    struct endings *endings;
    struct remote remote;
    uint32_t awaited; // the request whose answer is; 0: none
};

struct verifier *verifier_new(const struct worker_setup *setup, struct endings *endings)
{
    struct verifier *v = calloc(1, sizeof *v);
    if (v)
        *v = (struct verifier){.setup = *setup, .endings = endings, .remote = REMOTE_NONE};
    return v;
}

void verifier_free(struct verifier *v)
{
    if (v)
        remote_end(&v->remote, v->endings);
    free(v);
}

void verifier_end(struct verifier *v)
{
    remote_end(&v->remote, v->endings);
    v->awaited = 0;
}

struct remote *verifier_worker(struct verifier *v)
{
    return &v->remote;
}

static bool is_ready(struct verifier *v, struct error *e)
{
    return v->remote.running || (remote_start(&v->remote, &v->setup, e) &&
                                 remote_open(&v->remote, &v->setup, ROLE_BENCH, e));
}

// A broken channel is a death, and found as one when it is read.
static bool is_memory(const struct error *sent, struct error *e)
{
    return sent->code == ERROR_MEMORY ? error_memory(e) : true;
}

bool verifier_prepare(struct verifier *v, const struct job *job, struct error *e)
{
    struct text payload = TEXT_INIT;
    struct wire w;
    if (!is_ready(v, e) || !remote_give(&v->remote, job, e))
        return false;
    wire_writer(&w, &payload);
    job_codec(&w, (struct job *)(uintptr_t)job); // writing reads only
    return remote_request(&v->remote, VERB_PREPARE, &payload, e);
}

bool verifier_part(struct verifier *v, const struct frame *f, struct error *e)
{
    struct error sent = ERROR_INIT;
    return is_ready(v, e) && (remote_tell(&v->remote, VERB_PART, f->payload, f->length, &sent) ||
                              is_memory(&sent, e));
}

bool verifier_compare(struct verifier *v, const struct job *job, const struct check_apart *c,
                      struct error *e)
{
    struct text payload = TEXT_INIT;
    struct check_apart copy = *c;
    struct wire w;
    if (!is_ready(v, e) || !remote_give(&v->remote, job, e))
        return false;
    wire_writer(&w, &payload);
    check_apart_codec(&w, &copy);
    job_codec(&w, (struct job *)(uintptr_t)job);
    bool ok = remote_request(&v->remote, VERB_COMPARE, &payload, e);
    v->awaited = v->remote.sequence;
    return ok;
}

void verifier_forget(struct verifier *v)
{
    v->awaited = 0;
}

bool verifier_news(struct verifier *v, enum news news, const struct frame *f,
                   struct result **answer, struct error *e)
{
    char text[1024];
    *answer = NULL;
    if (news == NEWS_REFUSED) {
        remote_error_text(f, text, sizeof text);
        return error_set(e, ERROR_WORKER, "the worker that compares outputs: %s", text);
    }
    if (news != NEWS_ANSWER || v->awaited == 0 || f->sequence != v->awaited)
        return true;
    v->awaited = 0;
    return f->verb == VERB_REPLY_RESULT
               ? (*answer = result_decode(f->payload, f->length, e)) != NULL
               : error_set(e, ERROR_WORKER, "the worker that compares outputs sent '%s'",
                           verb_text(f->verb));
}
