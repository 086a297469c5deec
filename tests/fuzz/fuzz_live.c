// The tuner's side of the channel: the live evaluator with workers that answer anything at any
// time. The input is a list of events: replies, right or wrong, frames that fit nothing, bytes that
// are no frames, deaths, time that passes, and what the caller of the evaluator does meanwhile. No
// process is started: --wrap puts a socket in its place, and the clock is ours.
#include "os/process.h"
#include "runner/evaluator.h"
#include "fuzz.h"
#include "worker/protocol.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS = 8, EVENTS_LIMIT = 400, TICKETS = 6, HEADER = 16 };

bool __wrap_process_start(struct process *p, const char *const *argv,
                          const char *const *environment, struct error *e);
bool __wrap_process_wait(struct process *p, int timeout_ms, int *status);
void __wrap_process_end(struct process *p);
void __wrap_process_signal(struct process *p, int signal);
void __wrap_process_stop(struct process *p);
void __wrap_process_continue(struct process *p);
uint64_t __wrap_clock_ns(void);

// ---- workers -----------------------------------------------------------------------------------

static struct worker {
    pid_t pid; // 0: none
    int channel;
    uint32_t sequence; // of the last request that came
    enum verb verb;
} workers[WORKERS];

static pid_t last_pid;
static uint64_t now_ns;

uint64_t __wrap_clock_ns(void)
{
    return now_ns;
}

static struct worker *worker_of(pid_t pid)
{
    for (int i = 0; i < WORKERS; i++) {
        if (workers[i].pid == pid)
            return &workers[i];
    }
    return NULL;
}

static void end_worker(struct worker *w)
{
    if (w && w->pid)
        close(w->channel);
    if (w)
        *w = (struct worker){.pid = 0};
}

bool __wrap_process_start(struct process *p, const char *const *argv,
                          const char *const *environment, struct error *e)
{
    int ends[2];
    struct worker *w = worker_of(0);
    (void)argv, (void)environment;
    if (!w)
        return error_set(e, ERROR_WORKER, "no more workers");
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    *p = (struct process)PROCESS_NONE;
    p->pid = ++last_pid;
    p->channel = ends[0];
    *w = (struct worker){.pid = p->pid, .channel = ends[1]};
    return true;
}

bool __wrap_process_wait(struct process *p, int timeout_ms, int *status)
{
    (void)timeout_ms;
    end_worker(p->pid ? worker_of(p->pid) : NULL);
    p->pid = 0;
    *status = 9;
    return true;
}

void __wrap_process_end(struct process *p)
{
    end_worker(p->pid ? worker_of(p->pid) : NULL);
    if (p->channel >= 0)
        close(p->channel);
    p->pid = 0;
    p->channel = -1;
}

void __wrap_process_signal(struct process *p, int signal)
{
    (void)p, (void)signal;
}

void __wrap_process_stop(struct process *p)
{
    p->stopped = true;
}

void __wrap_process_continue(struct process *p)
{
    p->stopped = false;
}

// ---- the input ---------------------------------------------------------------------------------

static struct {
    const uint8_t *at;
    size_t left;
} input;

static uint8_t take_byte(void)
{
    if (input.left == 0)
        return 0;
    input.left--;
    return *input.at++;
}

static size_t take_run(const uint8_t **bytes)
{
    size_t length = take_byte();
    if (length > input.left)
        length = input.left;
    *bytes = input.at;
    input.at += length;
    input.left -= length;
    return length;
}

// ---- what workers say --------------------------------------------------------------------------

// Reads the requests that have come and keeps the last one's head.
static void read_requests(struct worker *w)
{
    uint8_t bytes[65536];
    ssize_t n = recv(w->channel, bytes, sizeof bytes, MSG_DONTWAIT);
    for (size_t at = 0; n > 0 && at + HEADER <= (size_t)n;) {
        uint32_t length;
        w->verb = (enum verb)bytes[at + 4];
        memcpy(&w->sequence, bytes + at + 8, 4);
        memcpy(&length, bytes + at + 12, 4);
        at += HEADER + length;
    }
}

