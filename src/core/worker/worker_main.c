// hone-worker: without arguments it serves the tuner over descriptor 0; else it is what a mode makes of it, or says what it is.
#include "os/descendants.h"
#include "worker/modes.h"
#include "worker/watch.h"
#include "worker/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char about[] =
    "\nBuilds, verifies and measures GPU kernels for hone, which starts it with a socket as its\n"
    "standard input and output. It is of no use by itself.\n\n";

static const char about_environment[] =
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

static const struct worker_mode *const modes[] = {
#define X(name) &name##_mode,
    WORKER_MODES(X)
#undef X
};

enum { MODES = sizeof modes / sizeof *modes };

static int print_usage(FILE *to)
{
    fputs("usage: hone-worker [--help | --version]\n", to);
    for (int i = 0; i < MODES; i++)
        fputs(modes[i]->usage, to);
    fputs(about, to);
    for (int i = 0; i < MODES; i++)
        fputs(modes[i]->help, to);
    fputs(about_environment, to);
    return fflush(to) == 0 && !ferror(to) ? EXIT_SUCCESS : EXIT_FAILURE;
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

int main(int argc, char **argv)
{
    for (int i = 0; i < MODES && argc >= 2; i++) {
        int status = str_equal(argv[1], modes[i]->name) ? modes[i]->run(argv + 2) : -1;
        if (status >= 0)
            return status;
    }
    if (argc == 2 && str_equal(argv[1], "--version"))
        return puts("hone-worker " HONE_VERSION) >= 0 && fflush(stdout) == 0 ? EXIT_SUCCESS
                                                                             : EXIT_FAILURE;
    if (argc == 2 && (str_equal(argv[1], "--help") || str_equal(argv[1], "-h")))
        return print_usage(stdout);
    if (argc == 1 && !isatty(0))
        return serve_channel();
    print_usage(stderr);
    return 2;
}
