// Requests, one at a time, in order. Each verb has a function in a table; it reads its payload,
// works, and sends exactly one reply.
#include "worker/worker.h"

#include "os/process.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DRAIN_MS 1000 // how long a last reply may wait for its reader
// How long the rest of a frame is waited for while a launch runs.
#define ARRIVING_MS 10
#define ARRIVING_NS (UINT64_C(1000000) * ARRIVING_MS)

// ---- replying

static struct wire begin_frame(struct worker *w)
{
    struct wire out;
    wire_writer(&out, &w->payload);
    return out;
}

// A channel that cannot be written to has no tuner at its other end.
static void send_frame(struct worker *w, enum verb verb)
{
    struct error e = ERROR_INIT;
    const struct text *p = &w->payload;
    if (p->failed || !channel_send(&w->channel, verb, w->sequence, p->data, p->length, &e))
        w->ended = true;
    text_release(&w->payload);
}

static void reply_error(struct worker *w, const char *message)
{
    struct wire out = begin_frame(w);
    wire_str(&out, &message);
    send_frame(w, VERB_REPLY_ERROR);
}

static void reply_result(struct worker *w, struct result *r)
{
    struct wire out = begin_frame(w);
    result_codec(&out, r);
    send_frame(w, VERB_REPLY_RESULT);
}

static void reply_bytes(struct worker *w, const struct text *bytes)
{
    const void *data = bytes->data;
    uint64_t length = bytes->length;
    struct wire out = begin_frame(w);
    wire_bytes(&out, &data, &length);
    send_frame(w, VERB_REPLY_BYTES);
}

static void send_phase(void *context, enum phase_kind phase, uint32_t launches, bool compiles)
{
    struct worker *w = context;
    struct phase p = {.kind = phase, .launches = launches, .compiles = compiles};
    struct wire out = begin_frame(w);
    phase_codec(&out, &p);
    send_frame(w, VERB_PHASE);
}

// ---- reading payloads

// A job is embedded in a payload; it outlives the request, so it gets an arena of its own. The
// codec also checks that what was read is a job.
static struct job *read_job(struct wire *in, struct error *e)
{
    struct job *j = job_new();
    if (!j)
        return error_no_memory(e);
    in->arena = &j->arena;
    job_codec(in, j);
    if (in->failed) {
        error_set(e, ERROR_WORKER, "the job cannot be read: %s", in->why ? in->why : "torn");
        job_free(j);
        return NULL;
    }
    return j;
}

// The same, with the contents that it names: for what makes inputs and references of them.
static struct job *read_whole_job(struct worker *w, struct wire *in, struct error *e)
{
    struct job *j = read_job(in, e);
    if (!j || blobs_resolve(&w->blobs, j, e))
        return j;
    job_free(j);
    return NULL;
}

static bool read_policy(struct wire *in, struct policy *p)
{
    policy_codec(in, p);
    return !in->failed;
}

// ---- loaded jobs