static void send_bytes(struct worker *w, const void *bytes, size_t length)
{
    if (length)
        send(w->channel, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void send_frame(struct worker *w, enum verb verb, uint32_t sequence, const void *payload,
                       size_t length)
{
    const uint32_t head[4] = {PROTOCOL_MAGIC, (uint32_t)verb, sequence, (uint32_t)length};
    struct text frame = TEXT_INIT;
    text_addn(&frame, head, sizeof head);
    text_addn(&frame, payload, length);
    send_bytes(w, frame.data, frame.length);
    text_release(&frame);
}

static void add_result(struct text *out, uint8_t status, uint8_t fault, uint8_t samples)
{
    struct wire w;
    struct result *r = result_new();
    REQUIRE(r);
    r->samples_ns = arena_array(&r->arena, samples + 1u, sizeof *r->samples_ns);
    for (uint32_t i = 0; i < samples; i++)
        r->samples_ns[i] = 1000 + (uint64_t)i * samples;
    r->sample_count = samples;
    r->batch = 1;
    r->verify_launch_ns = 1000;
    r->verification = VERIFICATION_REFERENCE;
    r->stop = samples % STOP_COUNT;
    if (status % STATUS_COUNT)
        result_fail(r, status % STATUS_COUNT, fault % FAULT_COUNT, "made up");
    wire_writer(&w, out);
    result_codec(&w, r);
    result_free(r);
}

// The final reply to the last request, with a result of this kind where there is one.
static void reply(struct worker *w, uint8_t status, uint8_t fault, uint8_t samples)
{
    struct text out = TEXT_INIT;
    struct wire wire;
    struct hello hello = {PROTOCOL_VERSION, "0"};
    struct image image = {.primed = true};
    enum verb verb = VERB_REPLY_RESULT;
    wire_writer(&wire, &out);
    // Both greetings are answered at once: they were sent at once.
    hello_codec(&wire, &hello);
    if (w->sequence == 2)
        send_frame(w, VERB_REPLY_HELLO, 1, out.data, out.length);
    text_clear(&out);
    if (w->verb == VERB_OPEN)
        verb = VERB_REPLY_OPENED;
    else
        add_result(&out, status, fault, samples);
    if (w->verb == VERB_BUILD) {
        verb = VERB_REPLY_IMAGE;
        image_codec(&wire, &image);
    }
    send_frame(w, verb, w->sequence, out.data, out.length);
    text_release(&out);
}

static void say_good(struct worker *w)
{
    reply(w, 0, 0, w->verb == VERB_MEASURE ? take_byte() : 0);
}

static void say_result(struct worker *w)
{
    uint8_t status = take_byte(), fault = take_byte(), samples = take_byte();
    reply(w, status, fault, samples);
}

static void say_phase(struct worker *w)
{
    struct text out = TEXT_INIT;
    struct wire wire;
    struct phase p = {.kind = take_byte() % PHASE_COUNT};
    p.launches = take_byte() * 0x01010101u;
    p.compiles = p.launches & 1;
    wire_writer(&wire, &out);
    phase_codec(&wire, &p);
    send_frame(w, VERB_PHASE, w->sequence, out.data, out.length);
    text_release(&out);
}

static void say_frame(struct worker *w)
{
    const uint8_t *payload;
    enum verb verb = (enum verb)(take_byte() % (VERB_COUNT + 1));
    uint32_t sequence = w->sequence + (uint32_t)(int8_t)take_byte();
    size_t length = take_run(&payload);
    send_frame(w, verb, sequence, payload, length);
}

static void say_bytes(struct worker *w)
{
    const uint8_t *bytes;
    size_t length = take_run(&bytes);
    send_bytes(w, bytes, length);
}

static void die(struct worker *w)
{
    shutdown(w->channel, SHUT_RDWR);
}

static void say_error(struct worker *w)
{
    struct text out = TEXT_INIT;
    struct wire wire;
    const char *message = "made up";
    wire_writer(&wire, &out);
    wire_str(&wire, &message);
    send_frame(w, VERB_REPLY_ERROR, w->sequence, out.data, out.length);
    text_release(&out);
}

// ---- what the caller does ----------------------------------------------------------------------

static struct evaluator *evaluator;
static uint64_t next_ticket;

static struct job *make_job(uint64_t number)
{
    struct job *j = job_new();
    REQUIRE(j);
    const char **options = arena_array(&j->arena, 1, sizeof(char *));
    j->programs = arena_alloc(&j->arena, sizeof *j->programs);
    j->launches = arena_alloc(&j->arena, sizeof *j->launches);
    REQUIRE(options && j->programs && j->launches);
    options[0] = arena_printf(&j->arena, "-DID=%llu", (unsigned long long)number);
    j->program_count = j->launch_count = 1;
    j->programs[0] = (struct job_program){
        .name = "k.cl", .source = "kernel", .length = 6, .options = options, .option_count = 1};
    j->launches[0] = (struct job_launch){
        .name = "k", .kernel = "k", .dimensions = 1, .global = {1, 1, 1}, .local = {1, 1, 1}};
    return j;
}

static void submit(void)
{
    struct error e = ERROR_INIT;
    if (next_ticket < TICKETS)
        evaluator_submit(evaluator, next_ticket, make_job(next_ticket), &e);
    next_ticket += next_ticket < TICKETS;
}

static void act(void)
{
    struct error e = ERROR_INIT;
    uint8_t what = take_byte(), which = take_byte() % TICKETS;
    struct turn turn = {.warmups = 1, .launches = what >> 4, .compare = which & 1};
    struct evaluator_status status;
    switch (what & 7) {
    case 0:
        submit();
        break;
    case 1:
        evaluator_again(evaluator, which, &turn, &e);
        break;
    case 2:
        evaluator_drop(evaluator, which);
        break;
    case 3:
        evaluator_cancel(evaluator);
        break;
    case 4:
        evaluator_hold(evaluator, which & 1);
        break;
    case 5:
        evaluator_best(evaluator, 500u * which, 400u * which);
        break;
    default:
        evaluator_status(evaluator, &status);
        evaluator_room(evaluator);
    }
}

// Takes what there is. False once the evaluator cannot go on.
static bool take_outcomes(void)
{
    for (;;) {
        struct outcome out = {.result = NULL};
        struct error e = ERROR_INIT;
        int got = evaluator_take(evaluator, 0, &out, &e);
        REQUIRE((got < 0) == (e.code != ERROR_NONE));
        if (got <= 0)
            return got == 0;
        REQUIRE(out.result && out.ticket < next_ticket);
        result_free(out.result);
    }
}

// ---- events ------------------------------------------------------------------------------------

typedef void (*saying)(struct worker *w);

static const saying sayings[] = {say_good,  say_phase, say_result, say_frame,
                                 say_bytes, die,       say_error};

static void event(void)
{
    uint8_t byte = take_byte();
    size_t what = byte % 16;
    struct worker *w = &workers[byte / 16 % WORKERS];
    if (what == 14)
        now_ns += (uint64_t)take_byte() * 1000000000;
    else if (what == 15)
        act();
    else if (w->pid) {
        read_requests(w);
        sayings[what % (sizeof sayings / sizeof *sayings)](w);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const argv[] = {"nothing", NULL};
    static const struct device_info device = {.type = DEVICE_GPU, .id = "made-up", .timer_ns = 1};
    struct error e = ERROR_INIT;
    input.at = data;
    input.left = size;
    uint8_t options = take_byte();
    struct live_options o = {.at = {.worker = argv, .device = &device, .jobs = 1 + options % 3},
                             .terms = {.rules = measure_rules_default(),
                                       .build_limit_ns = 1000000000,
                                       .launch_limit_ns = 300000000},
                             .build_only = options & 4,
                             .no_timing = options & 8,
                             .simulated = options & 16};
    now_ns = 1;
    next_ticket = 0;
    last_pid = 1000000;
    evaluator = live_new(&o, &e);
    REQUIRE(evaluator);
    submit();
    submit();
    for (int i = 0; take_outcomes() && i < EVENTS_LIMIT && input.left > 0; i++)
        event();
    evaluator_free(evaluator);
    for (int i = 0; i < WORKERS; i++)
        REQUIRE(workers[i].pid == 0); // none is left behind
    return 0;
}
