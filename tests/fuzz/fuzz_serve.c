// The worker's side of the channel: requests of arbitrary bytes, served over a device that is made
// up and answers at once.
#include "fuzz.h"
#include "worker/worker.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SOCKET_BYTES = 1 << 20, INPUT_LIMIT = 16384 };

// ---- a device without a driver -----------------------------------------------------------------

struct device {
    struct device_options options;
    struct device_info info;
};

struct loaded {
    const struct job *job;
};

static const struct device_info made_up = {.type = DEVICE_CPU,
                                           .id = "made-up",
                                           .name = "made up",
                                           .vendor = "",
                                           .platform = "",
                                           .platform_version = "",
                                           .driver = "",
                                           .compiler = "",
                                           .language_version = "",
                                           .extensions = "",
                                           .uuid = "",
                                           .pci = "",
                                           .surroundings = ""};

bool device_list(struct arena *a, const struct device_options *o, struct device_report *out,
                 struct error *e)
{
    (void)o;
    *out =
        (struct device_report){.devices = arena_copy(a, &made_up, sizeof made_up), .problem = ""};
    out->device_count = 1;
    return out->devices || error_memory(e);
}

struct device *device_open(const char *id, const struct device_options *o, struct error *e)
{
    struct device *d = calloc(1, sizeof *d);
    REQUIRE(d);
    *d = (struct device){*o, made_up};
    if (strcmp(id, made_up.id) == 0)
        return d;
    free(d);
    error_set(e, ERROR_DEVICE, "there is no device '%s'", id);
    return NULL;
}

void device_close(struct device *d)
{
    free(d);
}

const struct device_info *device_describe(const struct device *d)
{
    return &d->info;
}

static bool has_contents(void *context, struct job_blob *b)
{
    uint8_t *last = context;
    if (!b->data)
        return false;
    *last = ((const uint8_t *)b->data)[b->length - 1];
    return true;
}

// What makes inputs reads all contents.
static void read_contents(const struct job *j)
{
    uint8_t last;
    REQUIRE(job_each_blob((struct job *)(uintptr_t)j, has_contents, &last));
}

// What runs a job follows its indices and sizes without a second look.
static void follow(const struct job *j)
{
    REQUIRE(job_wrong(j) == NULL);
    for (uint32_t i = 0; i < j->launch_count; i++)
        REQUIRE(j->launches[i].program < j->program_count);
}

bool device_build(struct device *d, const struct job *j, struct arena *a, struct image *out,
                  struct result *r)
{
    (void)a, (void)r;
    d->options.phase(d->options.context, PHASE_BUILDING, 0, false);
    follow(j);
    *out = (struct image){.primed = true};
    job_reference_digest(j, &out->digest);
    return true;
}

bool device_prepare(struct device *d, const struct job *j, struct result *r)
{
    (void)d, (void)r;
    follow(j);
    read_contents(j);
    return true;
}

// Jobs run in no forks here: the stand-in's language is none of native code.
bool device_make_inputs(struct device *d, const struct job *j, struct result *r)
{
    return device_prepare(d, j, r);
}

void device_recall_reference(struct device *d, const struct job *j)
{
    (void)d, (void)j;
}

void device_host_load(struct device *d, uint64_t jobs_ns, struct result *r)
{
    (void)d, (void)jobs_ns, (void)r;
}

struct loaded *device_load(struct device *d, const struct job *j, const struct image *m,
                           struct result *r)
{
    struct loaded *l = calloc(1, sizeof *l);
    (void)d;
    REQUIRE(l);
    follow(j);
    read_contents(j);
    l->job = j;
    if (!m->length)
        return l;
    free(l);
    result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "an image is not known here");
    return NULL;
}

void device_unload(struct device *d, struct loaded *l)
{
    (void)d;
    free(l);
}

bool device_verify(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    (void)p, (void)r;
    d->options.phase(d->options.context, PHASE_LAUNCHING, 1, false);
    follow(l->job);
    return true;
}

bool device_measure(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    (void)d, (void)p, (void)r;
    follow(l->job);
    return true;
}

bool device_output(struct device *d, struct loaded *l, uint32_t buffer, struct text *out,
                   struct error *e)
{
    (void)d;
    text_addn(out, "output", 6);
    return buffer < l->job->buffer_count || error_set(e, ERROR_USAGE, "there is no such buffer");
}

uint64_t device_odd_launch(struct device *d, struct loaded *l, uint64_t which)
{
    (void)d, (void)l;
    return which;
}

bool device_output_part(struct device *d, struct loaded *l, uint32_t buffer, uint64_t which,
                        uint64_t at, void *out, uint64_t size, struct error *e)
{
    (void)d, (void)which, (void)at, (void)e;
    memset(out, 0, size);
    return buffer < l->job->buffer_count;
}

bool device_compare(struct device *d, const struct job *j, const struct check_apart *c,
                    const void *const *contents, struct result *r)
{
    (void)d, (void)c, (void)r;
    for (uint32_t i = 0; i < j->buffer_count; i++)
        (void)contents[i];
    follow(j);
    return true;
}

bool device_binary(struct device *d, struct loaded *l, uint32_t program, struct text *out,
                   struct error *e)
{
    (void)d;
    text_addn(out, "binary", 6);
    return program < l->job->program_count || error_set(e, ERROR_USAGE, "there is no such program");
}

bool device_ptx(struct device *d, struct loaded *l, uint32_t program, struct text *out,
                struct error *e)
{
    return device_binary(d, l, program, out, e);
}

bool device_routine_about(const struct device_options *o, enum routine routine, const char *library,
                          struct text *about, struct result *r)
{
    (void)o;
    text_addf(about, "%s, %s", routine_title(routine), library ? library : "");
    return library || result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "not found");
}

// ------------------------------------------------------------------------------------------------

// All requests lie in the socket before the worker starts, and then the other side has gone silent.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2], bytes = SOCKET_BYTES;
    const struct device_options none = {.scratch = "."};
    if (size == 0 || size > INPUT_LIMIT)
        return 0;
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    REQUIRE(send(ends[1], data, size, MSG_NOSIGNAL) == (ssize_t)size);
    REQUIRE(shutdown(ends[1], SHUT_WR) == 0);
    int status = serve(ends[0], &none);
    REQUIRE(status == EXIT_SUCCESS || status == EXIT_FAILURE);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