static struct loaded_job **find_job(struct worker *w, uint32_t handle)
{
    struct loaded_job **at = &w->jobs;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static void drop_job(struct worker *w, struct loaded_job **at)
{
    struct loaded_job *l = *at;
    *at = l->next;
    if (l->cell) {
        cell_end(l->cell);
        free(l->cell);
    } else {
        device_unload(w->device, l->loaded);
        job_free(l->job);
    }
    free(l);
}

// Taking down a program takes a driver as long as many a launch: on a GPU it is put off until the
// host has nothing else to do.
static void put_off(struct worker *w, struct loaded_job **at)
{
    struct loaded_job *l = *at;
    *at = l->next;
    l->next = w->dropped;
    w->dropped = l;
}

static void drop_what_was_put_off(struct worker *w)
{
    while (w->dropped)
        drop_job(w, &w->dropped);
}

// ---- verbs

struct request {
    const struct frame *frame;
    struct wire in;
    struct arena arena; // of what is read
    const struct verb_row *row;
};

// A loaded job is given to one of these by its verb.
typedef bool (*step)(struct device *d, struct loaded *l, const struct policy *p, struct result *r);
typedef bool (*fetch)(struct device *d, struct loaded *l, uint32_t which, struct text *out,
                      struct error *e);

struct verb_row {
    void (*serve)(struct worker *w, struct request *q);
    bool needs_device;
    step run;  // of serve_step()
    fetch get; // of serve_fetch()
};

static void serve_hello(struct worker *w, struct request *q)
{
    struct hello theirs = {0}, ours = {PROTOCOL_VERSION, HONE_VERSION};
    hello_codec(&q->in, &theirs);
    if (!wire_done(&q->in)) {
        reply_error(w, "hello: the payload cannot be read");
        return;
    }
    struct wire out = begin_frame(w);
    hello_codec(&out, &ours);
    send_frame(w, VERB_REPLY_HELLO);
}

static void serve_devices(struct worker *w, struct request *q)
{
    struct device_report report;
    struct error e = ERROR_INIT;
    wire_u32(&q->in, &w->options.languages);
    if (!wire_done(&q->in)) {
        reply_error(w, "devices: the payload cannot be read");
        return;
    }
    if (!device_list(&q->arena, &w->options, &report, &e)) {
        reply_error(w, e.text);
        return;
    }
    struct wire out = begin_frame(w);
    device_report_codec(&out, &report);
    send_frame(w, VERB_REPLY_DEVICES);
}

// Faults of a driver are told when the device is opened.
static void serve_wake(struct worker *w, struct request *q)
{
    struct device_report report;
    wire_u32(&q->in, &w->options.languages);
    if (wire_done(&q->in))
        device_list(&q->arena, &w->options, &report, NULL);
}

static void reply_opened(struct worker *w)
{
    struct opened opened = {.info = *device_describe(w->device)};
    struct text folders = TEXT_INIT;
    list_written_folders(opened.info.language, &folders);
    opened.folders = text_cstr(&folders);
    struct wire out = begin_frame(w);
    opened_codec(&out, &opened);
    send_frame(w, VERB_REPLY_OPENED);
    text_release(&folders);
}

static void serve_open(struct worker *w, struct request *q)
{
    struct open_request open = {0};
    struct error e = ERROR_INIT;
    if (!w->device)
        q->in.arena = &w->opened; // options point into it
    open_request_codec(&q->in, &open);
    if (!wire_done(&q->in) || !open.id) {
        reply_error(w, "open: the payload cannot be read");
        return;
    }
    if (w->device) {
        reply_error(w, "open: a device is open already; a worker serves one");
        return;
    }
    w->options.build_only = open.role == ROLE_BUILD;
    w->options.target = open.target;
    w->options.simulated = open.simulated;
    w->options.wakes = open.role == ROLE_BENCH;
    if (open.role == ROLE_BENCH)
        bind_measuring_threads();
    else
        leave_simulator_log();
    w->device = use_empty_caches(&e) ? device_open(open.id, &w->options, &e) : NULL;
    if (w->device && open.role == ROLE_BUILD && !device_describe(w->device)->shares_host)
        yield_cores();
    if (w->device)
        reply_opened(w);
    else
        reply_error(w, e.text);
}

static void serve_build(struct worker *w, struct request *q)
{
    struct error e = ERROR_INIT;
    struct policy policy;
    struct image image;
    struct result *r = result_new();
    struct job *j = read_job(&q->in, &e);
    bool ok = r && j && read_policy(&q->in, &policy) && wire_done(&q->in);
    if (ok) {
        device_build(w->device, j, &q->arena, &image, r);
        struct wire out = begin_frame(w);
        result_codec(&out, r);
        image_codec(&out, &image);
        send_frame(w, VERB_REPLY_IMAGE);
    } else {
        reply_error(w, e.code ? e.text : "build: the payload cannot be read");
    }
    job_free(j);
    result_free(r);
}

static bool has_cells(const struct worker *w);
static void prepare_apart(struct worker *w, const struct frame *f, const struct job *j,
                          struct result *r);

static void serve_prepare(struct worker *w, struct request *q)
{
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct job *j = read_whole_job(w, &q->in, &e);
    if (r && j && wire_done(&q->in) && has_cells(w)) {
        prepare_apart(w, q->frame, j, r);
    } else if (r && j && wire_done(&q->in)) {
        device_prepare(w->device, j, r);
        reply_result(w, r);
    } else {
        reply_error(w, e.code ? e.text : "prepare: the payload cannot be read");
    }
    job_free(j);
    result_free(r);
}

// Takes the job; a handle that is loaded already is replaced.
static void load_job_as(struct worker *w, uint32_t handle, struct job *j, const struct image *m,
                        struct result *r)
{
    struct loaded_job **at = find_job(w, handle);
    if (!w->beside)
        drop_what_was_put_off(w); // its memory may be needed
    if (*at)
        drop_job(w, at);
    struct loaded_job *l = calloc(1, sizeof *l);
    if (l)
        l->loaded = device_load(w->device, j, m, r);
    else
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    if (!l || !l->loaded) {
        job_free(j);
        free(l);
        return;
    }
    l->handle = handle;
    l->job = j;
    l->next = w->jobs;
    w->jobs = l;
}

static void serve_load(struct worker *w, struct request *q)
{
    struct error e = ERROR_INIT;
    struct image image = {0};
    uint32_t handle = 0;
    struct result *r = result_new();
    wire_u32(&q->in, &handle);
    struct job *j = read_whole_job(w, &q->in, &e);
    q->in.arena = &q->arena;
    if (j)
        image_codec(&q->in, &image);
    if (r && j && wire_done(&q->in)) {
        load_job_as(w, handle, j, &image, r);
        reply_result(w, r);
    } else {
        reply_error(w, e.code ? e.text : "load: the payload cannot be read");
        job_free(j);
    }
    result_free(r);
}

static void serve_step(struct worker *w, struct request *q)
{
    uint32_t handle = 0;
    struct policy policy = {0};
    struct result *r = result_new();
    wire_u32(&q->in, &handle);
    policy_codec(&q->in, &policy);
    struct loaded_job *l = *find_job(w, handle);
    if (!r || !wire_done(&q->in))
        reply_error(w, "the payload cannot be read");
    else if (!l)
        reply_error(w, "no job is loaded under this handle");
    else {
        q->row->run(w->device, l->loaded, &policy, r);
        fflush(stdout); // what kernels print is there before the answer is
        reply_result(w, r);
    }
    result_free(r);
}

static void serve_fetch(struct worker *w, struct request *q)
{
    uint32_t handle = 0, which = 0;
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    wire_u32(&q->in, &handle);
    wire_u32(&q->in, &which);
    struct loaded_job *l = *find_job(w, handle);
    if (!wire_done(&q->in))
        reply_error(w, "the payload cannot be read");
    else if (!l)
        reply_error(w, "no job is loaded under this handle");
    else if (!q->row->get(w->device, l->loaded, which, &bytes, &e))
        reply_error(w, e.text);
    else
        reply_bytes(w, &bytes);
    text_release(&bytes);
}

// Waits until the other side has taken it, so that no more than a part is ever queued.
static void send_part(struct worker *w, struct output_part *part)
{
    struct pollfd ready = {.fd = w->channel.fd, .events = POLLOUT};
    struct wire out = begin_frame(w);
    output_part_codec(&out, part);
    send_frame(w, VERB_PART);
    while (!w->ended && channel_pending(&w->channel)) {
        poll(&ready, 1, -1);
        w->ended = !channel_flush(&w->channel, NULL);
    }
}

static bool send_output(struct worker *w, const struct loaded_job *l, uint32_t buffer,
                        uint64_t which, void *room, struct error *e)
{
    const struct job_buffer *b = &l->job->buffers[buffer];
    uint64_t bytes = b->count * element_bytes(&b->element);
    bool ok = true;
    for (uint64_t at = 0; ok && !w->ended && at < bytes; at += OUTPUT_PART) {
        uint64_t left = bytes - at;
        struct output_part part = {.buffer = buffer,
                                   .offset = at,
                                   .data = room,
                                   .size = left < OUTPUT_PART ? left : OUTPUT_PART};
        ok = device_output_part(w->device, l->loaded, buffer, which, at, room, part.size, e);
        if (ok)
            send_part(w, &part);
    }
    return ok;
}

static void serve_outputs(struct worker *w, struct request *q)
{
    uint32_t handle = 0;
    uint64_t which = 0;
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    void *room = malloc(OUTPUT_PART);
    wire_u32(&q->in, &handle);
    wire_u64(&q->in, &which);
    const struct loaded_job *l = *find_job(w, handle);
    if (!r || !room || !wire_done(&q->in) || !l) {
        reply_error(w, l ? "the payload cannot be read, or there is no memory"
                         : "no job is loaded under this handle");
    } else {
        send_phase(w, PHASE_CHECKING, 0, false);
        bool ok = true;
        which = device_odd_launch(w->device, l->loaded, which);
        for (uint32_t i = 0; ok && i < l->job->buffer_count; i++)
            ok = !l->job->buffers[i].output || send_output(w, l, i, which, room, &e);
        if (!ok)
            result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "reading its outputs: %s", e.text);
        reply_result(w, r);
    }
    free(room);
    result_free(r);
}

