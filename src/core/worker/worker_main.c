// hone-worker: without arguments it serves the tuner over descriptor 0; else it is a node's agent or
// the link to one, or says what it is.
#include "os/beside.h"
#include "os/descendants.h"
#include "worker/agent.h"
#include "worker/node_frames.h"
#include "worker/supervise.h"
#include "worker/watch.h"
#include "worker/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT_LAUNCH 127
#define MS_MOST       3600000

static const char usage[] =
    "usage: hone-worker [--help | --version]\n"
    "       hone-worker --node [--worker PATH] [--locks FOLDER]\n"
    "       hone-worker --link [--beat MS] [--lease MS] [--start MS] -- LAUNCHER...\n"
    "\n"
    "Builds, verifies and measures GPU kernels for hone, which starts it with a socket as its\n"
    "standard input and output. It is of no use by itself.\n"
    "\n"
    "  --node    the agent of another machine, started there by a launcher (srun, ssh): it serves\n"
    "            a link over its standard input and output, and starts workers (PATH; else this\n"
    "            program). Their temporary files and caches lie in TMPDIR, and go with it. The\n"
    "            locks of devices stand in FOLDER (else /tmp)\n"
    "  --link    hone's end of that: starts LAUNCHER, the whole command. Both sides beat every\n"
    "            MS (1000), and end when they have heard nothing for a lease (20000); an agent\n"
    "            has MS (60000) to answer first\n"
    "\n"
    "environment:\n"
    "  HONE_WORKER_SCRATCH  folder for temporary files (else TMPDIR, else /tmp)\n"
    "  HONE_WORKER_EMPTY_CACHES  a name: drivers have caches of their own in that folder, by this "
    "name\n"
    "  HONE_WORKER_SANDBOX  not empty: nothing but these folders can be written, and nothing but "
    "them "
    "and\n"
    "                       the system's be read; no network\n"
    "  HONE_WORKER_CACHE    folder where references and cubins are kept for later workers\n"
    "  CUDA_HOME, CUDA_PATH  the CUDA toolkit whose compiler and headers are used\n"
    "  HONE_CC              the compiler of kernels in C (else cc)\n"
    "  POCL_CACHE_DIR, CUDA_CACHE_PATH  folders of the drivers' own caches\n";

static int print_line(const char *text)
{
    bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Prints the reason of the worker's end to standard error, which the tuner reports.
static int last_words(const struct error *e)
{
    fprintf(stderr, "hone-worker: %s\n", e->text);
    return EXIT_FAILURE;
}

// A worker whose job's process was killed by a signal is, too.
static int end_like(int status)
{
    struct rlimit none = {0, 0};
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return EXIT_FAILURE;
}

static int serve_channel(void)
{
    struct error e = ERROR_INIT;
    int channel = take_channel(&e);
    lead_group();
    descendants_adopt(); // where it cannot: what a kernel starts and leaves may outlive the tune
    if (channel < 0 || !enter_sandbox(&e))
        return last_words(&e);
    if (!watch_start(channel))
        return EXIT_FAILURE;
    char *cache = cache_folder();
    char *environment[LANGUAGE_COUNT];
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        environment[l] = timing_environment((enum language)l);
    char *scratch = enter_scratch(&e);
    int status = EXIT_FAILURE << 8;
    if (e.code == ERROR_NONE) {
        // Compiler options name folders relative to the scratch folder, which is the working
        // folder: every worker then builds with the same text, and driver caches know it again.
        struct device_options options = {.scratch = ".", .cache = cache};
        for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
            options.environment[l] = environment[l];
        options.compiler = c_compiler();
        options.toolkit = cuda_toolkit();
        status = serve(channel, &options);
    } else {
        last_words(&e);
    }
    leave_scratch(scratch);
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        free(environment[l]);
    free(cache);
    watch_end();
    return end_like(status);
}

// Becomes the launcher, which ends with its link, however that ends.
static int become_launcher(char **argv)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execvp(argv[0], argv);
    fprintf(stderr, "hone-worker: cannot start the launcher '%s': %s\n", argv[0], strerror(errno));
    return CANNOT_LAUNCH;
}

static int refuse_terminal(void)
{
    fputs("hone-worker --node: its input is a terminal, which changes what passes; start it "
          "without one (ssh -T, srun without --pty, docker exec -i without -t)\n",
          stderr);
    return 2;
}

static bool read_ms(const char *text, uint64_t *ns)
{
    uint64_t ms;
    bool ok = text && str_to_u64(text, &ms) && ms >= 1 && ms <= MS_MOST;
    if (ok)
        *ns = ms * 1000000;
    return ok;
}

// The options before "--" or the end; false where there is another, or one without its value.
static bool read_node_options(char **at, struct agent_options *o)
{
    for (; *at; at += 2) {
        if (strcmp(*at, "--worker") == 0 && at[1])
            o->worker = at[1];
        else if (strcmp(*at, "--locks") == 0 && at[1])
            o->locks = at[1];
        else
            return false;
    }
    return true;
}

static bool read_link_options(char **at, struct link_options *o)
{
    for (; *at && strcmp(*at, "--") != 0; at += 2) {
        uint64_t *to = strcmp(*at, "--beat") == 0    ? &o->beat_ns
                       : strcmp(*at, "--lease") == 0 ? &o->lease_ns
                       : strcmp(*at, "--start") == 0 ? &o->start_ns
                                                     : NULL;
        if (!to || !read_ms(at[1], to))
            return false;
    }
    o->launcher = *at ? (const char *const *)(at + 1) : NULL;
    return o->launcher && o->launcher[0];
}

int main(int argc, char **argv)
{
    char self[BESIDE_PATH_SIZE];
    struct agent_options node = {.locks = "/tmp"};
    struct link_options link = {.program = self,
                                .beat_ns = NODE_BEAT_NS,
                                .lease_ns = NODE_LEASE_NS,
                                .start_ns = NODE_START_NS};
    if (argc >= 2 && strcmp(argv[1], "--node") == 0 && read_node_options(argv + 2, &node))
        return isatty(0) ? refuse_terminal() : agent_serve(&node);
    if (argc >= 2 && strcmp(argv[1], "--link") == 0 && read_link_options(argv + 2, &link) &&
        beside_program(self))
        return link_serve(&link);
    if (argc >= 4 && strcmp(argv[1], "--launch") == 0 && strcmp(argv[2], "--") == 0)
        return become_launcher(argv + 3);
    if (argc >= 4 && strcmp(argv[1], "--own") == 0 && strcmp(argv[2], "--") == 0)
        return supervise(argv + 3);
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return print_line("hone-worker " HONE_VERSION "\n");
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return print_line(usage);
    if (argc == 1 && !isatty(0))
        return serve_channel();
    fputs(usage, stderr);
    return 2;
}
