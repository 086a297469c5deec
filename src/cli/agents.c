// Starts agents on the nodes that --on names, and asks each for its devices. Starting takes a launcher's time and asking a
// driver's, seconds of both: nodes are waited for together, and asked by a thread each.
#include "cli/agents.h"

#include "cli/console.h"
#include "cli/interrupt.h"
#include "os/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100 // for Ctrl-C
// Files that are enough for as many workers as there may be; programs that close all that might be
// open take long where a million may.
#define FILES_ENOUGH 65536

bool agents_read(const struct spec_settings *given, const struct environment *v, struct arena *a,
                 struct agents *out, struct error *e)
{
    const struct launchers_given g = {.option = "--on",
                                      .texts = given->on.items,
                                      .text_count = given->on.count,
                                      .nodes = given->nodes,
                                      .worker =
                                          given->node_worker ? given->node_worker : v->worker[0],
                                      .allocation = v->allocation};
    *out = (struct agents){.count = 0};
    return launchers_read(&g, a, &out->launchers, e);
}

// ---- starting ----------------------------------------------------------------------------------

// False: Ctrl-C. How long an agent may take is its link's to say.
static bool wait_for_agents(struct agents *g)
{
    struct node *nodes[LAUNCHERS_MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->list[i].node)
            nodes[count++] = g->list[i].node;
    }
    while (!interrupt_pending() && !node_wait(nodes, count, LOOK_MS))
        continue;
    return !interrupt_pending();
}

// Each worker, on whichever node, takes two files here: as many as the system allows.
static void allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILES_ENOUGH)
        return;
    files.rlim_cur = files.rlim_max < FILES_ENOUGH ? files.rlim_max : FILES_ENOUGH;
    setrlimit(RLIMIT_NOFILE, &files); // where it fails less must do
}

bool agents_start(struct agents *g, const struct environment *v, struct error *e)
{
    allow_files();
    for (uint32_t i = 0; i < g->launchers.count; i++) {
        const struct launcher *l = &g->launchers.list[i];
        struct agent_member *m = &g->list[g->count++];
        const struct node_options o = {
            .name = l->name, .worker = v->own_worker[0], .launcher = l->argv};
        *m = (struct agent_member){.name = l->name};
        if (l->argv && !(m->node = node_new(&o, e)))
            return false;
    }
    return wait_for_agents(g) ||
           error_set(e, ERROR_INTERRUPTED, "interrupted while nodes were started");
}

// ---- what each has -----------------------------------------------------------------------------

struct asking {
    struct agent_member *member;
    const struct hone_devices_options *options;
    pthread_t thread;
    bool notes_build, runs;
};

// Another build may compile or measure otherwise.
static void note_build(struct agent_member *m, const struct hone_devices_options *o)
{
    struct text program = TEXT_INIT;
    struct error unread = ERROR_INIT;
    if (m->node) {
        m->build = node_about(m->node)->binary;
        return;
    }
    if (file_read(o->worker->program, 0, &program, &unread))
        digest_of(program.data, program.length, &m->build);
    text_release(&program);
}

static void *ask_member(void *context)
{
    struct asking *q = context;
    struct agent_member *m = q->member;
    if (m->node && node_state(m->node) != NODE_UP)
        error_set(&m->why, ERROR_WORKER, "%s", node_reason(m->node));
    else if (!(m->devices = engine_devices_on(m->node, q->options, &m->why)) && m->node)
        error_context(&m->why, "node '%s'", m->name);
    if (m->devices && q->notes_build)
        note_build(m, q->options);
    return NULL;
}

bool agents_of_one_build(const struct agent_member *a, const struct agent_member *b)
{
    static const struct digest unknown;
    return digest_equal(&a->build, &unknown) || digest_equal(&b->build, &unknown) ||
           digest_equal(&a->build, &b->build);
}

// Ctrl-C ends all of the nodes, and with them what is waited for.
static void join_asking(struct agents *g, struct asking *q)
{
    struct timespec until;
    bool is_ending = false;
    for (;;) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (pthread_timedjoin_np(q->thread, NULL, &until) != ETIMEDOUT)
            return;
        for (uint32_t i = 0; i < g->count && interrupt_pending() && !is_ending; i++) {
            if (g->list[i].node)
                node_disconnect(g->list[i].node);
        }
        is_ending = interrupt_pending();
    }
}

// Without a thread they are asked in turn.
static void ask_members(struct agents *g, const struct hone_devices_options *o)
{
    struct asking asking[LAUNCHERS_MOST];
    for (uint32_t i = 0; i < g->count; i++) {
        asking[i] =
            (struct asking){.member = &g->list[i], .options = o, .notes_build = g->count > 1};
        asking[i].runs = pthread_create(&asking[i].thread, NULL, ask_member, &asking[i]) == 0;
        if (!asking[i].runs)
            ask_member(&asking[i]);
    }
    for (uint32_t i = 0; i < g->count; i++) {
        if (asking[i].runs)
            join_asking(g, &asking[i]);
    }
}