// A valid part gets no reply; what is missing is reported with the comparison.
static void serve_part(struct worker *w, struct request *q)
{
    struct output_part part = {.size = 0};
    output_part_codec(&q->in, &part);
    if (!wire_done(&q->in) || !outputs_take(&w->given, &part))
        reply_error(w, "part: it does not fit those before, or there is no memory");
}

static void serve_compare(struct worker *w, struct request *q)
{
    struct error e = ERROR_INIT;
    struct check_apart c = {.inputs = 0};
    const void **contents = NULL;
    struct result *r = result_new();
    check_apart_codec(&q->in, &c);
    struct job *j = read_whole_job(w, &q->in, &e);
    if (r && j && wire_done(&q->in) && (contents = outputs_of(&w->given, j, &e))) {
        device_compare(w->device, j, &c, contents, r);
        reply_result(w, r);
    } else {
        reply_error(w, e.code ? e.text : "compare: the payload cannot be read");
    }
    outputs_free(&w->given);
    free(contents);
    job_free(j);
    result_free(r);
}

static void serve_unload(struct worker *w, struct request *q)
{
    uint32_t handle = 0;
    struct result *r = result_new();
    wire_u32(&q->in, &handle);
    struct loaded_job **at = find_job(w, handle);
    if (!r || !wire_done(&q->in)) {
        reply_error(w, "the payload cannot be read");
    } else if (!*at) {
        reply_error(w, "no job is loaded under this handle");
    } else {
        bool is_gpu = device_describe(w->device)->type == DEVICE_GPU;
        (is_gpu ? put_off : drop_job)(w, at);
        reply_result(w, r);
    }
    result_free(r);
}

