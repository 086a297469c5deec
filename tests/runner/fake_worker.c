// A worker without a device, for tests: it speaks the protocol and answers at once. What it shall
// do to a job stands in the job's options: -DFAKE=<behaviour> (see the table). -DNS=<n> is the time
// of its launches, -DMICROJOULES=<n> the energy of one, which else is not counted, -DIMAGE=<text> what
// it is built to, which else has no bytes.
//
// From the environment: FAKE_FOLDER, where workers leave notes for each other; FAKE_EVENTS=<file>,
// what the bench workers are asked, a line each; FAKE_DEAD=<how>, what a bench worker meets on a
// device that has died (-DFAKE=kill_device), and FAKE_DEAD_TIMES=<n>, how often until the device
// is well again (else for ever), and FAKE_DEAD_BUILDS=1, that builds fail on it, too;
// FAKE_LOAD=<per cent>, how much of its one core others use; FAKE_OPENINGS=<file>, where build
// workers note that they begin ("+") and have ended ("-") opening the device, which then takes them
// a fifth of a second; FAKE_CARD=1, the device has a view in CUDA too; FAKE_BESIDE_MS=<n>, so long
// a launch that is verified waits for the load of another job, which it then serves before it ends
// (noted as "beside"); FAKE_LAUNCH_US=<n>, so long a launch takes; FAKE_FRAMES=<file>, the verb, role and bytes of each frame, a line each.
// FAKE_WHERE=<option> and FAKE_THEN=<option>: jobs with the first have the
// second, too. FAKE_FOLDERS: the folders it says that it writes to. FAKE_PROBE_FAILS=1: hone's probe
// does not build.
#include "os/process.h"
#include "worker/protocol.h"
#include "worker/watch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum behaviour {
    FAKE_GOOD,
    FAKE_COMPILE_ERROR,
    FAKE_DIE_BUILDING,
    FAKE_DIE_BUILDING_ONCE,
    FAKE_HANG_BUILDING,
    FAKE_DIE_PRIMING,
    FAKE_HANG_PRIMING,
    FAKE_DIE_LOADING,
    FAKE_REFUSE_LOADING,
    FAKE_DIE_RUNNING,
    FAKE_DIE_RUNNING_ONCE,
    FAKE_HANG_RUNNING,
    FAKE_EXIT_RUNNING,
    FAKE_WRONG,
    FAKE_OUT_OF_BOUNDS,
    FAKE_SPEC_FAULT,
    FAKE_REFERENCE_FAULT,
    FAKE_GARBAGE,
    FAKE_ANSWER_TWICE,
    FAKE_REFUSE_RUNNING,
    FAKE_MALFORMED_RUNNING,
    FAKE_MALFORMED_BUILDING,
    FAKE_UNVERIFIED,
    FAKE_DIE_IN_TURN,
    FAKE_DIE_IN_TURN_ONCE,
    FAKE_WRONG_IN_THE_END,
    FAKE_HOURS,
    FAKE_NO_TIME,
    FAKE_KILL_DEVICE,
    FAKE_TOO_LARGE,
    FAKE_HELD_DYING_ONCE,
    FAKE_HELD_HANGING,
    FAKE_SILENT_ONCE,
    FAKE_SILENT,
    FAKE_DISK_FULL,
    FAKE_DIE_OF_DISK,
    FAKE_KILLED_BUILDING,
    FAKE_KILLED_RUNNING,
    FAKE_CACHED_BUILDING,
    FAKE_CACHED_EMPTY,
    FAKE_CACHED_RUNNING,
    FAKE_LOST_HEADER,
    FAKE_NO_MEMORY,
    FAKE_SLOW_FIRST
};

#define HOURS_NS 7200000000000ull

