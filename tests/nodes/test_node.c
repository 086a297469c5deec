// A node on this machine: hone-worker --link and --node between the evaluator and workers that
// behave as they are told.
#include "../runner/fixture.h"
#include "../support/at_once.h"

#include "os/process.h"
#include "extras/nodes/node.h"
#include "worker/device_lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM  HONE_BINARY_DIR "/hone-worker"
#define PATIENCE 60000
#define BEAT_NS  50000000ull
#define LEASE_NS 30000000000ull // a busy machine may keep a part waiting for seconds
#define SHORT_NS                                                                                   \
    1000000000ull // where silence is waited for: of its own looks each side counts two beats at most
#define GONE_MS 30000 // what ends may take, with a short lease

static const char *const agent[] = {PROGRAM,   "--node", "--worker", FAKE_WORKER,
                                    "--locks", folder,   NULL};

static struct node *start_leased(const char *const *launcher, uint64_t lease_ns)
{
    struct error e = ERROR_INIT;
    struct node *n = node_new(&(struct node_options){.name = "n1",
                                                     .worker = PROGRAM,
                                                     .launcher = launcher,
                                                     .beat_ns = BEAT_NS,
                                                     .lease_ns = lease_ns},
                              &e);
    ck_assert_msg(n != NULL, "%s", e.text);
    return n;
}

static struct node *start_node(const char *const *launcher)
{
    return start_leased(launcher, LEASE_NS);
}

static struct node *start_up(void)
{
    struct node *n = start_node(agent);
    ck_assert(node_wait(&n, 1, PATIENCE));
    ck_assert_msg(node_state(n) == NODE_UP, "%s", node_reason(n));
    return n;
}

static struct live_options options_on(struct node *n, const struct device_info *d)
{
    struct live_options o = options(d);
    o.at.node = n;
    o.terms.build_limit_ns = o.terms.launch_limit_ns = 30000000000u; // for what does not hang
    return o;
}

START_TEST(it_says_what_it_is)
{
    struct node *n = start_up();
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    ck_assert_str_eq(node_about(n)->host, host);
    ck_assert_str_eq(node_about(n)->version, HONE_VERSION);
    ck_assert_uint_ge(n->cores, 1);
    ck_assert_str_eq(node_reason(n), "");
    node_free(n);
}
END_TEST

START_TEST(it_lists_devices)
{
    struct node *n = start_up();
    struct arena a;
    struct device_report report;
    struct error e = ERROR_INIT;
    arena_init(&a);
    ck_assert_msg(live_devices(&(struct place){.node = n, .environment = environment},
                               LANGUAGES_ALL, &a, &report, NULL, 0, &e),
                  "%s", e.text);
    ck_assert_uint_eq(report.device_count, 1);
    ck_assert_str_eq(report.devices[0].name, "fake device");
    arena_release(&a);
    node_free(n);
}
END_TEST

START_TEST(jobs_come_back)
{
    struct node *n = start_up();
    struct device_info d = device(false);
    struct live_options o = options_on(n, &d);
    struct evaluator *ev = make_live(&o);
    bool seen[64] = {false};
    for (unsigned i = 0; i < 40; i++)
        submit(ev, i, "good", 1000 + i);
    for (unsigned i = 0; i < 40; i++) {
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
        ck_assert(ticket < 40 && !seen[ticket]);
        seen[ticket] = true;
        result_free(r);
    }
    evaluator_free(ev);
    node_free(n);
}
END_TEST

static void crashes_are_blamed(int number)
{
    (void)number;
    setup();
    struct node *n = start_up();
    struct device_info d = device(false);
    struct live_options o = options_on(n, &d);
    o.terms.launch_limit_ns = 1000000000u;
    struct evaluator *ev = make_live(&o);
    static const struct {
        const char *behaviour, *message;
        enum status status;
    } cases[] = {{"die_building",
                  "was killed by SIGABRT (aborted); the last it printed: fake worker: last words",
                  STATUS_COMPILE},
                 {"die_running", "SIGABRT", STATUS_RUNTIME},
                 {"hang_running", "still running after", STATUS_TIMEOUT},
                 {"exit_running", "exited with status", STATUS_RUNTIME},
                 {"die_running_once", "", STATUS_CORRECT}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ticket;
        submit(ev, i, cases[i].behaviour, 1000);
        struct result *r = take(ev, &ticket);
        ck_assert_msg(r->status == cases[i].status, "%s: %s", cases[i].behaviour, r->message);
        ck_assert_msg(strstr(r->message, cases[i].message) != NULL, "%s: %s", cases[i].behaviour,
                      r->message);
        result_free(r);
    }
    evaluator_free(ev);
    node_free(n);
    teardown();
}

