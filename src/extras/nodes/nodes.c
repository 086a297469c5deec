// --on: which devices share the work. Those with one identity (model, driver, compiler) are places of
// one tune, on whichever node; whatever differs is left to a tune of its own, and said.
#include "cli/nodes.h"
#include "extras/nodes/agents.h"

#include "runner/farm.h"

// ---- options -------------------------------------------------------------------------------------

#define GIVEN(member) offsetof(struct spec_settings, member)

#define WITH_NODES "on, build-on: it is about nodes"

const struct option node_options[] = {
    {OPTION("on", "WHERE", option_list, GIVEN(on)),
     .brief = "nodes and devices that share the work", .is_list = true,
     .help = "Where the work is done: local (all equal devices of this machine), slurm (every "
             "node of the allocation that this runs in), ssh:HOST,HOST,... or 'exec:COMMAND', any "
             "command that is put before the agent's, split without a shell. Several are "
             "separated by commas, or given one by one; exec: goes to the end. See `hone help "
             "nodes`."},
    {OPTION("nodes", "NAME,...", option_once, GIVEN(nodes)), .needs = WITH_NODES,
     .help = "What {} stands for in 'exec:COMMAND': an agent for each of these names."},
    {OPTION("node-worker", "PATH", option_once, GIVEN(node_worker)), .needs = WITH_NODES,
     .help = "Where hone-worker lies on the nodes. Default: where it lies here."},
    {0},
};

const struct option build_options[] = {
    {OPTION("build-on", "WHERE", option_list, GIVEN(build_on)), .is_list = true,
     .help = "Nodes that build beside the machines that measure, without a device of their own; "
             "named as for --on. Kernels in CUDA can be built so (it takes NVRTC alone), and in C "
             "on equal processors; what OpenCL builds can be used only where it is built. See "
             "`hone help nodes`."},
    {0},
};

// ---- what there is --------------------------------------------------------------------------------

// Once: those of --on and of --build-on.
static bool start_nodes(struct work *w, struct error *e)
{
    const struct agents *lent = w->nodes_of ? w->nodes_of->agents : NULL;
    if (w->agents)
        return true;
    struct agents *own = arena_alloc(&w->arena, sizeof *own);
    if (!own)
        return error_memory(e);
    ticker_clear(&w->ticker);
    if (lent) {
        agents_borrow(lent, own);
        own->are_others_said = lent->are_others_said && !w->takes_kind;
    } else if (!agents_read(w->given, &w->environment, &w->arena, own, e)) {
        return false;
    }
    w->agents = own;
    return lent || agents_start(own, &w->environment, e);
}

bool nodes_list(struct work *w, const struct hone_spec *spec, const char *language, struct error *e)
{
    return start_nodes(w, e) &&
           agents_list(w->agents, &w->environment, spec, language, w->given->strict, e) &&
           agents_report(w->agents, &w->arena, &w->devices, e);
}

const struct hone_device *nodes_device(const struct work *w)
{
    const struct agent_member *m = agents_with(w->agents, w->device);
    return m ? device_like(m->devices, w->device) : NULL;
}

void nodes_drop_workers(struct work *w)
{
    for (uint32_t i = 0; w->agents && i < w->agents->count; i++)
        devices_drop_worker(w->agents->list[i].devices);
}

void nodes_release(struct work *w)
{
    if (w->agents)
        agents_release(w->agents);
    w->agents = NULL;
}

// ---- places --------------------------------------------------------------------------------------

static bool is_alike(const struct device_info *a, const struct device_info *b)
{
    struct digest x, y;
    device_info_digest(a, &x);
    device_info_digest(b, &y);
    return digest_equal(&x, &y);
}

// Is the device of the chosen device's kind, with a worker of the same build?
static bool may_share(const struct work *w, const struct device_info *d)
{
    return is_alike(d, w->device) && agents_of_one_build(&agents_with(w->agents, d)->build,
                                                         &agents_with(w->agents, w->device)->build);
}

// A view of a card that has a place already brings nothing.
static bool has_card(const struct work *w, const struct agent_member *m,
                     const struct device_info *d)
{
    const struct place there = {.node = m->node, .device = d};
    for (uint32_t i = 0; i < w->places.count; i++) {
        if (place_same_card(&w->places.list[i], &there))
            return true;
    }
    return false;
}