static void serve_routine(struct worker *w, struct request *q)
{
    enum routine routine = ROUTINE_NONE;
    const char *library = NULL;
    struct text about = TEXT_INIT;
    struct result *r = result_new();
    wire_enum(&q->in, &routine, ROUTINE_COUNT);
    wire_str(&q->in, &library);
    if (!r || !wire_done(&q->in)) {
        reply_error(w, "routine: the payload cannot be read");
    } else {
        device_routine_about(&w->options, routine, library, &about, r);
        r->log = text_cstr(&about);
        reply_result(w, r);
    }
    result_free(r);
    text_release(&about);
}

// A valid blob gets no reply; wrong contents are reported with the job that needs them.
static void serve_blob(struct worker *w, struct request *q)
{
    struct blob_part part = {.size = 0};
    blob_part_codec(&q->in, &part);
    if (!wire_done(&q->in) || !blobs_take(&w->blobs, &part))
        reply_error(w, "blob: the payload cannot be read, or there is no memory");
}

static void serve_blob_file(struct worker *w, struct request *q)
{
    struct blob_name name = {.file.path = NULL};
    blob_name_codec(&q->in, &name);
    if (!wire_done(&q->in) || !blobs_read(&w->blobs, &name))
        reply_error(w, "file: the payload cannot be read, or there is no memory");
}

static void serve_stop(struct worker *w, struct request *q)
{
    (void)q;
    w->ended = true;
}

// ---- jobs in processes of their own (cell.h)

static void serve_frame(struct worker *w, const struct frame *f);
static int serve_all(struct worker *w);
static void drain(struct worker *w);

// Do jobs run in no process but one of their own?
static bool has_cells(const struct worker *w)
{
    return w->device && !w->is_cell && !w->options.build_only &&
           language_traits(device_describe(w->device)->language)->is_native;
}