static const char *const names[] = {
    [FAKE_GOOD] = "good",
    [FAKE_COMPILE_ERROR] = "compile_error",
    [FAKE_DIE_BUILDING] = "die_building",
    [FAKE_DIE_BUILDING_ONCE] = "die_building_once",
    [FAKE_HANG_BUILDING] = "hang_building",
    [FAKE_DIE_PRIMING] = "die_priming",
    [FAKE_HANG_PRIMING] = "hang_priming",
    [FAKE_DIE_LOADING] = "die_loading",
    [FAKE_REFUSE_LOADING] = "refuse_loading",
    [FAKE_DIE_RUNNING] = "die_running",
    [FAKE_DIE_RUNNING_ONCE] = "die_running_once",
    [FAKE_HANG_RUNNING] = "hang_running",
    [FAKE_EXIT_RUNNING] = "exit_running",
    [FAKE_WRONG] = "wrong",
    [FAKE_OUT_OF_BOUNDS] = "out_of_bounds",
    [FAKE_SPEC_FAULT] = "spec_fault",
    [FAKE_REFERENCE_FAULT] = "reference_fault",
    [FAKE_GARBAGE] = "garbage",
    // What breaks the protocol in frames: an answer that nothing asked for, an error in the place of
    // a launch's result, and results that are none.
    [FAKE_ANSWER_TWICE] = "answer_twice",
    [FAKE_REFUSE_RUNNING] = "refuse_running",
    [FAKE_MALFORMED_RUNNING] = "malformed_running",
    [FAKE_MALFORMED_BUILDING] = "malformed_building",
    [FAKE_UNVERIFIED] = "unverified",
    [FAKE_DIE_IN_TURN] = "die_in_turn",
    [FAKE_DIE_IN_TURN_ONCE] = "die_in_turn_once",
    [FAKE_WRONG_IN_THE_END] = "wrong_in_the_end", // when it is compared after its last launch
    [FAKE_HOURS] = "hours",                       // by its clock
    [FAKE_NO_TIME] = "no_time",
    [FAKE_KILL_DEVICE] = "kill_device",
    [FAKE_TOO_LARGE] = "too_large", // for the device, as is found when it is loaded
    // Its launch ends the process, or hangs; whoever kills it then, cannot reap it for HELD_S.
    [FAKE_HELD_DYING_ONCE] = "held_dying_once",
    [FAKE_HELD_HANGING] = "held_hanging",
    // Builds that fail: without a word, the first time or always; with words of a full disk; as a
    // compiler that dies of one; killed by somebody.
    [FAKE_SILENT_ONCE] = "silent_once",
    [FAKE_SILENT] = "silent",
    [FAKE_DISK_FULL] = "disk_full",
    [FAKE_DIE_OF_DISK] = "die_of_disk",
    [FAKE_KILLED_BUILDING] = "killed_building",
    [FAKE_KILLED_RUNNING] = "killed_running",
    // A driver's cache is damaged: the worker dies building or launching, or an empty program comes
    // of it, unless its caches are empty.
    [FAKE_CACHED_BUILDING] = "cached_building",
    [FAKE_CACHED_EMPTY] = "cached_empty",
    [FAKE_CACHED_RUNNING] = "cached_running",
    [FAKE_LOST_HEADER] = "lost_header", // the driver's own, for a moment
    [FAKE_NO_MEMORY] = "no_memory",
    [FAKE_SLOW_FIRST] = "slow_first", // launches, the verified one and four of the process
};

// What FAKE_DEAD can say.
enum death {
    DEAD_DIE,     // the worker dies at the launch
    DEAD_LOADING, // when a job is loaded
    DEAD_OPENING, // when the device is opened
    DEAD_REFUSED, // the device cannot be opened
    DEAD_HANG,    // the launch never ends
    DEAD_LIE,     // the launch seems to succeed, and did nothing
    DEAD_ERROR,   // the launch fails with an error
    DEAD_GONE     // the driver says that the device is gone
};

static const char *const death_names[] = {
    [DEAD_DIE] = "die",         [DEAD_LOADING] = "loading", [DEAD_OPENING] = "opening",
    [DEAD_REFUSED] = "refused", [DEAD_HANG] = "hang",       [DEAD_LIE] = "lie",
    [DEAD_ERROR] = "error",     [DEAD_GONE] = "gone",
};

struct slot {
    enum behaviour behaviour;
    uint64_t ns;
    uint64_t spread; // between its samples
    uint64_t microjoules;
    char once[64];
    char id[64];
};

static struct channel channel;
static struct slot slots[8192];
static enum worker_role role;

