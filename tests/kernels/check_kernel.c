// Builds and runs configurations of a spec in this process and says which of them are wrong.
//
//   check_kernel SPEC [--device NAME] [--set A=B]... [--where EXPR] [--sample N] [--seed S]
//                [--expect N] [--plain yes]
//
// For tests of the kernels: a wrong kernel, and a kernel under a simulator that watches its memory,
// is seen here without workers, measuring or a store in between. --plain yes runs them with plain
// OpenCL calls and bare buffers instead of src/core/device, for simulators (plain_host.h). One line for
// each failure, and a last one, "N configurations correct, M failed". Exit status 0: at least one
// is correct (with
// --expect exactly so many) and none failed; 1: otherwise; 2: wrong use; 77: no such device.
#include "plain_host.h"

#include "device/device.h"
#include "space/space.h"
#include "problem/spec.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_WRONG_USE 2
#define EXIT_SKIPPED   77
#define SETS_LIMIT     16

struct request {
    const char *spec;
    const char *device;          // part of its name; NULL: a CPU, else the first one
    const char *set[SETS_LIMIT]; // "WIDTH=64"
    uint32_t set_count;
    const char *where; // a further restriction; NULL: none
    uint64_t sample;   // configurations to try; 0: all
    uint64_t seed;
    bool plain;
    uint64_t expect; // configurations that must be correct; 0: any number but none
};

struct tally {
    uint64_t correct, failed;
    uint64_t beyond; // asked for more than the device offers
};

// What stays open while configurations are tried.
struct bench {
    const struct spec *spec;
    struct space *space;
    struct spec_sources *sources;
    struct device *device; // one of the two
    struct plain_host *plain;
    const struct device_info *info; // NULL with plain
    struct tally tally;
};

static void print_notice(void *context, enum log_level level, const char *message)
{
    (void)context;
    if (level == LOG_WARNING)
        fprintf(stderr, "warning: %s\n", message);
}

static const struct log notices = {.sink = print_notice};

// ---- the command line --------------------------------------------------------------------------

static bool read_option(struct request *q, const char *name, const char *value)
{
    if (strcmp(name, "--device") == 0) {
        q->device = value;
        return true;
    }
    if (strcmp(name, "--set") == 0 && q->set_count < SETS_LIMIT) {
        q->set[q->set_count++] = value;
        return true;
    }
    if (strcmp(name, "--where") == 0 && !q->where) {
        q->where = value;
        return true;
    }
    if (strcmp(name, "--plain") == 0) {
        q->plain = strcmp(value, "yes") == 0;
        return q->plain;
    }
    if (strcmp(name, "--sample") == 0)
        return str_to_u64(value, &q->sample);
    if (strcmp(name, "--seed") == 0)
        return str_to_u64(value, &q->seed);
    if (strcmp(name, "--expect") == 0)
        return str_to_u64(value, &q->expect);
    return false;
}

static bool read_request(struct request *q, int argc, char **argv)
{
    *q = (struct request){.seed = 1};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' && !q->spec)
            q->spec = argv[i];
        else if (i + 1 >= argc || !read_option(q, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return q->spec != NULL;
}

// ---- one configuration -------------------------------------------------------------------------

static void report(const struct bench *b, const uint32_t *choice, const char *what,
                   const char *message)
{
    struct text configuration = TEXT_INIT;
    spec_configuration_text(b->spec, choice, false, &configuration);
    printf("%s: %s: %s\n", text_cstr(&configuration), what, message);
    text_release(&configuration);
}

static bool run_job(struct bench *b, const struct job *j, struct result *r)
{
    const struct policy policy = {.launches = 1, .batch = 1};
    struct device *d = b->device;
    struct loaded *l = NULL;
    if (b->plain)
        return plain_run(b->plain, j, r);
    if (device_prepare(d, j, r))
        l = device_load(d, j, NULL, r);
    bool ok = l && device_verify(d, l, &policy, r);
    device_unload(d, l);
    return ok;
}

// Which count of the tally one configuration belongs to.
static uint64_t *try_job(struct bench *b, const uint32_t *choice, struct job **j, struct result *r)
{
    struct error e = ERROR_INIT;
    if (!spec_job(b->spec, b->sources, b->info, choice, j, &e)) {
        report(b, choice, "no job", e.text);
        return &b->tally.failed;
    }
    if (!run_job(b, *j, r)) {
        report(b, choice, status_text(r->status), r->message);
        return r->status == STATUS_CONSTRAINTS ? &b->tally.beyond : &b->tally.failed;
    }
    if (r->verification != VERIFICATION_REFERENCE) {
        report(b, choice, "not verified", "the spec gives no reference");
        return &b->tally.failed;
    }
    return &b->tally.correct;
}

static bool try_configuration(struct bench *b, uint64_t index, uint32_t *choice)
{
    struct job *j = NULL;
    struct result *r = result_new();
    if (!r)
        return false;
    space_get(b->space, index, choice);
    ++*try_job(b, choice, &j, r);
    result_free(r);
    job_free(j);
    return true;
}

// The indices to try: all, or a seeded sample of them.
static uint64_t *choose_indices(const struct request *q, uint64_t valid, uint64_t *count)
{
    struct rng r;
    uint64_t *indices = calloc(valid ? valid : 1, sizeof *indices);
    if (!indices)
        return NULL;
    for (uint64_t i = 0; i < valid; i++)
        indices[i] = i;
    *count = valid;
    if (q->sample && q->sample < valid) {
        rng_init(&r, q->seed, 0);
        rng_shuffle(&r, indices, valid);
        *count = q->sample;
    }
    return indices;
}

static bool try_all(struct bench *b, const struct request *q, struct error *e)
{
    uint64_t count = 0;
    uint64_t *indices = choose_indices(q, space_count(b->space), &count);
    uint32_t *choice = calloc(b->spec->parameter_count + 1, sizeof *choice);
    bool ok = indices && choice;
    for (uint64_t i = 0; ok && i < count; i++)
        ok = try_configuration(b, indices[i], choice);
    if (!ok)
        error_memory(e);
    free(choice);
    free(indices);
    return ok;
}

// ---- the device --------------------------------------------------------------------------------

static bool fits(const struct device_info *d, const char *part)
{
    return d->language == LANGUAGE_OPENCL && (!part || str_contains_nocase(d->name, part));
}

// Without a name a CPU where there is one: there tests mean the same on every machine.
static const char *find_device(const struct device_report *list, const char *part)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < list->device_count; i++) {
        const struct device_info *d = &list->devices[i];
        if (fits(d, part) && (!found || (!part && d->type == DEVICE_CPU)))
            found = d->id;
    }
    return found;
}