// A bit that is flipped on the way ends the node, and nothing of the frame is believed: no result is
// wrong, and no job is to blame.
START_TEST(a_damaged_frame_ends_the_node_alone)
{
    static const char *const offsets[] = {"FAKE_FLIP=1500", "FAKE_FLIP=2701", "FAKE_FLIP=6002"};
    const char *const launcher[] = {FAKE_LAUNCHER, PROGRAM,   "--node", "--worker",
                                    FAKE_WORKER,   "--locks", folder,   NULL};
    putenv(strdup(offsets[_i]));
    struct node *n = start_node(launcher);
    ck_assert(node_wait(&n, 1, PATIENCE));
    ck_assert_msg(node_state(n) == NODE_UP, "%s", node_reason(n));
    struct device_info d = device(false);
    struct live_options o = options_on(n, &d);
    struct evaluator *ev = make_live(&o);
    struct error e = ERROR_INIT;
    struct outcome out;
    int got;
    for (unsigned i = 0; i < 40; i++)
        submit(ev, i, "good", 1000 + i);
    while ((got = evaluator_take(ev, PATIENCE, &out, &e)) == 1) {
        ck_assert_msg(out.result->status == STATUS_CORRECT, "%s", out.result->message);
        ck_assert_uint_ge(out.result->samples_ns[0], 1000);
        ck_assert_uint_lt(out.result->samples_ns[0], 1040);
        result_free(out.result);
    }
    ck_assert_int_eq(got, -1);
    ck_assert_int_eq(node_state(n), NODE_LOST);
    ck_assert_msg(strstr(e.text, "was damaged on its way") ||
                      strstr(e.text, "not a frame of a node") || strstr(e.text, "are accepted"),
                  "%s", e.text);
    evaluator_free(ev);
    node_free(n);
}
END_TEST

// ---- what cannot be used -----------------------------------------------------------------------

static void expect_lost_within(const char *const *launcher, uint64_t start_ns, const char *a,
                               const char *b)
{
    struct error e = ERROR_INIT;
    struct node *n = node_new(&(struct node_options){.name = "n1",
                                                     .worker = PROGRAM,
                                                     .launcher = launcher,
                                                     .beat_ns = BEAT_NS,
                                                     .lease_ns = LEASE_NS,
                                                     .start_ns = start_ns},
                              &e);
    ck_assert_msg(n != NULL, "%s", e.text);
    ck_assert(node_wait(&n, 1, PATIENCE));
    ck_assert_int_eq(node_state(n), NODE_LOST);
    ck_assert_msg(strstr(node_reason(n), "node 'n1' cannot be used: ") == node_reason(n), "%s",
                  node_reason(n));
    ck_assert_msg(strstr(node_reason(n), a) != NULL, "'%s' is not in: %s", a, node_reason(n));
    ck_assert_msg(strstr(node_reason(n), b) != NULL, "'%s' is not in: %s", b, node_reason(n));
    struct arena arena;
    struct device_report report;
    arena_init(&arena);
    ck_assert(
        !live_devices(&(struct place){.node = n}, LANGUAGES_ALL, &arena, &report, NULL, 0, &e));
    ck_assert_msg(strstr(e.text, a) != NULL, "%s", e.text);
    arena_release(&arena);
    node_free(n);
}

static void expect_lost(const char *const *launcher, const char *a, const char *b)
{
    expect_lost_within(launcher, LEASE_NS, a, b);
}

static const struct {
    const char *script, *first, *second;
} failing_launchers[] = {
    {"echo 'ssh: connect to host b port 22: No route to host' >&2; exit 255",
     "exited with status 255", "No route to host"},
    {"printf 'env: \xe2\x80\x98\xc3\xbc\xe2\x80\x99:\n\x1b[2J fehlt\n' >&2; exit 127",
     "env: \xe2\x80\x98\xc3\xbc\xe2\x80\x99: \\x1b[2J fehlt", ""},
    {"echo 'bash: line 1: hone-worker: command not found' >&2; exit 127", "command not found",
     "--node-worker PATH"},
    {"echo 'usage: hone-worker [--help | --version]' >&2; exit 2", "too old", HONE_VERSION},
    {"echo 'This account is not available.'", "exited with status 0",
     "on its standard output: This account is not available."},
    {"head -c 70000 /dev/zero | tr '\\0' x", "printed", "xxxxxxxx"},
    {"kill -9 $$", "was killed by SIGKILL", ""},
    {"printf '\\236hn\\001\\000\\000\\377\\377aaaaaaaabbbbbbbb'", "not a frame of a node", ""},
    {"printf '\\236hn\\001\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377\\000'",
     "of 16777215 bytes", ""},
    {"printf '\\236hn\\001\\003\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000'",
     "'data' was damaged on its way", ""}, // its checksum is not there
    {"printf '\\236hn\\001\\003\\000\\000\\000\\000\\000\\000\\000\\004\\000\\000\\000"
     "\\114\\222\\252\\200'",
     "'data' where that makes no sense", ""},
};

