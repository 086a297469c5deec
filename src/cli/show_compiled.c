// run --show: fetches what the driver made of a kernel from the worker that has it loaded, and
// writes it as it is or takes it apart.
#include "cli/show_compiled.h"

#include "report/why.h"

// A launch's program, as the worker hands it over.
struct compiled {
    struct text binary, ptx;
    char target[32];
    struct why_build build;
};

#define COMPILED_INIT                                                                              \
    {                                                                                              \
        .binary = TEXT_INIT, .ptx = TEXT_INIT                                                      \
    }

static bool fetch(struct work *t, const struct tune_record *record, uint32_t launch,
                  struct compiled *c, struct error *e)
{
    const struct device_info *d = t->device;
    const struct job_launch *l = &record->job->launches[launch];
    if (!tune_fetch(tune_of(t->handle), record, FETCH_BINARY, l->program, &c->binary, e) ||
        !tune_fetch(tune_of(t->handle), record, FETCH_PTX, l->program, &c->ptx, e))
        return false;
    why_target(d->capability, c->target);
    c->build = (struct why_build){.label = l->name,
                                  .kernel = l->kernel,
                                  .binary = text_cstr(&c->binary),
                                  .length = c->binary.length,
                                  .target = d->capability ? c->target : NULL};
    if (code_is_ptx(text_cstr(&c->ptx), c->ptx.length)) {
        c->build.ptx = text_cstr(&c->ptx);
        c->build.ptx_length = c->ptx.length;
    }
    return true;
}

// ---- what is shown of it -----------------------------------------------------------------------

static bool add_binary(const struct compiled *c, const struct code_tools *tools, struct text *out,
                       struct error *e)
{
    (void)tools, (void)e;
    text_addn(out, c->binary.data, c->binary.length);
    return true;
}

static bool add_ptx(const struct compiled *c, const struct code_tools *tools, struct text *out,
                    struct error *e)
{
    (void)tools;
    text_addn(out, c->build.ptx, c->build.ptx_length);
    return c->build.ptx ||
           error_set(e, ERROR_DEVICE, "this driver compiles to no PTX; NVIDIA's do");
}

static bool add_sass(const struct compiled *c, const struct code_tools *tools, struct text *out,
                     struct error *e)
{
    return why_sass(&c->build, tools, out, e);
}

static bool add_instructions(const struct compiled *c, const struct code_tools *tools,
                             struct text *out, struct error *e)
{
    struct view_why view;
    if (!why_make(&c->build, 1, tools, &view, e))
        return false;
    report_why(&view, out);
    return true;
}

static const struct {
    bool (*add)(const struct compiled *c, const struct code_tools *tools, struct text *out,
                struct error *e);
    bool each; // of every launch; else the first one's program
} shows[SHOW_COUNT] = {
    [SHOW_BINARY] = {add_binary, false},
    [SHOW_PTX] = {add_ptx, false},
    [SHOW_SASS] = {add_sass, false},
    [SHOW_INSTRUCTIONS] = {add_instructions, true},
};

int show_compiled(struct work *t, const struct tune_record *record, enum show show)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    struct code_tools tools = {.scratch = t->environment.scratch.path};
    uint32_t count = shows[show].each ? record->job->launch_count : 1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        struct compiled c = COMPILED_INIT;
        ok = fetch(t, record, i, &c, &e) && shows[show].add(&c, &tools, &out, &e);
        text_release(&c.binary);
        text_release(&c.ptx);
    }
    if (ok && out.failed)
        ok = error_memory(&e);
    if (ok)
        put_data(&out);
    text_release(&out);
    return ok ? EXIT_DONE : work_failed(&e);
}