static void reply(enum verb verb, uint32_t sequence, const struct text *payload)
{
    struct frame none;
    struct error e = ERROR_INIT;
    channel_send(&channel, verb, sequence, payload ? payload->data : NULL,
                 payload ? payload->length : 0, &e);
    while (channel_pending(&channel) && channel_wait(&channel, 0, &none, &e) == 0)
        ;
}

static void phase(uint32_t sequence, enum phase_kind kind, uint32_t launches)
{
    struct phase p = {.kind = kind, .launches = launches};
    struct text t = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &t);
    phase_codec(&w, &p);
    reply(VERB_PHASE, sequence, &t);
    text_release(&t);
}

static void reply_result(uint32_t sequence, struct result *r)
{
    struct text t = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &t);
    result_codec(&w, r);
    reply(VERB_REPLY_RESULT, sequence, &t);
    text_release(&t);
    result_free(r);
}

static void reply_image(uint32_t sequence, struct result *r, const char *code)
{
    struct image image = {.primed = true, .bytes = code, .length = code ? strlen(code) : 0};
    if (code)
        digest_of(code, strlen(code), &image.digest);
    struct text t = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &t);
    result_codec(&w, r);
    image_codec(&w, &image);
    reply(VERB_REPLY_IMAGE, sequence, &t);
    text_release(&t);
    result_free(r);
}

static void fake_device(struct device_info *d)
{
    const char *shares = getenv("FAKE_SHARES_HOST");
    *d = (struct device_info){.language = LANGUAGE_OPENCL,
                              .type = DEVICE_CPU,
                              .id = "fake/0",
                              .name = "fake device",
                              .vendor = "nobody",
                              .platform = "fake platform",
                              .platform_version = "1",
                              .driver = "1.0",
                              .compiler = "none",
                              .language_version = "OpenCL C 1.2",
                              .extensions = "",
                              .uuid = "",
                              .pci = "",
                              .surroundings = "",
                              .compute_units = 1,
                              .max_group_size = 1024,
                              .max_item_sizes = {1024, 1024, 64},
                              .timer_ns = 1,
                              .shares_host = shares && *shares == '1'};
}

static void reply_opened(uint32_t sequence)
{
    const char *folders = getenv("FAKE_FOLDERS");
    struct opened opened = {.folders = folders ? folders : ""};
    struct text t = TEXT_INIT;
    struct wire w;
    fake_device(&opened.info);
    wire_writer(&w, &t);
    opened_codec(&w, &opened);
    reply(VERB_REPLY_OPENED, sequence, &t);
    text_release(&t);
}

// `languages` as in a request for devices.
static void reply_devices(uint32_t sequence, uint32_t languages)
{
    struct device_info views[2];
    struct device_report report = {.devices = views, .problem = ""};
    struct text t = TEXT_INIT;
    struct wire w;
    if (languages & 1u << LANGUAGE_OPENCL)
        fake_device(&views[report.device_count++]);
    if (getenv("FAKE_CARD") && languages & 1u << LANGUAGE_CUDA) {
        fake_device(&views[report.device_count]);
        views[report.device_count].language = LANGUAGE_CUDA;
        views[report.device_count].platform = "CUDA";
        views[report.device_count++].id = "fake/cuda";
    }
    for (uint32_t i = 0; i < report.device_count && getenv("FAKE_CARD"); i++)
        views[i].pci = "0000:65:00.0";
    wire_writer(&w, &t);
    device_report_codec(&w, &report);
    reply(VERB_REPLY_DEVICES, sequence, &t);
    text_release(&t);
}

static void reply_hello(uint32_t sequence)
{
    struct hello hello = {.protocol = PROTOCOL_VERSION, .version = HONE_VERSION};
    struct text t = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &t);
    hello_codec(&w, &hello);
    reply(VERB_REPLY_HELLO, sequence, &t);
    text_release(&t);
}

// ---- behaviours --------------------------------------------------------------------------------

static const char *option_value(const struct job *j, const char *prefix)
{
    const char *where = getenv("FAKE_WHERE"), *then = getenv("FAKE_THEN");
    bool has_more = false;
    for (uint32_t i = 0; i < j->programs[0].option_count; i++) {
        if (str_starts(j->programs[0].options[i], prefix))
            return j->programs[0].options[i] + strlen(prefix);
        has_more |= where && str_equal(j->programs[0].options[i], where);
    }
    return has_more && then && str_starts(then, prefix) ? then + strlen(prefix) : NULL;
}