static void a_launcher_that_fails_speaks_for_itself(int i)
{
    const char *const launcher[] = {"sh", "-c", failing_launchers[i].script, NULL};
    setup();
    expect_lost(launcher, failing_launchers[i].first, failing_launchers[i].second);
    teardown();
}

static void a_launcher_that_is_silent_is_not_waited_for(int i)
{
    static const char *const silent[] = {"sh", "-c", "cat >/dev/null", NULL};
    (void)i;
    setup();
    expect_lost_within(silent, SHORT_NS, "no agent answered within 1 s", "");
    teardown();
}

START_TEST(what_cannot_start_or_ask_is_told)
{
    char path[96], program[128];
    snprintf(path, sizeof path, "%s/bin", folder);
    snprintf(program, sizeof program, "%s/ssh", path);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    FILE *f = fopen(program, "w");
    ck_assert(f &&
              fputs("#!/bin/sh\nprintf 'u@h: Permission denied (publickey).\r\n' >&2; exit 255\n",
                    f) >= 0 &&
              fclose(f) == 0);
    ck_assert_int_eq(chmod(program, 0700), 0);
    char *paths = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
    static const char *const asking[] = {"ssh", NULL};
    expect_lost(asking, "denied (publickey). ssh can ask nothing here",
                "ssh -oBatchMode=yes HOST true");
    setenv("PATH", paths, 1);
    free(paths);
    static const char *const nowhere[] = {"/nonexistent/srun", NULL};
    expect_lost(nowhere, "cannot start the launcher '/nonexistent/srun'", "No such file");
    static const char *const no_worker[] = {PROGRAM, "--node", "--worker", "/nonexistent/w", NULL};
    expect_lost(no_worker, "/nonexistent/w", "No such file");
}
END_TEST

// A greeting of another version, as any version can read it.
static void another_version_is_told_with_both(int i)
{
    (void)i;
    setup();
    static const char *const launcher[] = {
        "sh", "-c",
        "printf '\\236hn\\001\\000\\000\\000\\000\\000\\000\\000\\000\\015\\000\\000\\000"
        "\\011\\000\\000\\000\\005\\000\\000\\0009.8.7'; cat >/dev/null",
        NULL};
    expect_lost(launcher, "version 9.8.7", "this hone is " HONE_VERSION);
    teardown();
}

START_TEST(a_banner_is_passed_over)
{
    static const char *const launcher[] = {
        "sh",
        "-c",
        "echo 'Welcome, dear user'; head -c 30000 /dev/zero; printf '\\236h'; exec \"$@\"",
        "sh",
        PROGRAM,
        "--node",
        "--worker",
        FAKE_WORKER,
        "--locks",
        folder,
        NULL};
    struct node *n = start_node(launcher);
    ck_assert(node_wait(&n, 1, PATIENCE));
    ck_assert_msg(node_state(n) == NODE_UP, "%s", node_reason(n));
    node_free(n);
}
END_TEST

START_TEST(an_agent_wants_no_terminal)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), said[2], status = 0;
    char text[512] = "";
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 && pipe(said) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
        dup2(slave, 0);

        dup2(said[1], 2);
        execl(PROGRAM, PROGRAM, "--node", (char *)NULL);
        _exit(1);
    }
    close(said[1]);
    waitpid(pid, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    ck_assert(read(said[0], text, sizeof text - 1) > 0);
    ck_assert_msg(strstr(text, "is a terminal") != NULL, "%s", text);
    close(said[0]);
    close(master);
}
END_TEST

// ---- the lock of a device ----------------------------------------------------------------------

static int lock_within(struct node *n, struct device_lock *l, unsigned ms)
{
    struct error e = ERROR_INIT;
    int got = 0;
    for (uint64_t start = clock_ns(); got == 0 && clock_ns() - start < ms * 1000000ull;) {
        node_state(n);
        got = device_lock_try(l, &e);
        usleep(1000);
    }
    ck_assert_msg(got >= 0, "%s", e.text);
    return got;
}

