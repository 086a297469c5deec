// hone-worker: without arguments it serves the tuner over descriptor 0; else it says what it is.
#include "worker/watch.h"
#include "worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: hone-worker [--help | --version]\n"
    "\n"
    "Builds, verifies and measures GPU kernels for hone, which starts it with a socket as its\n"
    "standard input and output. It is of no use by itself.\n"
    "\n"
    "environment:\n"
    "  HONE_WORKER_SCRATCH  folder for temporary files (else TMPDIR, else /tmp)\n"
    "  HONE_WORKER_CACHE    folder where references and cubins are kept for later workers\n"
    "  CUDA_HOME, CUDA_PATH  the CUDA toolkit whose compiler and headers are used\n"
    "  HONE_CC              the compiler of kernels in C (else cc)\n"
    "  POCL_CACHE_DIR, CUDA_CACHE_PATH  folders of the drivers' own caches\n";

static int print_line(const char *text)
{
    bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

// What the tuner tells of a worker that ended: it reads standard error.
static int last_words(const struct error *e)
{
    fprintf(stderr, "hone-worker: %s\n", e->text);
    return EXIT_FAILURE;
}

static int serve_channel(void)
{
    struct error e = ERROR_INIT;
    int channel = take_channel(&e);
    lead_group();
    if (channel < 0)
        return last_words(&e);
    if (!watch_start(channel))
        return EXIT_FAILURE;
    char *cache = cache_folder();
    char *environment[LANGUAGE_COUNT];
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        environment[l] = timing_environment((enum language)l);
    char *scratch = enter_scratch(&e);
    int status = EXIT_FAILURE;
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
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return print_line("hone-worker " HONE_VERSION "\n");
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return print_line(usage);
    if (argc == 1 && !isatty(0))
        return serve_channel();
    fputs(usage, stderr);
    return 2;
}