static struct slot slot_of(const struct job *j)
{
    struct slot s = {.behaviour = FAKE_GOOD, .ns = 1000};
    const char *name = option_value(j, "-DFAKE=");
    const char *ns = option_value(j, "-DNS=");
    const char *spread = option_value(j, "-DSPREAD=");
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            s.behaviour = (enum behaviour)i;
    }
    if (ns)
        s.ns = strtoull(ns, NULL, 10);
    s.spread = spread ? strtoull(spread, NULL, 10) : 1;
    const char *energy = option_value(j, "-DMICROJOULES=");
    s.microjoules = energy ? strtoull(energy, NULL, 10) : 0;
    const char *once = option_value(j, "-DONCE=");
    const char *id = option_value(j, "-DID=");
    snprintf(s.once, sizeof s.once, "%s", once ? once : "x");
    snprintf(s.id, sizeof s.id, "%s",
             id                                               ? id
             : str_equal(j->programs[0].name, "hone's probe") ? "probe"
                                                              : "");
    return s;
}

static void die(void)
{
    fprintf(stderr, "fake worker: last words\n");
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void hang(void)
{
    for (;;)
        pause();
}

// True the first time for this name, in the folder of the test.
static bool first_time(const char *name)
{
    char path[512];
    const char *folder = getenv("FAKE_FOLDER");
    snprintf(path, sizeof path, "%s/once-%s", folder ? folder : "/tmp", name);
    if (access(path, F_OK) == 0)
        return false;
    FILE *f = fopen(path, "w");
    if (f)
        fclose(f);
    return true;
}

// One write() a line: whole lines, whoever else appends and whenever this process is killed.
static void add_line(const char *path, const char *line)
{
    size_t length = strlen(line);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    if (write(fd, line, length) != (ssize_t)length)
        exit(1);
    close(fd);
}

// A tracer keeps the process from being reaped, as a driver does that holds it in the kernel. It is
// noted whether one may trace here.
#define HELD_S 3
static void be_held(void)
{
    int told[2], reaped[2];
    char may = 0;
    pid_t self = getpid();
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    if (pipe(told) != 0 || pipe(reaped) != 0)
        exit(1);
    pid_t starter = fork();
    if (starter == 0 && fork() > 0)
        _exit(0); // the other one is no descendant of this process: who ends it does not reach it
    if (starter == 0) {
        setsid();
        // A traced process stops at a signal, also at that of the starter's end.
        if (read(reaped[0], &may, 1) != 1)
            _exit(1);
        may = ptrace(PTRACE_SEIZE, self, NULL, NULL) == 0;
        if (write(told[1], &may, 1) != 1)
            _exit(1);
        for (int fd = 0; fd < 256; fd++)
            close(fd);
        sleep(HELD_S);
        _exit(0);
    }
    waitpid(starter, NULL, 0);
    if (write(reaped[1], &may, 1) != 1 || read(told[0], &may, 1) != 1)
        exit(1);
    add_line(getenv("FAKE_EVENTS"), may ? "held\n" : "not held\n");
}

static void note_event(const char *what, const struct slot *s, const struct policy *p)
{
    char line[160];
    if (p)
        snprintf(line, sizeof line, "%s %s %ux%u after %u%s\n", what, s->id, p->launches, p->batch,
                 p->warmups, p->inputs ? " compared" : "");
    else
        snprintf(line, sizeof line, "%s %s\n", what, s->id);
    add_line(getenv("FAKE_EVENTS"), line);
}

// ---- a device that has died --------------------------------------------------------------------

static const char *death_file(char path[512])
{
    const char *folder = getenv("FAKE_FOLDER");
    snprintf(path, 512, "%s/dead", folder ? folder : "/tmp");
    return path;
}

// The file has a byte for the killing, and one for each time that it was met.
static bool device_is_dead(enum death how)
{
    struct stat facts;
    char path[512];
    const char *name = getenv("FAKE_DEAD"), *times = getenv("FAKE_DEAD_TIMES");
    if (role != ROLE_BENCH || !str_equal(name ? name : "die", death_names[how]) ||
        stat(death_file(path), &facts) != 0)
        return false;
    if (times && facts.st_size > strtol(times, NULL, 10))
        return false;
    add_line(path, "x");
    return true;
}

// The first time; afterwards the device is what kills, or well.
static void kill_device(void)
{
    char path[512];
    if (access(death_file(path), F_OK) != 0)
        add_line(path, "x");
}

static void fail_build(const struct slot *s, struct result *r)
{
    if (s->behaviour == FAKE_COMPILE_ERROR) {
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "error: what is this");
        r->log = "k.cl:1:1: error: what is this";
    }
    if (getenv("FAKE_PROBE_FAILS") && str_equal(s->id, "probe"))
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "error: a header is broken");
    if (s->behaviour == FAKE_LOST_HEADER) {
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "k.cl does not build");
        r->log = "k.cl:1:10: fatal error: cannot open file '/usr/share/cl/types.h': Too much of it";
    }
    if (s->behaviour == FAKE_NO_MEMORY) {
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "k.cl does not build");
        r->log = "k.cl:1:2: error: a table: Cannot allocate memory";
    }
    if (s->behaviour == FAKE_SPEC_FAULT)
        result_fail(r, STATUS_COMPILE, FAULT_SPEC, "no kernel 'x' in the program");
    if (s->behaviour == FAKE_SILENT || (s->behaviour == FAKE_SILENT_ONCE && first_time(s->once)))
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "CL_BUILD_PROGRAM_FAILURE");
    if (s->behaviour == FAKE_CACHED_EMPTY && !getenv("HONE_WORKER_EMPTY_CACHES"))
        result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                    "kernel 'x' is not in the program; it has: none");
    if (s->behaviour == FAKE_DISK_FULL) {
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "CL_BUILD_PROGRAM_FAILURE");
        r->log = "error: unable to open output file '/c/x.o': 'No space left on device'";
    }
}