static void a_lock_there_keeps_others_away(int i)
{
    (void)i;
    setup();
    struct node *n = start_up();
    struct device_info d = device(false);
    struct device_lock there, other, here;
    struct error e = ERROR_INIT;
    node_open_lock(n, &there, NULL, &d, NULL);
    node_open_lock(n, &other, NULL, &d, NULL);
    there.limit_ns = 1000000000;
    ck_assert(device_lock_open(&here, folder, &d, &e));
    ck_assert_int_eq(lock_within(n, &there, PATIENCE), 1);
    ck_assert_int_eq(device_lock_try(&here, &e), 0);
    for (uint64_t start = clock_ns(); !other.waiting;) {
        ck_assert(clock_ns() - start < PATIENCE * 1000000ull);
        ck_assert_int_eq(lock_within(n, &other, 10), 0);
    }
    ck_assert_msg(strstr(other.holder, "process ") == other.holder, "%s", other.holder);
    device_lock_release(&there);
    ck_assert_int_eq(lock_within(n, &other, PATIENCE), 1);
    // It goes with who has it, and one that nobody comes for is given back.
    device_lock_close(&other);
    ck_assert_int_eq(lock_within(n, &there, PATIENCE), 1);
    device_lock_release(&there);
    ck_assert_int_eq(device_lock_try(&there, &e), 0);
    int got = 0;
    for (uint64_t start = clock_ns(); got == 0 && clock_ns() - start < PATIENCE * 1000000ull;) {
        node_state(n);
        got = device_lock_try(&here, &e);
        usleep(1000);
    }
    ck_assert_int_eq(got, 1);
    for (got = 0; got == 0;)
        node_state(n), usleep(1000), got = device_lock_try(&there, &e);
    ck_assert_int_eq(got, -1);
    ck_assert_msg(strstr(e.text, "was not free within 1.000 s") != NULL, "%s", e.text);
    device_lock_close(&there);
    device_lock_close(&here);
    node_free(n);
    teardown();
}

// ---- bytes, signals and ends -------------------------------------------------------------------

static struct node *start_with(const char *program)
{
    const char *const launcher[] = {FAKE_LAUNCHER, PROGRAM,   "--node", "--worker",
                                    program,       "--locks", folder,   NULL};
    struct node *n = start_node(launcher);
    ck_assert(node_wait(&n, 1, PATIENCE));
    ck_assert_msg(node_state(n) == NODE_UP, "%s", node_reason(n));
    return n;
}

static void start_on(struct node *n, struct process *p)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(process_start_on(&n->host, p, environment, &e), "%s", e.text);
}

// Sends all and reads as much back, which is to be the same.
static void echo(const struct process *p, const struct text *bytes)
{
    static char buffer[1 << 16];
    size_t sent = 0, got = 0;
    while (got < bytes->length) {
        struct pollfd ready = {.fd = p->channel,
                               .events = (short)(POLLIN | (sent < bytes->length ? POLLOUT : 0))};
        ck_assert_msg(poll(&ready, 1, PATIENCE) == 1, "%zu sent, %zu of %zu came back", sent, got,
                      bytes->length);
        ssize_t n = ready.revents & POLLOUT
                        ? send(p->channel, bytes->data + sent, bytes->length - sent, MSG_NOSIGNAL)
                        : 0;
        sent += n > 0 ? (size_t)n : 0;
        n = ready.revents & ~POLLOUT ? recv(p->channel, buffer, sizeof buffer, 0) : -1;
        const char *lost = n == 0 ? process_lost(p) : NULL;
        ck_assert_msg(n != 0, "it has ended: %zu of %zu came back%s%s", got, bytes->length,
                      lost ? ": " : "", lost ? lost : "");
        if (n < 0)
            continue;
        ck_assert_uint_le(got + (size_t)n, bytes->length);
        ck_assert_msg(memcmp(bytes->data + got, buffer, (size_t)n) == 0, "others after %zu", got);
        got += (size_t)n;
    }
}

static void add_frame(struct text *out, enum verb verb, size_t length, uint64_t *seed)
{
    struct wire w;
    uint32_t magic = PROTOCOL_MAGIC, kind = (uint32_t)verb, sequence = 0, bytes = (uint32_t)length;
    wire_writer(&w, out);
    wire_u32(&w, &magic);
    wire_u32(&w, &kind);
    wire_u32(&w, &sequence);
    wire_u32(&w, &bytes);
    for (size_t i = 0; i < length; i += 8) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        text_addn(out, seed, length - i < 8 ? length - i : 8);
    }
    ck_assert(!out->failed);
}