static bool is_for_cell(const struct worker *w, enum verb verb)
{
    static const bool of_jobs[VERB_COUNT] = {
        [VERB_LOAD] = true,   [VERB_VERIFY] = true, [VERB_MEASURE] = true, [VERB_OUTPUT] = true,
        [VERB_BINARY] = true, [VERB_PTX] = true,    [VERB_OUTPUTS] = true};
    return of_jobs[verb] && has_cells(w);
}

// Queues no more than one part of an output.
static void pass_on(void *context, const struct frame *f)
{
    struct worker *w = context;
    struct pollfd ready = {.fd = w->channel.fd, .events = POLLOUT};
    bool ok = channel_send(&w->channel, f->verb, f->sequence, f->payload, f->length, NULL);
    while (ok && f->verb == VERB_PART && channel_pending(&w->channel)) {
        poll(&ready, 1, -1);
        ok = channel_flush(&w->channel, NULL);
    }
}

// All that the process does from now on; it has the request that it was forked for.
static void __attribute__((noreturn))
be_cell(struct worker *w, struct cell *c, const struct frame *f)
{
    close(w->channel.fd);
    for (struct loaded_job *l = w->jobs; l; l = l->next) {
        if (l->cell && l->cell != c)
            close(l->cell->channel.fd);
    }
    w->channel = c->channel;
    w->jobs = NULL;
    w->is_cell = true;
    serve_frame(w, f);
    int status = serve_all(w);
    drain(w);
    fflush(stdout);
    _exit(status);
}

// A worker ends as the process of its job did, so that its tuner learns of it.
static void end_like_cell(struct worker *w, int status, const struct text *why)
{
    if (why->length > 0)
        fprintf(stderr, "hone-worker: %s\n", text_cstr(why));
    w->status = status;
    w->ended = true;
}

static size_t list_cells(const struct worker *w, pid_t *out, size_t most)
{
    size_t count = 0;
    for (const struct loaded_job *l = w->jobs; l && count < most; l = l->next) {
        if (l->cell && l->cell->pid > 0)
            out[count++] = l->cell->pid;
    }
    return count;
}

static uint64_t claimed_ns(const struct result *r)
{
    const uint64_t *samples;
    uint32_t count;
    uint64_t sum = r->verify_launch_ns;
    if (result_samples(r, &samples, &count)) {
        for (uint32_t i = 0; i < count; i++)
            sum += samples[i] * (r->batch ? r->batch : 1);
    }
    return sum;
}

// Fails launches that took longer by the job's own clock than the worker waited for the answer.
static void judge_times(struct result *r, uint64_t took_ns)
{
    char claimed[32], took[32];
    uint64_t sum = claimed_ns(r);
    if (sum <= took_ns)
        return;
    duration_to_str((double)sum, claimed);
    duration_to_str((double)took_ns, took);
    result_fail(
        r, STATUS_RUNTIME, FAULT_CONFIGURATION,
        "its launches took %s by the clock of its process, but all that was asked of it took "
        "%s: it changes its clock",
        claimed, took);
}

// Fails a job that does not leave its process as it found it, whatever it computes.
static void judge_cell(struct worker *w, struct cell *c, struct result *r, uint64_t took_ns)
{
    pid_t cells[64];
    struct text left = TEXT_INIT;
    uint64_t used_ns = 0; // of those that run: the others were waited for
    size_t count = list_cells(w, cells, sizeof cells / sizeof *cells);
    for (size_t i = 0; i < count; i++)
        used_ns += process_used_ns(cells[i]);
    device_host_load(w->device, used_ns, r);
    if (r->status != STATUS_CORRECT && r->status != STATUS_CORRECTNESS)
        return;
    cell_look(c, cells, count, &left);
    if (left.length > 0) // before what it computed, which another process of it may have answered
        r->status = STATUS_CORRECT;
    if (left.length > 0 || left.failed)
        result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                    "the kernel %s: it has to leave its process as it found it", text_cstr(&left));
    judge_times(r, took_ns);
    text_release(&left);
}

static void reply_judged(struct worker *w, struct cell *c, const struct frame *answer,
                         uint64_t took_ns)
{
    struct error e = ERROR_INIT;
    struct text why = TEXT_INIT;
    struct result *r = result_decode(answer->payload, answer->length, &e);
    if (r) {
        judge_cell(w, c, r, took_ns);
        reply_result(w, r);
    } else {
        text_addf(&why, "the process of the job: %s", e.text);
        end_like_cell(w, EXIT_FAILURE << 8, &why);
        text_release(&why);
    }
    result_free(r);
}