static void reply_junk(enum verb verb, uint32_t sequence, const char *words);

static void build(uint32_t sequence, const struct job *j)
{
    struct slot s = slot_of(j);
    struct result *r = result_new();
    phase(sequence, PHASE_BUILDING, 0);
    if (s.behaviour == FAKE_CACHED_BUILDING && !getenv("HONE_WORKER_EMPTY_CACHES"))
        die();
    if (s.behaviour == FAKE_DIE_BUILDING ||
        (s.behaviour == FAKE_DIE_BUILDING_ONCE && first_time(s.once)))
        die();
    if (s.behaviour == FAKE_HANG_BUILDING)
        hang();
    if (s.behaviour == FAKE_KILLED_BUILDING)
        raise(SIGKILL);
    if (s.behaviour == FAKE_DIE_OF_DISK) {
        fprintf(stderr, "LLVM ERROR: IO failure on output stream: No space left on device\n");
        _exit(1);
    }
    if (s.behaviour == FAKE_MALFORMED_BUILDING) {
        reply_junk(VERB_REPLY_IMAGE, sequence, "no image");
        return;
    }
    fail_build(&s, r);
    char dead[512];
    if (getenv("FAKE_DEAD_BUILDS") && access(death_file(dead), F_OK) == 0)
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "CL_DEVICE_NOT_AVAILABLE");
    phase(sequence, PHASE_PRIMING, 0);
    if (s.behaviour == FAKE_DIE_PRIMING)
        die();
    if (s.behaviour == FAKE_HANG_PRIMING) {
        phase(sequence, PHASE_LAUNCHING, 1);
        hang();
    }
    if (option_value(j, "-DIMAGE="))
        r->log = "as it was built";
    reply_image(sequence, r, option_value(j, "-DIMAGE="));
}

static void load(uint32_t sequence, const struct slot *s, bool beside)
{
    struct result *r = result_new();
    note_event(beside ? "beside" : "load", s, NULL);
    if (!beside)
        phase(sequence, PHASE_LOADING, 0);
    if (s->behaviour == FAKE_DIE_LOADING || device_is_dead(DEAD_LOADING))
        die();
    if (s->behaviour == FAKE_REFUSE_LOADING)
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "no such kernel");
    if (s->behaviour == FAKE_TOO_LARGE)
        result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "too many registers");
    reply_result(sequence, r);
}