START_TEST(contents_go_to_a_node_once)
{
    enum { PARTS = 12 };
    char file[96];
    snprintf(file, sizeof file, "%s/passed", folder);
    setenv("FAKE_PASSED", file, 1);
    struct node *n = start_with("/bin/cat");
    struct text contents = TEXT_INIT, others = TEXT_INIT;
    struct process p[3];
    uint64_t seed = 1;
    for (int i = 0; i < PARTS; i++)
        add_frame(&contents, VERB_BLOB, i % 3 == 2 ? 100 + (size_t)i : BLOB_PART + 64, &seed);
    for (int i = 0; i < 50; i++) // frames of all lengths, contents in between, what is no frame
        add_frame(&others, i % 7 ? VERB_LOAD : VERB_BLOB, (size_t)i * i * 11, &seed);
    add_frame(&others, VERB_BLOB, BLOB_PART + 1000, &seed);
    text_add(&others, "no frame at all, bytes of somebody else");
    for (int i = 0; i < 3; i++) {
        start_on(n, &p[i]);
        echo(&p[i], &contents);
    }
    echo(&p[1], &others);
    for (int i = 0; i < 3; i++)
        process_end(&p[i]);
    node_free(n);
    unsigned long long passed = 0;
    FILE *f = fopen(file, "r");
    ck_assert(f && fscanf(f, "%llu", &passed) == 1);
    fclose(f);
    ck_assert_uint_gt(passed, contents.length + others.length);
    ck_assert_uint_lt(passed, contents.length + others.length + (contents.length >> 3));
    text_release(&contents);
    text_release(&others);
}
END_TEST

static void a_large_image_passes_while_another_reads_nothing(int i)
{
    (void)i;
    setup();
    struct node *n = start_with("/bin/cat");
    struct text image = TEXT_INIT, small = TEXT_INIT;
    struct process deaf, p;
    uint64_t seed = 2;
    size_t taken = 0;
    add_frame(&image, VERB_LOAD, 100u << 20, &seed);
    add_frame(&small, VERB_LOAD, 1000, &seed);
    start_on(n, &deaf);
    start_on(n, &p);
    // What nobody reads is bounded, and so is what it holds up.
    struct pollfd ready = {.fd = deaf.channel, .events = POLLOUT};
    while (poll(&ready, 1, 500) == 1) {
        ssize_t sent = send(deaf.channel, image.data + taken % (1 << 20), 1 << 16, MSG_NOSIGNAL);
        taken += sent > 0 ? (size_t)sent : 0;
        ck_assert_uint_lt(taken, 40u << 20);
    }
    echo(&p, &small);
    echo(&p, &image);
    process_end(&deaf);
    process_end(&p);
    node_free(n);
    text_release(&image);
    text_release(&small);
    teardown();
}

START_TEST(signals_reach_its_group)
{
    struct node *n = start_with("/bin/cat");
    struct text small = TEXT_INIT;
    struct process p;
    uint64_t seed = 3;
    int status = 0;
    add_frame(&small, VERB_LOAD, 1000, &seed);
    start_on(n, &p);
    echo(&p, &small);
    for (uint64_t start = clock_ns(); process_memory(&p) == 0;)
        ck_assert(clock_ns() - start < PATIENCE * 1000000ull);
    process_stop(&p);
    ck_assert(send(p.channel, small.data, 100, MSG_NOSIGNAL) == 100);
    struct pollfd ready = {.fd = p.channel, .events = POLLIN};
    ck_assert_int_eq(poll(&ready, 1, 300), 0);
    process_continue(&p);
    ck_assert_int_eq(poll(&ready, 1, PATIENCE), 1);
    ck_assert(!process_wait(&p, 50, &status));
    process_signal(&p, SIGTERM);
    ck_assert(process_wait(&p, PATIENCE, &status));
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    ck_assert_int_eq(p.pid, 0);
    process_end(&p);
    // A stopped one is killed, and one whose channel is closed ends by itself.
    start_on(n, &p);
    process_stop(&p);
    process_signal(&p, SIGKILL);
    ck_assert(process_wait(&p, PATIENCE, &status));
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    process_end(&p);
    start_on(n, &p);
    close(p.channel);
    p.channel = -1;
    ck_assert(process_wait(&p, PATIENCE, &status));
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    process_end(&p);
    node_free(n);
    text_release(&small);
}
END_TEST

static void write_script(char *path, size_t size, const char *lines)
{
    snprintf(path, size, "%s/worker.sh", folder);
    FILE *f = fopen(path, "w");
    ck_assert(f && fprintf(f, "#!/bin/sh\n%s\n", lines) > 0 && fclose(f) == 0);
    ck_assert_int_eq(chmod(path, 0700), 0);
}

