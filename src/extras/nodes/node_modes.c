// hone-worker --node and --link, as they are called; and --launch, by which a link starts its launcher.
#include "extras/nodes/agent.h"
#include "worker/modes.h"
#include "extras/nodes/node_frames.h"

#include "os/beside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CANNOT_LAUNCH 127
#define MS_MOST       3600000

static int refuse_terminal(void)
{
    fputs("hone-worker --node: its input is a terminal, which changes what passes; start it "
          "without one (ssh -T, srun without --pty, docker exec -i without -t)\n",
          stderr);
    return 2;
}

static int run_node(char **at)
{
    struct agent_options o = {.locks = "/tmp"};
    for (; *at; at += 2) {
        if (strcmp(*at, "--worker") == 0 && at[1])
            o.worker = at[1];
        else if (strcmp(*at, "--locks") == 0 && at[1])
            o.locks = at[1];
        else
            return -1;
    }
    return isatty(0) ? refuse_terminal() : agent_serve(&o);
}

const struct worker_mode node_mode = {
    "--node", "       hone-worker --node [--worker PATH] [--locks FOLDER]\n",
    "  --node    the agent of another machine, started there by a launcher (srun, ssh): it serves\n"
    "            a link over its standard input and output, and starts workers (PATH; else this\n"
    "            program). Their temporary files and caches lie in TMPDIR, and go with it. The\n"
    "            locks of devices stand in FOLDER (else /tmp)\n",
    run_node};

static bool read_ms(const char *text, uint64_t *ns)
{
    uint64_t ms;
    bool ok = text && str_to_u64(text, &ms) && ms >= 1 && ms <= MS_MOST;
    if (ok)
        *ns = ms * 1000000;
    return ok;
}

static int run_link(char **at)
{
    char self[BESIDE_PATH_SIZE];
    struct link_options o = {.program = self,
                             .beat_ns = NODE_BEAT_NS,
                             .lease_ns = NODE_LEASE_NS,
                             .start_ns = NODE_START_NS};
    for (; *at && strcmp(*at, "--") != 0; at += 2) {
        uint64_t *to = strcmp(*at, "--beat") == 0    ? &o.beat_ns
                       : strcmp(*at, "--lease") == 0 ? &o.lease_ns
                       : strcmp(*at, "--start") == 0 ? &o.start_ns
                                                     : NULL;
        if (!to || !read_ms(at[1], to))
            return -1;
    }
    if (!*at || !at[1] || !beside_program(self))
        return -1;
    o.launcher = (const char *const *)(at + 1);
    return link_serve(&o);
}

const struct worker_mode link_mode = {
    "--link", "       hone-worker --link [--beat MS] [--lease MS] [--start MS] -- LAUNCHER...\n",
    "  --link    hone's end of that: starts LAUNCHER, the whole command. Both sides beat every\n"
    "            MS (1000), and end when they have heard nothing for a lease (20000); an agent\n"
    "            has MS (60000) to answer first\n\n",
    run_link};

// Becomes the launcher, which ends with its link, however that ends.
static int run_launch(char **at)
{
    if (!*at || strcmp(*at, "--") != 0 || !at[1])
        return -1;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execvp(at[1], at + 1);
    fprintf(stderr, "hone-worker: cannot start the launcher '%s': %s\n", at[1], strerror(errno));
    return CANNOT_LAUNCH;
}

const struct worker_mode launch_mode = {"--launch", "", "", run_launch};