static void load_frame(const struct frame *f, bool beside)
{
    struct arena a;
    struct wire w;
    uint32_t handle = 0;
    arena_init(&a);
    struct job *job = arena_alloc(&a, sizeof *job);
    wire_reader(&w, f->payload, f->length, &a);
    wire_u32(&w, &handle);
    job_codec(&w, job);
    struct slot *s = &slots[handle % (sizeof slots / sizeof *slots)];
    *s = slot_of(job);
    load(f->sequence, s, beside);
    arena_release(&a);
}

static void load_beside(void)
{
    const char *ms = getenv("FAKE_BESIDE_MS");
    uint64_t end = clock_ns() + (ms ? strtoull(ms, NULL, 10) * 1000000 : 0);
    enum verb verb;
    struct frame f;
    struct error e = ERROR_INIT;
    while (ms && clock_ns() < end && !channel_peek(&channel, &verb)) {
        usleep(1000);
        channel_receive(&channel, &e);
    }
    if (ms && channel_peek(&channel, &verb) && verb == VERB_LOAD &&
        channel_next(&channel, &f, &e) == 1)
        load_frame(&f, true);
}

// True when the launch gave a result of the device's death. The launch that kills it tells no lies.
static bool launch_on_dead_device(struct result *r, bool kills)
{
    if (device_is_dead(DEAD_DIE))
        die();
    if (device_is_dead(DEAD_HANG))
        hang();
    if (device_is_dead(DEAD_ERROR))
        return !result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "CL_OUT_OF_RESOURCES");
    if (device_is_dead(DEAD_GONE))
        return !result_fail(r, STATUS_RUNTIME, FAULT_DEVICE, "CL_DEVICE_NOT_AVAILABLE");
    if (!kills && device_is_dead(DEAD_LIE))
        return !result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "out: nothing was written");
    return false;
}

static bool first_kill(const struct slot *s)
{
    return s->behaviour == FAKE_KILL_DEVICE && first_time("killed");
}

// So long a launch takes by the wall's clock.
static void take_launch_time(void)
{
    const char *us = getenv("FAKE_LAUNCH_US");
    if (us)
        usleep((useconds_t)strtoul(us, NULL, 10));
}

static void reply_junk(enum verb verb, uint32_t sequence, const char *words)
{
    struct text junk = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &junk);
    wire_str(&w, &words);
    reply(verb, sequence, &junk);
}

static bool break_protocol(uint32_t sequence, const struct slot *s)
{
    if (s->behaviour == FAKE_ANSWER_TWICE)
        reply_result(sequence, result_new()); // and what follows is the second
    if (s->behaviour == FAKE_REFUSE_RUNNING)
        reply_junk(VERB_REPLY_ERROR, 0, "waiting for a frame: Invalid argument");
    if (s->behaviour == FAKE_MALFORMED_RUNNING)
        reply_junk(VERB_REPLY_RESULT, sequence, "no result");
    return s->behaviour == FAKE_REFUSE_RUNNING || s->behaviour == FAKE_MALFORMED_RUNNING;
}

static void verify(uint32_t sequence, const struct slot *s)
{
    struct result *r = result_new();
    note_event("verify", s, NULL);
    phase(sequence, PHASE_LAUNCHING, 1);
    take_launch_time();
    bool kills = first_kill(s);
    if (kills)
        kill_device();
    if (launch_on_dead_device(r, kills)) {
        reply_result(sequence, r);
        return;
    }
    if (kills)
        die();
    if (s->behaviour == FAKE_CACHED_RUNNING && !getenv("HONE_WORKER_EMPTY_CACHES"))
        die();
    if (s->behaviour == FAKE_DIE_RUNNING ||
        (s->behaviour == FAKE_DIE_RUNNING_ONCE && first_time(s->once)))
        die();
    bool dies_held = s->behaviour == FAKE_HELD_DYING_ONCE && first_time(s->once);
    if (s->behaviour == FAKE_HELD_HANGING || dies_held)
        be_held();
    if (s->behaviour == FAKE_EXIT_RUNNING || dies_held)
        _exit(0);
    if (s->behaviour == FAKE_HELD_HANGING)
        hang();
    if (s->behaviour == FAKE_KILLED_RUNNING)
        raise(SIGKILL);
    if (s->behaviour == FAKE_HANG_RUNNING)
        hang();
    if (s->behaviour == FAKE_GARBAGE) {
        static const char junk[] = "this is not a frame at all, it is far from one";
        if (write(channel.fd, junk, sizeof junk) < 0)
            exit(1);
        hang();
    }
    if (break_protocol(sequence, s))
        return;
    load_beside();
    phase(sequence, PHASE_CHECKING, 0);
    if (s->behaviour == FAKE_WRONG)
        result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "C: relative norm 0.3");
    if (s->behaviour == FAKE_OUT_OF_BOUNDS)
        result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "wrote 64 bytes past the end of C");
    if (s->behaviour == FAKE_REFERENCE_FAULT)
        result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "the reference kernel does not build");
    if (s->behaviour != FAKE_UNVERIFIED)
        r->verification = VERIFICATION_REFERENCE;
    r->verify_launch_ns = s->behaviour == FAKE_SLOW_FIRST ? 10 * s->ns : s->ns;
    reply_result(sequence, r);
}

