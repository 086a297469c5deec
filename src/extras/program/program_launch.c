// A launch is a run of the program, whose time is what the program says. What it says of its result is passed on as its word.
// A time that is longer than the run was is no time, whatever its unit was meant to be.
#include "extras/program/program_backend.h"

#include "extras/program/program_command.h"
#include "extras/program/program_times.h"
#include "os/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAST_LINE 512
#define SLACK_NS  1000000

// As hone's probe wants its numbers (model/probe.c).
#define PROBE_FACTOR 2654435761u
#define PROBE_OFFSET 12345u

struct program_run {
    json_t *words;         // NULL: hone's own probe, whose program is `true`
    const char *benchmark; // NULL: the only one
    json_t *what;          // owns both
    const void *program;
    struct text output; // the file that {output} stands for; "": none does
    struct memory *probed;
};

static bool has_output(const json_t *words)
{
    size_t index;
    json_t *word;
    json_array_foreach((json_t *)words, index, word)
    {
        if (strstr(json_string_value(word), "{output}"))
            return true;
    }
    return false;
}

void *program_launch_new(void *own, void *program, const struct job_launch *l, const char *log,
                         struct resources *resources, struct result *r)
{
    struct program_host *h = own;
    struct program_run *k = calloc(1, sizeof *k);
    (void)log, (void)resources;
    if (k) {
        k->program = program;
        k->what = json_loads(l->kernel, 0, NULL);
        k->words = json_is_array(k->what) ? k->what : json_object_get(k->what, "run");
        k->benchmark = json_string_value(json_object_get(k->what, "benchmark"));
        if (k->words && has_output(k->words))
            text_addf(&k->output, "%s/output-%u", text_cstr(&h->scratch), h->files++);
    }
    if (k && !k->output.failed)
        return k;
    program_launch_free(own, k);
    result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    return NULL;
}

void program_launch_free(void *own, void *kernel)
{
    struct program_run *k = kernel;
    (void)own;
    if (!k)
        return;
    json_decref(k->what);
    text_release(&k->output);
    free(k);
}

bool program_launch_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                         struct memory *const *memory, struct result *r)
{
    struct program_run *k = kernel;
    (void)own, (void)j, (void)r;
    k->probed = l->argument_count > 0 ? memory[l->arguments[0].buffer] : NULL;
    return true;
}

// ---- one run

static bool refuse_run(const struct command_end *c, const char *what, struct result *r)
{
    char line[LAST_LINE];
    command_last_line(c, line, sizeof line);
    const char *log = arena_strndup(&r->arena, text_cstr(&c->said), c->said.length);
    r->log = log && *log ? log : r->log;
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "the program %s%s%s", what,
                       *line ? "; the last that it printed: " : "", line);
}

static bool take_time(const struct command_end *c, const struct program_time *t, uint64_t *ns,
                      struct result *r)
{
    char text[160], said[32], took[32];
    if (t->claim == CLAIM_WRONG)
        return result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION,
                           "the program says that its result is wrong%s%s", t->why[0] ? ": " : "",
                           t->why);
    if (t->claim == CLAIM_VALID)
        r->verification = VERIFICATION_CLAIMED;
    *ns = t->ns < 1 ? 1 : (uint64_t)llround(t->ns);
    if (t->ns <= (double)c->took_ns * 1.25 + SLACK_NS)
        return true;
    duration_to_str(t->ns, said);
    duration_to_str((double)c->took_ns, took);
    str_format(text, sizeof text,
               "says that it took %s, and all of it ran for %s (is its time in nanoseconds?)", said,
               took);
    return refuse_run(c, text, r);
}

static bool read_time(const struct program_run *k, const struct command_end *c, uint64_t *ns,
                      struct result *r)
{
    struct text file = TEXT_INIT;
    struct program_time t;
    struct error e = ERROR_INIT;
    char ended[128];
    const struct text *from = k->output.length ? &file : &c->printed;
    process_status_text(c->status, ended, sizeof ended);
    if (c->status != 0)
        return refuse_run(c, ended, r);
    bool ok = k->output.length == 0 || file_read(text_cstr(&k->output), 0, &file, NULL);
    if (!ok)
        refuse_run(c, "wrote no file at {output}", r);
    else if (!program_time_read(text_cstr(from), from->length, k->benchmark, &t, &e))
        ok = refuse_run(c, arena_printf(&r->arena, "was run, and %s", e.text), r);
    else
        ok = take_time(c, &t, ns, r);
    text_release(&file);
    return ok;
}

static bool run_program(const struct program_run *k, uint64_t *ns, uint64_t *took_ns,
                        struct result *r)
{
    const struct command_places places = {program_path(k->program),
                                          k->output.length ? text_cstr(&k->output) : NULL};
    struct command_end c;
    struct error e = ERROR_INIT;
    if (k->output.length)
        unlink(text_cstr(&k->output)); // an earlier run's
    bool ok = command_run(k->words, &places, program_place(k->program), &c, &e)
                  ? read_time(k, &c, ns, r)
                  : result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "the program: %s", e.text);
    *took_ns = c.took_ns;
    if (k->output.length)
        unlink(text_cstr(&k->output));
    command_release(&c);
    return ok;
}

// Does a process run here at all? Then the probe's numbers are there.
static bool run_probe(struct program_run *k, uint64_t *ns, struct result *r)
{
    static const struct command_places none = {NULL, NULL};
    struct command_end c;
    struct error e = ERROR_INIT;
    json_t *words = json_pack("[s]", "true");
    bool ok = words && command_run(words, &none, "/", &c, &e);
    uint32_t *out = ok && k->probed ? (uint32_t *)(void *)k->probed->map.data : NULL;
    for (uint32_t i = 0; out && c.status == 0 && i < k->probed->bytes / sizeof *out; i++)
        out[i] = i * PROBE_FACTOR + PROBE_OFFSET;
    *ns = ok ? c.took_ns : 1;
    if (ok)
        command_release(&c);
    json_decref(words);
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_DEVICE, "no program can be run: %s", e.text);
}

bool program_launch(void *own, const struct run *run, struct run_times *times, bool *lost,
                    struct result *r)
{
    bool ok = true;
    (void)own, (void)lost;
    times->total_ns = times->host_ns = 0;
    for (uint32_t i = 0; times->parts_ns && i < run->count; i++)
        times->parts_ns[i] = 0;
    for (uint32_t i = 0; ok && i < run->count * run->batch; i++) {
        struct program_run *k = run->kernels[i % run->count];
        uint64_t ns = 1, took_ns = 1;
        ok = k->words ? run_program(k, &ns, &took_ns, r) : run_probe(k, &ns, r);
        times->total_ns += ns;
        times->host_ns += took_ns > ns ? took_ns : ns;
        if (times->parts_ns)
            times->parts_ns[i % run->count] += ns;
    }
    if (run->meanwhile)
        run->meanwhile->act(run->meanwhile->context);
    return ok;
}