static void ask_cell(struct worker *w, struct cell *c, const struct frame *request, enum verb verb)
{
    struct cell_listener listener = {pass_on, w};
    struct text why = TEXT_INIT;
    struct frame answer;
    uint64_t start = clock_ns();
    int status = 0;
    if (!cell_ask(c, w->sequence, request, &listener, &answer, &status, &why)) {
        end_like_cell(w, status, &why);
    } else if ((verb == VERB_VERIFY || verb == VERB_MEASURE) && answer.verb == VERB_REPLY_RESULT) {
        reply_judged(w, c, &answer, clock_ns() - start);
    } else {
        if (verb == VERB_LOAD)
            cell_note(c);
        text_addn(&w->payload, answer.payload, answer.length);
        send_frame(w, answer.verb);
    }
    text_release(&why);
}

// Returns in the worker alone. NULL: the reason was sent.
static struct cell *start_cell(struct worker *w, const struct frame *f)
{
    struct error e = ERROR_INIT;
    struct cell *c = alloc_zeroed(sizeof *c, &e);
    blobs_settle(&w->blobs);
    enum cell_side side = c ? cell_start(c, &e) : CELL_FAILED;
    if (side == CELL_INSIDE)
        be_cell(w, c, f);
    if (side == CELL_OUTSIDE)
        return c;
    reply_error(w, e.text);
    free(c);
    return NULL;
}

static void load_in_cell(struct worker *w, uint32_t handle, const struct frame *f)
{
    struct loaded_job **at = find_job(w, handle), *l;
    if (*at)
        drop_job(w, at);
    struct cell *c = start_cell(w, f);
    if (!c)
        return;
    if (!(l = calloc(1, sizeof *l))) {
        cell_end(c);
        free(c);
        reply_error(w, "out of memory");
        return;
    }
    *l = (struct loaded_job){.next = w->jobs, .handle = handle, .cell = c};
    w->jobs = l;
    ask_cell(w, c, NULL, VERB_LOAD);
}

// Inputs are made here, for all jobs; so is a reference, unless it is another kernel's work: that is
// launched in a process of its own, and what it leaves is read from the cache.
static void prepare_apart(struct worker *w, const struct frame *f, const struct job *j,
                          struct result *r)
{
    bool is_foreign = j->reference.kind == REFERENCE_JOB;
    bool ok = is_foreign ? device_make_inputs(w->device, j, r) : device_prepare(w->device, j, r);
    if (!ok || !is_foreign) {
        reply_result(w, r);
        return;
    }
    struct cell *c = start_cell(w, f);
    if (!c)
        return;
    ask_cell(w, c, NULL, VERB_PREPARE);
    cell_end(c);
    free(c);
    device_recall_reference(w->device, j);
}

static void serve_in_cell(struct worker *w, const struct frame *f)
{
    struct arena a;
    struct wire in;
    uint32_t handle = 0;
    arena_init(&a);
    wire_reader(&in, f->payload, f->length, &a);
    wire_u32(&in, &handle);
    struct loaded_job *l = *find_job(w, handle);
    if (f->verb == VERB_LOAD)
        load_in_cell(w, handle, f);
    else if (!l)
        reply_error(w, in.failed ? "the payload cannot be read"
                                 : "no job is loaded under this handle");
    else
        ask_cell(w, l->cell, f, f->verb);
    arena_release(&a);
}

// ---- the table