static void note_measuring(const struct slot *s)
{
    const char *delay = getenv("FAKE_DELAY_US");
    char line[80];
    snprintf(line, sizeof line, "%s\n", s->id);
    add_line(getenv("FAKE_MEASURE_LOG"), line);
    if (delay)
        usleep((useconds_t)strtoul(delay, NULL, 10));
}

static struct machine_snapshot machine_now(void)
{
    const char *load = getenv("FAKE_LOAD");
    uint64_t now = clock_ns();
    if (!load)
        return (struct machine_snapshot){0};
    return (struct machine_snapshot){
        .at_ns = now, .cores = 1, .other_cpu_ns = now / 100 * strtoul(load, NULL, 10)};
}

// With FAKE_DRIFT=<file> of lines of seven digits: all times of this worker are as many millionths of themselves as the next
// line says. The length of <file>.at counts the workers.
static uint64_t drifted(uint64_t ns)
{
    static double factor;
    const char *path = getenv("FAKE_DRIFT");
    char at[160], line[9] = "";
    if (!path)
        return ns;
    snprintf(at, sizeof at, "%s.at", path);
    for (int fd = factor > 0 ? -1 : open(at, O_WRONLY | O_APPEND | O_CREAT, 0600); fd >= 0;) {
        off_t from = write(fd, "+", 1) == 1 ? 8 * (lseek(fd, 0, SEEK_CUR) - 1) : 0;
        int numbers = open(path, O_RDONLY);
        if (numbers < 0 || pread(numbers, line, 8, from) != 8)
            exit(1);
        factor = strtod(line, NULL) / 1e6;
        close(numbers);
        close(fd);
        break;
    }
    return (uint64_t)((double)ns * factor);
}

// Turns have launches ahead of their samples, screening has none.
static bool dies_in_turn(const struct slot *s, const struct policy *p)
{
    return p->warmups > 0 && (s->behaviour == FAKE_DIE_IN_TURN ||
                              (s->behaviour == FAKE_DIE_IN_TURN_ONCE && first_time(s->once)));
}

#define MANY 10 // launches of a turn, more than a ranking asks for at once

static uint64_t slowed(const struct slot *s)
{
    static unsigned launches;
    return s->behaviour == FAKE_SLOW_FIRST && launches++ < 4 ? 10 * s->ns : s->ns;
}

static void measure(uint32_t sequence, const struct slot *s, const struct policy *p)
{
    struct result *r = result_new();
    note_event("measure", s, p);
    phase(sequence, PHASE_LAUNCHING, p->launches);
    note_measuring(s);
    if (dies_in_turn(s, p))
        die();
    r->samples_ns = arena_array(&r->arena, p->launches, sizeof *r->samples_ns);
    for (uint32_t i = 0; i < p->launches; i++) {
        take_launch_time();
        r->samples_ns[r->sample_count++] = s->behaviour == FAKE_NO_TIME ? 0
                                           : s->behaviour == FAKE_HOURS
                                               ? s->ns + HOURS_NS
                                               : drifted(slowed(s) + i % 3 * s->spread);
        if (p->hopeless_ns && s->ns > p->hopeless_ns && i == 1) {
            r->stop = STOP_HOPELESS;
            break;
        }
    }
    if (r->stop == STOP_NONE)
        r->stop = p->fixed ? STOP_FIXED : STOP_SETTLED; // all that was asked for
    if (p->energy && s->microjoules)
        r->energy = (struct energy){.microjoules = s->microjoules, .launches = 1, .refused = ""};
    else if (p->energy)
        r->energy.refused = "nothing counts it here";
    r->batch = p->batch;
    r->machine = machine_now();
    bool ends = p->inputs || (p->check == POLICY_CHECK_EACH && p->launches >= MANY);
    if (ends && s->behaviour == FAKE_WRONG_IN_THE_END)
        result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "C: relative norm 0.3, again");
    reply_result(sequence, r);
}

