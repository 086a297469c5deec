// The launches of a job in their order: those of the spec, as often as it repeats them.
//
// A pair of buffers that changes roles between passes needs a third one: the passes write the second
// of the pair and a temporary one in turn, so that the last one writes the second, and the first of
// the pair is only read. What is what at the end then does not depend on how many passes there are,
// and the initial contents are there for the next launch.
#include "problem/job_formulas.h"

#include <string.h>

#define LAUNCHES_MOST 1000 // of a job

void make_pass(struct maker *m, enum special which, uint64_t index)
{
    m->slots[m->spec->slots.special + which] = value_int((int64_t)index);
}

// ---- buffers that change roles -----------------------------------------------------------------

// One pair while its passes are made.
struct swapping {
    const struct swap_spec *spec;
    uint32_t from, to, between; // buffers
};

static bool start_swapping(struct maker *m, const struct swap_spec *s, uint64_t passes,
                           struct swapping *out)
{
    struct job *j = m->job;
    *out = (struct swapping){s, m->buffers[s->from], m->buffers[s->to], 0};
    const struct job_buffer *from = &j->buffers[out->from], *to = &j->buffers[out->to];
    if (from->element.scalar != to->element.scalar || from->element.width != to->element.width ||
        from->count != to->count)
        return make_error(m, s->path, "'%s' and '%s' change roles, and are of other types or sizes",
                          from->name, to->name);
    uint32_t *known = &m->between[s->to];
    out->between = *known != UINT32_MAX ? *known : out->to;
    if (passes < 2 || *known != UINT32_MAX)
        return true;
    struct job_buffer *between = &j->buffers[j->buffer_count];
    *between = *to;
    between->name = arena_printf(m->arena, "%s between passes", to->name);
    between->output = between->keep = false;
    between->temporary = true;
    between->compare = (struct job_compare){.kind = COMPARE_EXACT};
    out->between = *known = j->buffer_count++;
    return between->name || error_memory(m->e);
}

static void bind_swapped(struct maker *m, const struct swapping *s, uint64_t pass, uint64_t passes)
{
    bool last_writes = (passes - 1 - pass) % 2 == 0;
    uint32_t writes = last_writes ? s->to : s->between, reads = last_writes ? s->between : s->to;
    m->bound[s->spec->to] = writes;
    m->bound[s->spec->from] = pass == 0 ? s->from : reads;
}

static bool start_repeat(struct maker *m, const struct repeat_spec *r, uint64_t passes,
                         struct swapping **out)
{
    *out = arena_array(m->arena, r->swap_count + (size_t)1, sizeof **out);
    if (!*out)
        return error_memory(m->e);
    for (uint32_t i = 0; i < r->swap_count; i++) {
        if (!start_swapping(m, &r->swaps[i], passes, &(*out)[i]))
            return false;
    }
    return true;
}

static void end_repeat(struct maker *m, const struct repeat_spec *r)
{
    for (uint32_t i = 0; i < r->swap_count; i++) {
        m->bound[r->swaps[i].from] = m->buffers[r->swaps[i].from];
        m->bound[r->swaps[i].to] = m->buffers[r->swaps[i].to];
    }
}

// ---- launches ----------------------------------------------------------------------------------

static bool add_launch(struct maker *m, const struct launch_spec *l, bool first)
{
    struct job *j = m->job;
    bool wanted;
    if (!make_truth(m, &l->when, &wanted))
        return false;
    if (!wanted)
        return true;
    if (j->launch_count == LAUNCHES_MOST)
        return make_error(m, l->path, "more than %d launches; a job has no more", LAUNCHES_MOST);
    if (!ARENA_ROOM(m->arena, j->launches, m->launch_room, j->launch_count + (size_t)1))
        return error_memory(m->e);
    struct job_launch *out = &j->launches[j->launch_count];
    *out = (struct job_launch){.name = NULL};
    if (!make_launch(m, l, first, out))
        return false;
    j->launch_count++;
    return true;
}

static bool add_steps(struct maker *m, const struct launch_spec *l, bool repeats, bool first)
{
    uint64_t steps = 1;
    struct swapping *swaps;
    if (repeats && !make_size(m, &l->repeat.count, 0, 1, &steps))
        return false;
    if (!repeats || !l->repeat.count.expr)
        return add_launch(m, l, first);
    if (!start_repeat(m, &l->repeat, steps, &swaps))
        return false;
    for (uint64_t step = 0; step < steps; step++) {
        make_pass(m, SPECIAL_STEP, step);
        for (uint32_t i = 0; i < l->repeat.swap_count; i++)
            bind_swapped(m, &swaps[i], step, steps);
        if (!add_launch(m, l, first && step == 0))
            return false;
    }
    make_pass(m, SPECIAL_STEP, 0);
    end_repeat(m, &l->repeat);
    return true;
}

static bool start_launches(struct maker *m)
{
    struct job *j = m->job;
    uint32_t programs = m->language->program_count, arguments = m->kernel->argument_count;
    j->programs = arena_array(m->arena, programs, sizeof *j->programs);
    m->programs = arena_array(m->arena, programs, sizeof *m->programs);
    m->bound = arena_copy(m->arena, m->buffers, (arguments + (size_t)1) * sizeof *m->bound);
    m->between = arena_array(m->arena, arguments + (size_t)1, sizeof *m->between);
    if (!j->programs || !m->programs || !m->bound || !m->between)
        return error_memory(m->e);
    memset(m->between, 0xff, (arguments + (size_t)1) * sizeof *m->between);
    for (uint32_t i = 0; i < programs; i++)
        m->programs[i] = UINT32_MAX;
    return true;
}

bool make_launches(struct maker *m, const struct launch_spec *launches, uint32_t count,
                   const struct repeat_spec *repeat)
{
    uint64_t passes;
    struct swapping *swaps;
    bool of_launches = repeat != &launches->repeat; // a reference's is that of its one launch
    if (!start_launches(m) || !make_size(m, &repeat->count, 1, 1, &passes) ||
        !start_repeat(m, repeat, passes, &swaps))
        return false;
    if (passes > LAUNCHES_MOST)
        return make_error(m, repeat->count.path, "more than %d launches; a job has no more",
                          LAUNCHES_MOST);
    for (uint64_t pass = 0; pass < passes; pass++) {
        make_pass(m, SPECIAL_PASS, pass);
        for (uint32_t i = 0; i < repeat->swap_count; i++)
            bind_swapped(m, &swaps[i], pass, passes);
        for (uint32_t i = 0; i < count; i++) {
            if (!add_steps(m, &launches[i], of_launches, pass == 0))
                return false;
        }
    }
    make_pass(m, SPECIAL_PASS, 0);
    return m->job->launch_count > 0 || make_error(m, "KernelSpecification.Launches",
                                                  "every When is false: nothing is launched");
}