static const struct verb_row verbs[VERB_COUNT] = {
    [VERB_HELLO] = {serve_hello, false},
    [VERB_DEVICES] = {serve_devices, false},
    [VERB_OPEN] = {serve_open, false},
    [VERB_BUILD] = {serve_build, true},
    [VERB_PREPARE] = {serve_prepare, true},
    [VERB_LOAD] = {serve_load, true},
    [VERB_VERIFY] = {serve_step, true, .run = device_verify},
    [VERB_MEASURE] = {serve_step, true, .run = device_measure},
    [VERB_OUTPUT] = {serve_fetch, true, .get = device_output},
    [VERB_BINARY] = {serve_fetch, true, .get = device_binary},
    [VERB_UNLOAD] = {serve_unload, true},
    [VERB_STOP] = {serve_stop, false},
    [VERB_PTX] = {serve_fetch, true, .get = device_ptx},
    [VERB_ROUTINE] = {serve_routine, false},
    [VERB_BLOB] = {serve_blob, false},
    [VERB_BLOB_FILE] = {serve_blob_file, false},
    [VERB_OUTPUTS] = {serve_outputs, true},
    [VERB_PART] = {serve_part, false},
    [VERB_COMPARE] = {serve_compare, true},
    [VERB_WAKE] = {serve_wake, false},
};

static void serve_frame(struct worker *w, const struct frame *f)
{
    struct request q;
    w->sequence = f->sequence;
    q.frame = f;
    q.row = (unsigned)f->verb < VERB_COUNT ? &verbs[f->verb] : NULL;
    arena_init(&q.arena);
    wire_reader(&q.in, f->payload, f->length, &q.arena);
    if (!q.row || !q.row->serve)
        reply_error(w, "this verb is not a request");
    else if (q.row->needs_device && !w->device)
        reply_error(w, "no device is open");
    else if (is_for_cell(w, f->verb))
        serve_in_cell(w, f);
    else
        q.row->serve(w, &q);
    arena_release(&q.arena);
}

// After bytes that are not a valid frame nothing that follows can be understood: say so, and end.
static int serve_all(struct worker *w)
{
    while (!w->ended) {
        struct frame f;
        struct error e = ERROR_INIT;
        int got = channel_wait(&w->channel, -1, &f, &e);
        if (got > 0) {
            serve_frame(w, &f);
            continue;
        }
        if (w->channel.ended)
            return EXIT_SUCCESS;
        w->sequence = 0;
        reply_error(w, e.text);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

// Sends the queued frames before the process ends, if the other side reads them.
static void drain(struct worker *w)
{
    struct pollfd ready = {.fd = w->channel.fd, .events = POLLOUT};
    while (channel_pending(&w->channel) && poll(&ready, 1, DRAIN_MS) > 0) {
        if (!channel_flush(&w->channel, NULL))
            return;
    }
}

// Is there a whole frame? One that has begun to arrive is on its way, and waiting for the rest
// costs nothing: the load would wait for it as well.
static bool has_frame(struct worker *w, enum verb *verb)
{
    uint64_t until = clock_ns() + ARRIVING_NS;
    struct pollfd ready = {.fd = w->channel.fd, .events = POLLIN};
    while (!channel_peek(&w->channel, verb)) {
        if (!channel_arriving(&w->channel) || w->channel.ended || clock_ns() >= until ||
            poll(&ready, 1, ARRIVING_MS) <= 0 || !channel_receive(&w->channel, NULL))
            return false;
    }
    return true;
}

// While a verified launch runs the next job may be loaded, and then those be unloaded that are not
// needed any more. What else was asked for stays in its order.
static void serve_meanwhile(void *context)
{
    struct worker *w = context;
    uint32_t sequence = w->sequence;
    enum verb verb;
    struct frame f;
    if (!channel_receive(&w->channel, NULL))
        return; // what is wrong with it is found when it is waited for
    w->beside = true;
    while (!w->ended && has_frame(w, &verb) && verb == VERB_LOAD &&
           channel_next(&w->channel, &f, NULL) == 1)
        serve_frame(w, &f);
    w->beside = false;
    drop_what_was_put_off(w);
    w->sequence = sequence;
}

int serve(int channel, const struct device_options *options)
{
    struct worker w = {.options = *options};
    w.options.phase = send_phase;
    w.options.meanwhile = serve_meanwhile;
    w.options.context = &w;
    arena_init(&w.opened);
    channel_init(&w.channel, channel);
    int ended = serve_all(&w);
    drain(&w);
    drop_what_was_put_off(&w);
    while (w.jobs)
        drop_job(&w, &w.jobs);
    device_close(w.device);
    arena_release(&w.opened);
    blobs_free(&w.blobs);
    outputs_free(&w.given);
    channel_release(&w.channel);
    return w.status ? w.status : ended << 8;
}