// ---- requests ----------------------------------------------------------------------------------

static void serve_handle(const struct frame *f, struct arena *a)
{
    struct policy policy = {0};
    uint32_t handle = 0;
    struct wire w;
    wire_reader(&w, f->payload, f->length, a);
    wire_u32(&w, &handle);
    struct slot *s = &slots[handle % (sizeof slots / sizeof *slots)];
    policy_codec(&w, &policy);
    if (f->verb == VERB_VERIFY)
        verify(f->sequence, s);
    else
        measure(f->sequence, s, &policy);
}

static void open_device(uint32_t sequence, struct wire *w)
{
    struct open_request request = {0};
    struct text t = TEXT_INIT;
    struct wire out;
    const char *why = "CL_DEVICE_NOT_FOUND";
    open_request_codec(w, &request);
    role = request.role;
    if (role == ROLE_BUILD && getenv("FAKE_OPENINGS")) {
        add_line(getenv("FAKE_OPENINGS"), "+");
        usleep(200000);
        add_line(getenv("FAKE_OPENINGS"), "-");
    }
    if (device_is_dead(DEAD_OPENING))
        die();
    if (!device_is_dead(DEAD_REFUSED)) {
        reply_opened(sequence);
        return;
    }
    wire_writer(&out, &t);
    wire_str(&out, &why);
    reply(VERB_REPLY_ERROR, sequence, &t);
    text_release(&t);
}

static void note_frame(const struct frame *f)
{
    char line[80];
    snprintf(line, sizeof line, "%s %s %zu\n", verb_text(f->verb),
             role == ROLE_BENCH ? "bench" : "builder", f->length);
    add_line(getenv("FAKE_FRAMES"), line);
}

static void serve(const struct frame *f)
{
    struct arena a;
    struct wire w;
    note_frame(f);
    if (f->verb == VERB_BLOB || f->verb == VERB_BLOB_FILE || f->verb == VERB_WAKE)
        return;
    arena_init(&a);
    uint32_t languages = 0;
    struct job *job = arena_alloc(&a, sizeof *job);
    wire_reader(&w, f->payload, f->length, &a);
    switch (f->verb) {
    case VERB_HELLO:
        reply_hello(f->sequence);
        break;
    case VERB_DEVICES:
        if (getenv("FAKE_DIE_LISTING") && first_time("listing"))
            raise(SIGKILL);
        if (getenv("FAKE_EXIT_LISTING")) { // a child holds its channel open
            if (fork() == 0) {
                setsid();
                sleep(30);
                _exit(0);
            }
            _exit(0);
        }
        wire_u32(&w, &languages);
        reply_devices(f->sequence, languages);
        break;
    case VERB_OPEN:
        open_device(f->sequence, &w);
        break;
    case VERB_BUILD:
        job_codec(&w, job);
        build(f->sequence, job);
        break;
    case VERB_LOAD:
        load_frame(f, false);
        break;
    case VERB_VERIFY:
    case VERB_MEASURE:
        serve_handle(f, &a);
        break;
    case VERB_STOP:
        exit(0);
    default: // PREPARE, UNLOAD
        reply_result(f->sequence, result_new());
        break;
    }
    arena_release(&a);
}

int main(void)
{
    struct frame f;
    struct error e = ERROR_INIT;
    if (!watch_start(0))
        return 1;
    channel_init(&channel, 0);
    while (channel_wait(&channel, -1, &f, &e) == 1)
        serve(&f);
    return channel.ended ? 0 : 1;
}
