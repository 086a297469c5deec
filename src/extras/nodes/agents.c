// Starts agents on the nodes that --on and --build-on name, and asks each for its devices, or whether it can build. Starting takes a launcher's time and asking a
// driver's, seconds of both: nodes are waited for together, and asked by a thread each.
#include "extras/nodes/agents.h"

#include "cli/console.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LOOK_MS 100 // for Ctrl-C
#define JOIN_MS 5
// Files that are enough for as many workers as there may be; programs that close all that might be
// open take long where a million may.
#define FILES_ENOUGH 65536

// Does a command among them have a hole for names of --nodes?
static bool has_hole(const struct list *texts)
{
    bool has = false;
    for (uint32_t i = 0; i < texts->count; i++)
        has = has || strstr(texts->items[i], "{}");
    return has;
}

static bool is_same_launcher(const struct launcher *a, const struct launcher *b)
{
    size_t i = 0;
    if (!a->argv || !b->argv)
        return a->argv == b->argv;
    while (a->argv[i] && b->argv[i] && str_equal(a->argv[i], b->argv[i]))
        i++;
    return !a->argv[i] && !b->argv[i];
}

static uint32_t find_launcher(const struct launchers *all, const char *name)
{
    uint32_t at = 0;
    while (at < all->count && !str_equal(all->list[at].name, name))
        at++;
    return at;
}

// Nodes that both name are one. Another one of the same name is "env-2".
static bool join_builders(struct agents *g, const struct launchers *builders, struct arena *a,
                          struct error *e)
{
    struct launchers *all = &g->launchers;
    for (uint32_t i = 0; i < builders->count; i++) {
        struct launcher l = builders->list[i];
        uint32_t at = find_launcher(all, l.name);
        bool is_both = at < all->count && is_same_launcher(&all->list[at], &l);
        for (unsigned k = 2; !is_both && at < all->count; k++) {
            l.name = arena_printf(a, "%s-%u", builders->list[i].name, k);
            if (!l.name)
                return error_memory(e);
            at = find_launcher(all, l.name);
        }
        if (at == LAUNCHERS_MOST)
            return error_set(e, ERROR_USAGE, "--on and --build-on: more than %d nodes",
                             LAUNCHERS_MOST);
        if (at == all->count)
            all->list[all->count++] = l;
        g->list[at].builds = g->list[at].is_builder = true;
    }
    return true;
}

static bool is_any_elsewhere(const struct launchers *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->list[i].argv)
            return true;
    }
    return false;
}

bool agents_read(const struct spec_settings *given, const struct environment *v, struct arena *a,
                 struct agents *out, struct error *e)
{
    struct launchers builders;
    bool on_has_none =
        given->on.count == 0 || (!has_hole(&given->on) && has_hole(&given->build_on));
    struct launchers_given g = {.option = "--on",
                                .texts = given->on.items,
                                .text_count = given->on.count,
                                .nodes = on_has_none ? NULL : given->nodes,
                                .worker = given->node_worker ? given->node_worker : v->worker[0],
                                .allocation = v->allocation};
    *out = (struct agents){.count = 0};
    if (!launchers_read(&g, a, &out->launchers, e))
        return false;
    for (uint32_t i = 0; i < out->launchers.count; i++)
        out->list[i].measures = true;
    g.option = "--build-on";
    g.texts = given->build_on.items;
    g.text_count = given->build_on.count;
    g.nodes = has_hole(&given->build_on) || on_has_none ? given->nodes : NULL;
    return launchers_read(&g, a, &builders, e) && join_builders(out, &builders, a, e) &&
           (!given->node_worker || is_any_elsewhere(&out->launchers) ||
            error_set(e, ERROR_USAGE,
                      "--node-worker is for other machines, and --on names only this one"));
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
        m->name = l->name;
        if (l->argv && !(m->node = node_new(&o, e)))
            return false;
    }
    return wait_for_agents(g) ||
           error_set(e, ERROR_INTERRUPTED, "interrupted while nodes were started");
}

// ---- what each has -----------------------------------------------------------------------------

// One member, and what it is asked.
struct asking {
    struct agent_member *member;
    void (*ask)(const struct asking *q);
    const struct environment *environment;
    const struct hone_devices_options *options; // of its devices
    const struct device_info *target;           // can it build for this one,
    const struct digest *build;                 // which a worker of this build serves?
    pthread_t thread;
    bool notes_build, runs;
};

void agents_own_build(const struct environment *v, struct digest *out)
{
    struct text program = TEXT_INIT;
    struct error unread = ERROR_INIT;
    *out = (struct digest){{0}};
    if (file_read(v->worker[0], 0, &program, &unread))
        digest_of(program.data, program.length, out);
    text_release(&program);
}

// Another build may compile or measure otherwise.
static void note_build(struct agent_member *m, const struct environment *v)
{
    if (m->node)
        m->build = node_about(m->node)->binary;
    else
        agents_own_build(v, &m->build);
}

static void ask_devices(const struct asking *q)
{
    struct agent_member *m = q->member;
    m->devices = devices_on(m->node, q->options, true, &m->why);
    if (!m->devices && m->node)
        error_context(&m->why, "node '%s'", m->name);
    if (m->devices && q->notes_build)
        note_build(m, q->environment);
}

