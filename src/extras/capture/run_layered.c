// A program with the layer: a loader that has layers takes it by OPENCL_LAYERS, in front of one that has none it is preloaded; both
// are set, because only the program knows which loader it opens.
#include "extras/capture/run_layered.h"

#include "extras/capture/capture_counts.h"
#include "os/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool find_layer(char out[BESIDE_PATH_SIZE], struct error *e)
{
    static const char *const places[] = {"libhone-capture.so",
                                         "../libexec/hone/libhone-capture.so"};
    char here[BESIDE_PATH_SIZE];
    beside_folder(here);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        str_format(out, BESIDE_PATH_SIZE, "%s%s", here, places[i]);
        if (access(out, R_OK) == 0)
            return true;
    }
    return error_set(e, ERROR_IO, "libhone-capture.so is not beside hone: install hone whole");
}

static bool is_empty_folder(const char *folder)
{
    DIR *d = opendir(folder);
    uint32_t count = 0;
    while (d && count < 3 && readdir(d))
        count++;
    if (d)
        closedir(d);
    return d && count <= 2;
}

bool layered_folder(const char *folder, struct error *e)
{
    char path[4096];
    const uint64_t magic = CAPTURE_MAGIC;
    const int why = mkdir(folder, 0700) == 0 ? 0 : errno;
    if (why && (why != EEXIST || !is_empty_folder(folder)))
        return error_set_driver(
            e, ERROR_USAGE, why,
            why == EEXIST ? "%s is there already and is not an empty folder; -o names another"
                          : "%s cannot be made; -o names another folder",
            folder);
    chmod(folder, 0700); // it was there, empty
    str_format(path, sizeof path, "%s/data", folder);
    bool ok = mkdir(path, 0700) == 0;
    str_format(path, sizeof path, "%s/counts", folder);
    const int file = ok ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    // Whole, not sparse: the program would end by SIGBUS where a mapped page finds no room.
    errno = file < 0 ? errno : posix_fallocate(file, 0, sizeof(struct capture_counts));
    ok = file >= 0 && errno == 0 && write(file, &magic, sizeof magic) == (ssize_t)sizeof magic;
    if (file >= 0)
        close(file);
    return ok || error_set_driver(e, ERROR_IO, errno, "%s: %s", path, strerror(errno));
}

void layered_folder_drop(const char *folder)
{
    char path[4096];
    str_format(path, sizeof path, "%s/data", folder);
    folder_remove(path);
    str_format(path, sizeof path, "%s/counts", folder);
    unlink(path);
    rmdir(folder);
}

// The environment with NAME's value in front of what it was.
static bool add_path(char **environment, size_t *count, const char *name, const char *path)
{
    const char *old = getenv(name);
    struct text t = TEXT_INIT;
    text_addf(&t, "%s=%s%s%s", name, path, old && *old ? ":" : "", old ? old : "");
    environment[*count] = text_steal(&t);
    return environment[(*count)++] != NULL;
}

static bool is_replaced(const char *variable, const char *const *settings, bool plain)
{
    if (!plain && (str_starts(variable, "OPENCL_LAYERS=") || str_starts(variable, "LD_PRELOAD=")))
        return true;
    for (size_t i = 0; settings[i]; i++) {
        const size_t length = strcspn(settings[i], "=") + 1;
        if (strncmp(variable, settings[i], length) == 0)
            return true;
    }
    return str_starts(variable, "HONE_CAPTURE_FOLDER=");
}

static void release_environment(char **environment)
{
    for (size_t i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}

static char **make_environment(const struct layered_run *r, struct error *e)
{
    size_t room = 8, count = 0;
    char layer[BESIDE_PATH_SIZE];
    for (size_t i = 0; environ[i]; i++)
        room++;
    for (size_t i = 0; r->settings[i]; i++)
        room++;
    char **out = alloc_zeroed(room * sizeof *out, e);
    bool ok = out && (r->plain || find_layer(layer, e));
    for (size_t i = 0; ok && environ[i]; i++) {
        if (!is_replaced(environ[i], r->settings, r->plain))
            ok = (out[count++] = strdup(environ[i])) != NULL;
    }
    if (ok && !r->plain) {
        struct text folder = TEXT_INIT;
        text_addf(&folder, "HONE_CAPTURE_FOLDER=%s", r->folder);
        ok = (out[count++] = text_steal(&folder)) != NULL &&
             add_path(out, &count, "OPENCL_LAYERS", layer) &&
             add_path(out, &count, "LD_PRELOAD", layer);
        for (size_t i = 0; ok && r->settings[i]; i++)
            ok = (out[count++] = strdup(r->settings[i])) != NULL;
    }
    if (!ok) {
        release_environment(out);
        error_memory(e); // or the first reason
        return NULL;
    }
    return out;
}

static bool wait_for_program(pid_t pid, struct layered_end *out, struct error *e)
{
    struct rusage used;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, was_int, was_quit;
    pid_t got;
    sigaction(SIGINT, &ignore, &was_int);
    sigaction(SIGQUIT, &ignore, &was_quit);
    do {
        got = wait4(pid, &out->status, 0, &used);
    } while (got < 0 && errno == EINTR);
    sigaction(SIGINT, &was_int, NULL);
    sigaction(SIGQUIT, &was_quit, NULL);
    out->cpu_s = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                 ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec) / 1e6;
    return got == pid ||
           error_set_driver(e, ERROR_IO, errno, "waiting for it: %s", strerror(errno));
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool layered_run(const struct layered_run *r, struct layered_end *out, struct error *e)
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    char **environment = make_environment(r, e);
    if (!environment)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigemptyset(&all);
    sigaddset(&all, SIGINT), sigaddset(&all, SIGQUIT), sigaddset(&all, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (r->output)
        posix_spawn_file_actions_addopen(&actions, 1, text_cstr(r->output),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const double started = seconds_now();
    const int failed =
        posix_spawnp(&pid, r->argv[0], &actions, &attributes, (char *const *)r->argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    release_environment(environment);
    if (failed)
        return error_set_driver(e, ERROR_USAGE, failed, "%s cannot be started: %s", r->argv[0],
                                strerror(failed));
    const bool ok = wait_for_program(pid, out, e);
    out->wall_s = seconds_now() - started;
    return ok;
}