static struct device *open_device(const char *part, struct error *e)
{
    const struct device_options options = {.scratch = ".", .languages = languages_unnamed()};
    struct arena arena;
    struct device_report list;
    struct device *d = NULL;
    arena_init(&arena);
    if (!device_list(&arena, &options, &list, e))
        goto done;
    const char *id = find_device(&list, part);
    if (id)
        d = device_open(id, &options, e);
done:
    arena_release(&arena);
    return d;
}

// False with an empty error: there is no such device.
static bool open_bench(struct bench *b, const struct request *q, struct error *e)
{
    if (q->plain) {
        b->plain = plain_open(q->device, e);
        return b->plain != NULL;
    }
    b->device = open_device(q->device, e);
    b->info = b->device ? device_describe(b->device) : NULL;
    return b->device != NULL;
}

// ---- all of it ---------------------------------------------------------------------------------

static int judge(const struct tally *t, uint64_t expect)
{
    printf("%llu configurations correct, %llu failed", (unsigned long long)t->correct,
           (unsigned long long)t->failed);
    if (t->beyond)
        printf(", %llu beyond the device's limits", (unsigned long long)t->beyond);
    printf("\n");
    if (t->failed || !t->correct)
        return EXIT_FAILURE;
    if (!expect || t->correct == expect)
        return EXIT_SUCCESS;
    printf("expected %llu\n", (unsigned long long)expect);
    return EXIT_FAILURE;
}

static int check_on(struct bench *b, const struct request *q, struct error *e)
{
    const struct space_options narrowing = {
        .device = b->info, .where = &q->where, .where_count = q->where != NULL};
    b->space = space_new(b->spec, &narrowing, e);
    b->sources = spec_sources_read(b->spec, LANGUAGE_OPENCL, NULL, &notices, e);
    bool ok = b->space && b->sources && try_all(b, q, e);
    spec_sources_free(b->sources);
    space_free(b->space);
    return ok ? judge(&b->tally, q->expect) : EXIT_FAILURE;
}

static int check(const struct request *q, struct error *e)
{
    const struct spec_options options = {.set = q->set, .set_count = q->set_count, .log = &notices};
    struct bench b = {0};
    struct spec *spec = spec_load(q->spec, &options, e);
    int status = EXIT_FAILURE;
    if (!spec)
        return status;
    b.spec = spec;
    if (open_bench(&b, q, e)) {
        status = check_on(&b, q, e);
    } else if (e->code == ERROR_NONE) {
        printf("skipped: no OpenCL device '%s'\n", q->device ? q->device : "");
        status = EXIT_SKIPPED;
    }
    plain_close(b.plain);
    device_close(b.device);
    spec_free(spec);
    return status;
}

// A folder of its own for what drivers leave; in it, so that its name is in no option of a build
// and caches fit again. The spec's path is made absolute before.
static bool enter_scratch(struct request *q, char *folder, char *absolute)
{
    if (realpath(q->spec, absolute))
        q->spec = absolute;
    if (mkdtemp(folder) && chdir(folder) == 0)
        return true;
    perror("a folder in /tmp");
    return false;
}

int main(int argc, char **argv)
{
    struct request q;
    struct error e = ERROR_INIT;
    char absolute[PATH_MAX];
    char scratch[] = "/tmp/hone-check-XXXXXX";
    if (!read_request(&q, argc, argv)) {
        fprintf(stderr, "usage: check_kernel SPEC [--device NAME] [--set A=B]... [--where EXPR] "
                        "[--sample N] [--seed S] [--expect N] [--plain yes]\n");
        return EXIT_WRONG_USE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!enter_scratch(&q, scratch, absolute))
        return EXIT_FAILURE;
    int status = check(&q, &e);
    if (e.code != ERROR_NONE)
        fprintf(stderr, "check_kernel: %s\n", e.text);
    folder_remove(scratch);
    return status;
}