static void ask_builder(const struct asking *q)
{
    struct agent_member *m = q->member;
    const struct place place = agents_builder(m, q->environment);
    struct error why = ERROR_INIT;
    note_build(m, q->environment);
    if (!agents_of_one_build(&m->build, q->build))
        error_set(
            &why, ERROR_WORKER,
            "its hone-worker is of another build than the one that serves the device: install "
            "one build on all nodes");
    else
        live_can_build(&place, q->target, &why);
    if (why.code)
        error_set(&m->why, why.code, "%s%s%s cannot build for %s (%s): %s",
                  m->node ? "node '" : "this machine", m->name, m->node ? "'" : "", q->target->name,
                  language_text(q->target->language), why.text);
}

static void *ask_member(void *context)
{
    const struct asking *q = context;
    struct agent_member *m = q->member;
    if (m->node && node_state(m->node) != NODE_UP)
        error_set(&m->why, ERROR_WORKER, "%s", node_reason(m->node));
    else
        q->ask(q);
    return NULL;
}

bool agents_of_one_build(const struct digest *a, const struct digest *b)
{
    static const struct digest unknown;
    return digest_equal(a, &unknown) || digest_equal(b, &unknown) || digest_equal(a, b);
}

// Ctrl-C ends all of the nodes, and with them what is waited for.
static void join_asking(struct agents *g, struct asking *q)
{
    bool is_ending = false;
    while (pthread_tryjoin_np(q->thread, NULL) == EBUSY) {
        poll(NULL, 0, JOIN_MS);
        for (uint32_t i = 0; i < g->count && interrupt_pending() && !is_ending; i++) {
            if (g->list[i].node)
                node_disconnect(g->list[i].node);
        }
        is_ending = interrupt_pending();
    }
}

// Asks those that measure, or those that build. Without a thread they are asked in turn.
static void ask_members(struct agents *g, const struct asking *what, bool builders)
{
    struct asking asking[LAUNCHERS_MOST];
    for (uint32_t i = 0; i < g->count; i++) {
        asking[i] = *what;
        asking[i].member = &g->list[i];
        if (!(builders ? g->list[i].builds : g->list[i].measures))
            continue;
        asking[i].runs = pthread_create(&asking[i].thread, NULL, ask_member, &asking[i]) == 0;
        if (!asking[i].runs)
            ask_member(&asking[i]);
    }
    for (uint32_t i = 0; i < g->count; i++) {
        if (asking[i].runs)
            join_asking(g, &asking[i]);
    }
}

// Says why it cannot be used, once. False: nothing shall go on without it.
static bool say_unusable(struct agent_member *m, bool strict, struct error *e)
{
    if (strict)
        return error_set(e, m->why.code, "%s (--strict)", m->why.text);
    if (!m->is_said)
        complain("%s", m->why.text);
    m->is_said = true;
    return true;
}

// A node without a device is of no use, and says what it lacks, unless it may build.
static void judge_member(struct agent_member *m)
{
    if (!m->devices || hone_devices_count(m->devices) > 0)
        return;
    const char *note = hone_devices_note(m->devices, 0);
    if (!m->builds)
        error_set(&m->why, ERROR_DEVICE, "%s%s%s: no device that the spec can run on%s%s",
                  m->node ? "node '" : "this machine", m->name, m->node ? "'" : "",
                  note ? ": " : "", note ? note : "; `hone devices --on ...` lists the devices");
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
    const struct asking asking = {
        .ask = ask_devices, .environment = v, .options = &options, .notes_build = g->count > 1};
    ask_members(g, &asking, false);
    for (uint32_t i = 0; i < g->count; i++) {
        struct agent_member *m = &g->list[i];
        judge_member(m);
        usable += m->devices != NULL;
        if (m->why.code && !say_unusable(m, strict, e))
            return false;
    }
    return usable > 0 || error_set(e, ERROR_WORKER, "none of the nodes of --on can be used");
}

struct place agents_builder(const struct agent_member *m, const struct environment *v)
{
    return (struct place){.name = m->name,
                          .node = m->node,
                          .worker = v->worker,
                          .environment = (const char *const *)v->worker_with};
}

bool agents_ask_builders(struct agents *g, const struct environment *v,
                         const struct device_info *device, const struct digest *build, bool strict,
                         struct error *e)
{
    const struct asking asking = {
        .ask = ask_builder, .environment = v, .target = device, .build = build};
    uint32_t usable = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->list[i].builds)
            error_clear(&g->list[i].why);
    }
    ask_members(g, &asking, true);
    for (uint32_t i = 0; i < g->count; i++) {
        struct agent_member *m = &g->list[i];
        m->is_said =
            m->is_said && m->why.code == ERROR_WORKER; // why it has no device is another matter
        if (m->builds && m->why.code && !say_unusable(m, strict, e))
            return false;
        m->builds = m->builds && !m->why.code;
        usable += m->builds;
    }
    return usable > 0 || error_set(e, ERROR_WORKER, "none of the nodes of --build-on can be used");
}

void agents_borrow(const struct agents *g, struct agents *out)
{
    *out = (struct agents){.count = g->count, .is_borrowed = true};
    for (uint32_t i = 0; i < g->count; i++) {
        struct agent_member *m = &out->list[i];
        *m = g->list[i];
        m->builds = m->is_builder;
        m->devices = NULL;
        m->why = (struct error){.code = ERROR_NONE};
    }
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
        if (g->list[i].devices && device_like(g->list[i].devices, copy))
            return &g->list[i];
    }
    return NULL;
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
        const struct device_report *r = g->list[i].devices ? &g->list[i].devices->report : NULL;
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
        const struct device_report *r = m->devices ? &m->devices->report : NULL;
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