static void its_last_words_and_its_status_come_back(int i)
{
    (void)i;
    setup();
    char path[96];
    struct process p;
    int status = 0;
    write_script(path, sizeof path,
                 "head -c 300000 /dev/zero | tr '\\0' x >&2; echo last words >&2; echo answer\n"
                 "test -d \"$HONE_WORKER_SCRATCH\" -a -d \"$POCL_CACHE_DIR\" || exit 4\n"
                 "test \"$HONE_WORKER_SCRATCH\" != \"$0\" -a \"$FAKE_FOLDER\" || exit 5\n"
                 "case $HONE_WORKER_SCRATCH in */hone-scratch-*) exit 3; esac");
    unsetenv("POCL_CACHE_DIR");
    struct node *n = start_with(path);
    start_on(n, &p);
    struct pollfd ready = {.fd = p.channel, .events = POLLIN};
    char answer[16] = "";
    while (poll(&ready, 1, 5) == 0)
        process_drain(&p);
    ck_assert_int_eq(recv(p.channel, answer, sizeof answer - 1, 0), 7);
    process_drain(&p); // it was printed before it was answered
    const char *end = p.tail + (p.tail_length > 40 ? p.tail_length - 40 : 0);
    ck_assert_msg(strstr(end, "xxxlast words\n") != NULL, "%s", end);
    ck_assert(process_wait(&p, PATIENCE, &status));
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 3, "%d", status);
    ck_assert_int_eq(poll(&ready, 1, PATIENCE), 1);
    ck_assert_int_eq(recv(p.channel, answer, sizeof answer, 0), 0);
    process_end(&p);
    // One that cannot be started says why.
    remove(path);
    start_on(n, &p);
    ck_assert(process_wait(&p, PATIENCE, &status));
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 127);
    ck_assert_msg(strstr(p.tail, "No such file") != NULL, "%s", p.tail);
    process_end(&p);
    node_free(n);
    teardown();
}

// ---- parts that are killed ---------------------------------------------------------------------

static const char *const step_agent[] = {FAKE_LAUNCHER, PROGRAM,   "--node", "--worker",
                                         FAKE_WORKER,   "--locks", folder,   NULL};

static size_t read_of(pid_t pid, const char *what, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(out, 1, size - 1, f) : 0;
    if (f)
        fclose(f);
    out[n] = '\0';
    return n;
}

static pid_t parent_of(pid_t pid)
{
    char text[512];
    long parent = 0;
    read_of(pid, "stat", text, sizeof text);
    const char *behind = strrchr(text, ')');
    return behind && sscanf(behind, ") %*c %ld", &parent) == 1 ? (pid_t)parent : 0;
}

static bool has_text(const char *bytes, size_t length, const char *text)
{
    return memmem(bytes, length, text, strlen(text)) != NULL;
}

// A child that has not started its program yet has the arguments of its parent.
static bool is_just_forked(pid_t pid, const char *arguments, size_t length)
{
    static char of_parent[16384];
    size_t n = read_of(parent_of(pid), "cmdline", of_parent, sizeof of_parent);
    return n == length && memcmp(arguments, of_parent, n) == 0;
}

enum part { PART_LINK, PART_LAUNCHER, PART_AGENT, PART_WORKER, PART_TUNER, PART_COUNT };

// The processes of this test, by the folder in their arguments or environment; those of a part into
// `found`, and how many there are of any, but for ourselves and zombies.
static unsigned find_processes(enum part part, pid_t tuner, pid_t *found)
{
    static char arguments[16384], variables[65536];
    unsigned count = 0;
    DIR *all = opendir("/proc");
    struct dirent *entry;
    *found = 0;
    while (all && (entry = readdir(all))) {
        pid_t pid = (pid_t)atol(entry->d_name);
        if (pid <= 0 || pid == getpid() || pid == tuner)
            continue;
        size_t n = read_of(pid, "cmdline", arguments, sizeof arguments);
        size_t m = read_of(pid, "environ", variables, sizeof variables);
        if (n == 0 || (!has_text(arguments, n, folder) && !has_text(variables, m, folder)))
            continue;
        bool is_link = has_text(arguments, n, "--link");
        bool is_launcher = str_equal(arguments, FAKE_LAUNCHER);
        bool is_agent = str_equal(arguments, PROGRAM) && !is_link;
        bool is_step = is_launcher && getsid(pid) == pid;
        bool is_wanted = (part == PART_LINK && is_link) ||
                         (part == PART_LAUNCHER && is_launcher && !is_step) ||
                         (part == PART_AGENT && is_agent) ||
                         (part == PART_WORKER && str_equal(arguments, FAKE_WORKER));
        if (is_wanted && !is_just_forked(pid, arguments, n))
            *found = pid;
        count++;
    }
    if (all)
        closedir(all);
    return count;
}

