// What carrying frames costs: processor time of the links and agents of several nodes on this machine,
// whose workers answer at once, for each configuration that is built, verified and measured.
//
//   node_frames HONE_WORKER FAKE_WORKER [NODES [CONFIGURATIONS [RATE]]]     RATE: a second at most; 0: as many as go
#include "os/process.h"
#include "runner/evaluator.h"
#include "extras/nodes/node.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES_MOST = 16, ASKED_AT_ONCE = 4, SOURCE_BYTES = 3000 };

#define LIMIT_NS 60000000000u

struct member {
    struct node *node;
    struct evaluator *evaluator;
    unsigned asked;
};

static char folder[] = "/tmp/hone-node-frames-XXXXXX";
static struct member members[NODES_MOST];

static void give_up(const char *why)
{
    fprintf(stderr, "node_frames: %s\n", why);
    exit(1);
}

static void start_member(struct member *m, const char *program, const char *fake)
{
    const char *const launcher[] = {program, "--node", "--worker", fake, "--locks", folder, NULL};
    struct error e = ERROR_INIT;
    m->node = node_new(
        &(struct node_options){.name = "bench", .worker = program, .launcher = launcher}, &e);
    if (!m->node)
        give_up(e.text);
}

static void open_member(struct member *m)
{
    static const struct device_info device = {.type = DEVICE_GPU,
                                              .id = "fake/0",
                                              .name = "fake",
                                              .uuid = "",
                                              .pci = "0000:01:00.0",
                                              .surroundings = "",
                                              .timer_ns = 1};
    struct error e = ERROR_INIT;
    struct measure_rules rules = measure_rules_default();
    struct live_options o = {
        .at = {.node = m->node, .device = &device, .jobs = 1},
        .terms = {.rules = rules, .build_limit_ns = LIMIT_NS, .launch_limit_ns = LIMIT_NS}};
    m->evaluator = live_new(&o, &e);
    if (!m->evaluator)
        give_up(e.text);
}

static struct job *make_bench_job(unsigned id)
{
    struct job *j = job_new();
    struct arena *a = &j->arena;
    j->programs = arena_alloc(a, sizeof *j->programs);
    j->program_count = 1;
    const char **words = arena_array(a, 2, sizeof(*words));
    words[0] = "-DNS=1000";
    words[1] = arena_printf(a, "-DID=%u", id);
    // A source of a usual length: it is in every frame that names the job.
    char *source = arena_alloc(a, SOURCE_BYTES + 1);
    memset(source, 'x', SOURCE_BYTES);
    j->programs[0] = (struct job_program){.name = "fake.cl",
                                          .source = source,
                                          .length = SOURCE_BYTES,
                                          .options = words,
                                          .option_count = 2};
    j->launches = arena_alloc(a, sizeof *j->launches);
    j->launch_count = 1;
    j->launches[0].name = j->launches[0].kernel = "k";
    j->launches[0].dimensions = 1;
    for (int i = 0; i < 3; i++)
        j->launches[0].global[i] = j->launches[0].local[i] = 1;
    j->configuration = arena_printf(a, "ID=%u", id);
    j->configuration_json = arena_printf(a, "{\"ID\": %u}", id);
    return j;
}

// User and system time, in seconds, of the processes whose first argument is `kind`.
static double processor_seconds(const char *kind)
{
    static char text[8192];
    double sum = 0;
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    while (all && (entry = readdir(all))) {
        char path[300];
        unsigned long user = 0, system = 0;
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        FILE *f = atol(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f)
            fclose(f);
        text[n] = '\0';
        size_t first = strlen(text) + 1;
        if (first >= n || !str_equal(text + first, kind) ||
            !memmem(text, n, folder, strlen(folder)))
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        if ((f = fopen(path, "r"))) {
            if (fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                       &system) == 2)
                sum += (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
            fclose(f);
        }
    }
    if (all)
        closedir(all);
    return sum;
}

// How many may have been asked for by now.
static uint64_t asked_by_now(uint64_t start_ns, unsigned rate)
{
    return rate ? (clock_ns() - start_ns) * rate / 1000000000u : UINT64_MAX;
}

static unsigned run_members(unsigned nodes, unsigned total, unsigned first, unsigned rate)
{
    uint64_t start = clock_ns();
    struct error e = ERROR_INIT;
    struct outcome out;
    unsigned asked = 0, done = 0;
    while (done < total) {
        for (unsigned i = 0; i < nodes; i++) {
            struct member *m = &members[i];
            for (; m->asked < ASKED_AT_ONCE && asked < total && asked < asked_by_now(start, rate);
                 m->asked++, asked++) {
                unsigned id = first + asked;
                if (!evaluator_submit(m->evaluator, id, make_bench_job(id), &e))
                    give_up(e.text);
            }
            int got = evaluator_take(m->evaluator, 0, &out, &e);
            if (got < 0)
                give_up(e.text);
            if (got == 0)
                continue;
            if (out.result->status != STATUS_CORRECT)
                give_up(out.result->message);
            result_free(out.result);
            evaluator_drop(m->evaluator, out.ticket);
            m->asked--;
            done++;
        }
        usleep(200);
    }
    return done;
}

int main(int argc, char **argv)
{
    unsigned nodes = argc > 3 ? (unsigned)atoi(argv[3]) : 8;
    unsigned total = argc > 4 ? (unsigned)atoi(argv[4]) : 4000;
    unsigned rate = argc > 5 ? (unsigned)atoi(argv[5]) : 0;
    struct node *all[NODES_MOST];
    if (argc < 3 || nodes < 1 || nodes > NODES_MOST)
        give_up("wrong arguments");
    if (!mkdtemp(folder))
        give_up("no folder in /tmp");
    for (unsigned i = 0; i < nodes; i++) {
        start_member(&members[i], argv[1], argv[2]);
        all[i] = members[i].node;
    }
    node_wait(all, nodes, 60000);
    for (unsigned i = 0; i < nodes; i++)
        open_member(&members[i]);
    run_members(nodes, 8 * nodes, 0, 0); // workers are started
    double links = processor_seconds("--link"), agents = processor_seconds("--node");
    uint64_t own = clock_processor_ns(), start = clock_ns();
    run_members(nodes, total, 1000000, rate);
    double seconds = (double)(clock_ns() - start) / 1e9,
           mine = (double)(clock_processor_ns() - own) / 1e9;
    links = processor_seconds("--link") - links;
    agents = processor_seconds("--node") - agents;
    printf("%u configurations on %u nodes in %.2f s: %.0f a second\n", total, nodes, seconds,
           total / seconds);
    printf("of processor time for each: links %.1f us, agents %.1f us, the tuner %.1f us\n",
           1e6 * links / total, 1e6 * agents / total, 1e6 * mine / total);
    printf("at 1000 a second links take %.1f %% of a core, agents %.1f %% of one, %.1f %% a node\n",
           1e5 * links / total, 1e5 * agents / total, 1e5 * agents / total / nodes);
    for (unsigned i = 0; i < nodes; i++) {
        evaluator_free(members[i].evaluator);
        node_end(members[i].node);
    }
    for (unsigned i = 0; i < nodes; i++)
        node_free(members[i].node);
    folder_remove(folder);
    return 0;
}