// A node without a device is of no use, and says what it lacks.
static void judge_member(struct agent_member *m)
{
    if (!m->devices || hone_devices_count(m->devices) > 0)
        return;
    const char *note = hone_devices_note(m->devices, 0);
    error_set(&m->why, ERROR_DEVICE, "%s%s%s: no device that the spec can run on%s%s",
              m->node ? "node '" : "this machine", m->name, m->node ? "'" : "", note ? ": " : "",
              note ? note : "; `hone devices --on ...` shows those there are");
    hone_devices_free(m->devices);
    m->devices = NULL;
}

bool agents_list(struct agents *g, const struct environment *v, const struct hone_spec *spec,
                 const char *language, bool strict, struct error *e)
{
    const struct hone_worker worker = {.size = sizeof worker,
                                       .program = v->worker[0],
                                       .environment = (const char *const *)v->worker_with};
    const struct hone_devices_options options = {.size = sizeof options,
                                                 .worker = &worker,
                                                 .spec = spec,
                                                 .language = language,
                                                 .keep_worker = true};
    uint32_t usable = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        hone_devices_free(g->list[i].devices);
        g->list[i].devices = NULL;
        error_clear(&g->list[i].why);
    }
    ask_members(g, &options);
    for (uint32_t i = 0; i < g->count; i++) {
        struct agent_member *m = &g->list[i];
        judge_member(m);
        usable += m->devices != NULL;
        if (m->devices)
            continue;
        if (strict)
            return error_set(e, m->why.code, "%s (--strict-nodes)", m->why.text);
        if (!m->is_said)
            complain("%s", m->why.text);
        m->is_said = true;
    }
    return usable > 0 || error_set(e, ERROR_WORKER, "none of the nodes of --on can be used");
}

void agents_borrow(const struct agents *g, struct agents *out)
{
    *out = (struct agents){
        .count = g->count, .is_borrowed = true, .are_others_said = g->are_others_said};
    for (uint32_t i = 0; i < g->count; i++)
        out->list[i] = (struct agent_member){
            .name = g->list[i].name, .node = g->list[i].node, .is_said = g->list[i].is_said};
}

void agents_release(struct agents *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        hone_devices_free(g->list[i].devices);
        if (g->list[i].node && !g->is_borrowed)
            node_end(g->list[i].node);
    }
    for (uint32_t i = 0; i < g->count && !g->is_borrowed; i++)
        node_free(g->list[i].node);
    g->count = 0;
}

// ---- what there is -----------------------------------------------------------------------------

const struct agent_member *agents_with(const struct agents *g, const struct device_info *copy)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->list[i].devices && engine_device_like(g->list[i].devices, copy))
            return &g->list[i];
    }
    return NULL;
}

const struct hone_device *agents_device(const struct agents *g, const struct device_info *copy)
{
    const struct agent_member *m = agents_with(g, copy);
    return m ? engine_device_like(m->devices, copy) : NULL;
}

static bool add_notes(const struct agent_member *m, const struct device_report *from,
                      struct device_note *notes, struct device_report *out, struct arena *a)
{
    bool ok = true;
    for (uint32_t i = 0; i < from->note_count; i++) {
        struct device_note *n = &notes[out->note_count++];
        *n = from->notes[i];
        if (m->node)
            n->device = arena_printf(a, "%s: %s", m->name, n->device);
        ok = ok && n->device;
    }
    return ok;
}

bool agents_report(const struct agents *g, struct arena *a, struct device_report *out,
                   struct error *e)
{
    uint32_t devices = 0, notes = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const struct device_report *r =
            g->list[i].devices ? engine_report(g->list[i].devices) : NULL;
        devices += r ? r->device_count : 0;
        notes += r ? r->note_count : 0;
    }
    *out = (struct device_report){.problem = ""};
    struct device_info *all = arena_array(a, devices + 1, sizeof *all);
    const char **nodes = arena_array(a, devices + 1, sizeof *nodes);
    uint32_t cards = 0; // each node counts its own
    struct device_note *said = arena_array(a, notes + 1, sizeof *said);
    bool ok = all && said && nodes;
    for (uint32_t i = 0; ok && i < g->count; i++) {
        const struct agent_member *m = &g->list[i];
        const struct device_report *r = m->devices ? engine_report(m->devices) : NULL;
        if (!r)
            continue;
        uint32_t first = cards;
        for (uint32_t k = 0; k < r->device_count; k++) {
            struct device_info *d = &all[out->device_count];
            *d = r->devices[k];
            d->card += first;
            cards = d->card >= cards ? d->card + 1 : cards;
            nodes[out->device_count++] = m->name;
        }
        ok = add_notes(m, r, said, out, a);
    }
    out->devices = all;
    out->nodes = nodes;
    out->notes = said;
    return ok || error_memory(e);
}