static pid_t wait_for_part(enum part part, pid_t tuner)
{
    pid_t found = 0;
    for (int tries = 0; tries < 3000 && !found; tries++) {
        find_processes(part, tuner, &found);
        usleep(10000);
    }
    ck_assert_msg(found > 0, "part %d was never there", part);
    return found;
}

// What the tuner ends with, and how: a text, into `told`.
static void play_tuner(int told, uint64_t lease_ns)
{
    struct error e = ERROR_INIT;
    struct outcome out;
    struct device_info d = device(false);
    struct node *n = start_leased(step_agent, lease_ns);
    if (!node_wait(&n, 1, PATIENCE) || node_state(n) != NODE_UP)
        _exit(1);
    struct live_options o = options_on(n, &d);
    o.terms.launch_limit_ns = 0;
    struct evaluator *ev = live_new(&o, &e);
    evaluator_submit(ev, 1, make_job("hang_running", 1000, 1), &e);
    evaluator_submit(ev, 2, make_job("hang_building", 1000, 2), &e);
    while (evaluator_take(ev, 100, &out, &e) == 0)
        ;
    (void)!write(told, e.text, strlen(e.text) + 1);
    evaluator_free(ev);
    node_free(n);
    _exit(0);
}

static unsigned ms_until_gone(pid_t tuner)
{
    pid_t none;
    uint64_t start = clock_ns();
    while (find_processes(PART_COUNT, tuner, &none) > 0 && clock_ns() - start < 60000000000ull) {
        usleep(20000);
    }
    return (unsigned)((clock_ns() - start) / 1000000);
}

// The tuner tells why the node is lost, and soon nothing is left of any part.
static const struct {
    enum part part;
    int signal;
    uint64_t lease_ns;
    const char *told; // NULL: nobody is there to tell
} kills[] = {
    // Its launcher may be ended before it has ended its step, which goes on until the lease does.
    {PART_LINK, SIGKILL, SHORT_NS, "hone-worker --link, was killed by SIGKILL"},
    {PART_LINK, SIGSTOP, SHORT_NS, "hone-worker --link, is stopped"},
    {PART_LAUNCHER, SIGKILL, SHORT_NS,
     "was killed by SIGKILL"}, // its step goes on until the lease ends
    {PART_LAUNCHER, SIGSTOP, SHORT_NS, "nothing was heard of it for 1 s"},
    {PART_AGENT, SIGKILL, LEASE_NS, "the connection ended"},
    {PART_AGENT, SIGTERM, LEASE_NS, "the connection ended"},
    {PART_AGENT, SIGSTOP, SHORT_NS, "nothing was heard of it for 1 s"},
    {PART_TUNER, SIGKILL, SHORT_NS, NULL},
};

static void nothing_is_left_of_a_killed_part(int i)
{
    setup();
    enum part part = kills[i].part;
    char text[4096] = "";
    int told[2];
    ck_assert_int_eq(pipe(told), 0);
    pid_t tuner = fork();
    if (tuner == 0)
        play_tuner(told[1], kills[i].lease_ns);
    close(told[1]);
    wait_for_part(PART_WORKER, tuner);
    pid_t victim = part == PART_TUNER ? tuner : wait_for_part(part, tuner);
    usleep(100000);
    ck_assert_int_eq(kill(victim, kills[i].signal), 0);
    if (kills[i].told) {
        struct pollfd ready = {.fd = told[0], .events = POLLIN};
        ck_assert_msg(poll(&ready, 1, PATIENCE) == 1, "kill %d: the tuner goes on", i);
        ck_assert(read(told[0], text, sizeof text - 1) > 0);
        ck_assert_msg(strstr(text, kills[i].told) != NULL, "kill %d: %s", i, text);
        ck_assert_msg(strstr(text, "node 'n1' is lost: ") == text, "%s", text);
    }
    if (part == PART_AGENT)
        kill(victim, SIGCONT); // stopped, nothing can end it but who stopped it
    unsigned ms = ms_until_gone(tuner);
    ck_assert_msg(ms < GONE_MS, "kill %d: something is left after %u ms", i, ms);
    kill(tuner, SIGKILL);
    waitpid(tuner, NULL, 0);
    close(told[0]);
    teardown();
}