static void say_others(const struct work *w, const struct device_info *list, size_t count)
{
    struct text others = TEXT_INIT;
    unsigned n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct agent_member *m = agents_with(w->agents, &list[i]);
        if (may_share(w, &list[i]) || has_card(w, m, &list[i]))
            continue;
        if (is_alike(&list[i], w->device)) {
            complain("%s, node '%s': its hone-worker is of another build than the one that serves "
                     "%s, and its device is left alone: install one build on all nodes",
                     list[i].name, m->name, w->device->name);
            continue;
        }
        text_addf(&others, "%s%s (%s", n++ ? ", " : "", list[i].name,
                  language_text(list[i].language));
        text_addf(&others, "%s%s)", m->name[0] ? ", node " : "", m->name);
    }
    if (n > 0 && !w->takes_kind) // else they have their turn
        complain("not of the kind of %s (model, driver and compiler), and left alone: %s",
                 w->device->name, text_cstr(&others));
    text_release(&others);
}

// False: no place is left.
static bool add_place(struct work *w, const struct device_info *d)
{
    struct place *places = w->place_list;
    const struct agent_member *m = agents_with(w->agents, d);
    if (has_card(w, m, d))
        return true;
    if (w->places.count == FARM_MOST)
        return false;
    struct place *p = &places[w->places.count];
    devices_place(m->devices, d, m->name, p);
    w->places.count++;
    return true;
}

// ---- builders ------------------------------------------------------------------------------------

// A machine that measures builds for itself as it is.
static bool is_place(const struct work *w, const struct agent_member *m)
{
    bool is = w->places.count == 0 && !m->node;
    for (uint32_t i = 0; i < w->places.count; i++)
        is = is || w->places.list[i].node == m->node;
    return is;
}

static bool choose_builders(struct work *w, struct error *e)
{
    const struct agent_member *with =
        w->places.count > 0 ? agents_with(w->agents, w->device) : NULL;
    struct digest build = {{0}};
    uint32_t left = 0;
    for (uint32_t i = 0; i < w->agents->count; i++) {
        struct agent_member *m = &w->agents->list[i];
        m->builds = m->is_builder && !is_place(w, m);
        left += m->builds;
    }
    if (left == 0)
        return error_set(e, ERROR_USAGE,
                         "--build-on: what it names measures, and builds for itself as it is: name "
                         "other nodes");
    if (with)
        build = with->build;
    else
        agents_own_build(&w->environment, &build);
    return agents_ask_builders(w->agents, &w->environment, w->device, &build, w->given->strict, e);
}

static int work_builders(struct work *w)
{
    struct error e = ERROR_INIT;
    struct place *builders = arena_array(&w->arena, LAUNCHERS_MOST, sizeof *builders);
    _Static_assert(LAUNCHERS_MOST <= LIVE_BUILDERS_MOST, "all may build");
    if (w->given->build_on.count == 0)
        return EXIT_DONE;
    bool ok = builders ? start_nodes(w, &e) && choose_builders(w, &e) : error_memory(&e);
    if (!ok)
        return work_failed(&e);
    for (uint32_t i = 0; i < w->agents->count; i++) {
        if (w->agents->list[i].builds)
            builders[w->places.builder_count++] =
                agents_builder(&w->agents->list[i], &w->environment);
    }
    w->places.builders = builders;
    return EXIT_DONE;
}

int nodes_places(struct work *w)
{
    size_t count;
    struct error e = ERROR_INIT;
    if (w->given->on.count == 0)
        return work_builders(w);
    const struct device_info *list = work_usable(w, &count);
    w->place_list = arena_array(&w->arena, FARM_MOST, sizeof *w->place_list);
    if (!list || !w->place_list) {
        error_memory(&e);
        return work_failed(&e);
    }
    w->places = (struct hone_places){.list = w->place_list};
    add_place(w, w->device);
    unsigned left = 0;
    for (uint32_t i = 0; i < w->devices.device_count; i++)
        left += may_share(w, &w->devices.devices[i]) && !add_place(w, &w->devices.devices[i]);
    if (left > 0 && !w->agents->are_others_said)
        complain("at most %d devices share a tune; left alone: %u more of that kind", FARM_MOST,
                 left);
    if (!w->agents->are_others_said)
        say_others(w, list, count);
    w->agents->are_others_said = true;
    return work_builders(w);
}