// Ctrl-Z: for longer than the lease nobody asks the link for anything.
static void a_stopped_tuner_loses_no_node(int i)
{
    (void)i;
    setup();
    int told[2];
    char ok = 0;
    ck_assert_int_eq(pipe(told), 0);
    pid_t tuner = fork();
    if (tuner == 0) {
        struct node *n = start_leased(step_agent, SHORT_NS);
        node_wait(&n, 1, PATIENCE);
        if (node_state(n) != NODE_UP || write(told[1], "u", 1) != 1)
            _exit(1);
        raise(SIGSTOP);
        struct device_info d = device(false);
        struct live_options o = options_on(n, &d);
        struct evaluator *ev = make_live(&o);
        submit(ev, 1, "good", 1000);
        take_correct(ev, 1);
        evaluator_free(ev);
        node_free(n);
        _exit(0);
    }
    ck_assert(read(told[0], &ok, 1) == 1);
    usleep(2 * SHORT_NS / 1000);
    kill(tuner, SIGCONT);
    int status = 0;
    waitpid(tuner, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    teardown();
}

START_TEST(a_killed_worker_costs_no_node)
{
    struct node *n = start_up();
    struct device_info d = device(false);
    struct live_options o = options_on(n, &d);
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "killed_running", 1000);
    uint64_t ticket;
    struct result *r = take(ev, &ticket);
    ck_assert_msg(r->fault == FAULT_SURROUNDINGS, "%s", r->message);
    result_free(r);
    submit(ev, 2, "good", 1000);
    take_correct(ev, 2);
    ck_assert_int_eq(node_state(n), NODE_UP);
    evaluator_free(ev);
    node_free(n);
    ck_assert_uint_lt(ms_until_gone(0), GONE_MS);
}
END_TEST

static uint64_t processor_ns_of(pid_t pid)
{
    clockid_t clock;
    struct timespec t = {0};
    ck_assert_int_eq(clock_getcpuclockid(pid, &clock), 0);
    ck_assert_int_eq(clock_gettime(clock, &t), 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// A channel is closed here while its worker takes nothing and has no credit left: the link goes on to sleep. More
// waits in the channel than the link reads of it, where we may make it so wide (a machine may, for all).
static void a_closed_channel_of_a_deaf_worker_costs_nothing(int i)
{
    (void)i;
    setup();
    static const char bytes[1 << 16];
    const int width = 4 << 20;
    struct node *n = start_with("/bin/cat");
    struct process deaf;
    pid_t pid = wait_for_part(PART_LINK, 0);
    start_on(n, &deaf);
    process_stop(&deaf);
    (void)setsockopt(deaf.channel, SOL_SOCKET, SO_SNDBUFFORCE, &width, sizeof width);
    struct pollfd ready = {.fd = deaf.channel, .events = POLLOUT};
    while (poll(&ready, 1, 500) == 1)
        ck_assert(send(deaf.channel, bytes, sizeof bytes, MSG_NOSIGNAL | MSG_DONTWAIT) != 0);
    close(deaf.channel);
    deaf.channel = -1;
    usleep(200000);
    uint64_t before = processor_ns_of(pid);
    usleep(700000);
    ck_assert_uint_lt(processor_ns_of(pid) - before, 21000000);
    process_end(&deaf);
    node_free(n);
    teardown();
}

// Those that mostly wait.
START_TEST(waiting_ones)
{
    static const struct at_once all[] = {
        {"kill", nothing_is_left_of_a_killed_part, 0, sizeof kills / sizeof *kills},
        {"failing launcher", a_launcher_that_fails_speaks_for_itself, 0,
         sizeof failing_launchers / sizeof *failing_launchers},
        {"silent launcher", a_launcher_that_is_silent_is_not_waited_for, 0, 1},
        {"other version", another_version_is_told_with_both, 0, 1},
        {"stopped tuner", a_stopped_tuner_loses_no_node, 0, 1},
        {"deaf worker", a_closed_channel_of_a_deaf_worker_costs_nothing, 0, 1},
        {"crash", crashes_are_blamed, 0, 1},
        {"lock", a_lock_there_keeps_others_away, 0, 1},
        {"large image", a_large_image_passes_while_another_reads_nothing, 0, 1},
        {"last words", its_last_words_and_its_status_come_back, 0, 1},
    };
    at_once(all, sizeof all / sizeof *all, 16);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("node", setup, 300);
    tcase_add_test(cases, waiting_ones);
    tcase_add_test(cases, what_cannot_start_or_ask_is_told);
    tcase_add_test(cases, it_says_what_it_is);
    tcase_add_test(cases, it_lists_devices);
    tcase_add_test(cases, jobs_come_back);
    tcase_add_loop_test(cases, a_damaged_frame_ends_the_node_alone, 0, 3);
    tcase_add_test(cases, a_banner_is_passed_over);
    tcase_add_test(cases, an_agent_wants_no_terminal);
    tcase_add_test(cases, contents_go_to_a_node_once);
    tcase_add_test(cases, signals_reach_its_group);
    tcase_add_test(cases, a_killed_worker_costs_no_node);
    return run_cases(cases);
}
