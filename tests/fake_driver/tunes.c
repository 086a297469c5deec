#include "tunes.h"

#include "../support/patience.h"

#include "base/digest.h"
#include "os/process.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void tune_path(const struct tune *t, const char *name, char out[128])
{
    snprintf(out, 128, "%.63s/%s", t->folder, name);
}

void tune_prepare(struct tune *t)
{
    char worker[128];
    *t =
        (struct tune){.folder = "/tmp/hone-test-lost-XXXXXX", .command = "tune", .spec = FAKE_SPEC};
    ck_assert_ptr_nonnull(mkdtemp(t->folder));
    tune_path(t, "worker", worker);
    ck_assert_int_eq(symlink(HONE_BINARY_DIR "/hone-worker", worker), 0);
}

void tune_order(const char *variable, const char *value)
{
    char name[64];
    snprintf(name, sizeof name, FAKE_PREFIX "%s", variable);
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void surround(const struct tune *t)
{
    char path[128], domain[16];
    struct digest digest;
    tune_path(t, "worker", path);
    setenv("HONE_WORKER", path, 1);
    tune_path(t, "dead", path);
    tune_order("STATE", path);
    tune_order("NAME", t->folder);
    // A lock of its own: that of a card by its address.
    digest_of(t->folder, strlen(t->folder), &digest);
    snprintf(domain, sizeof domain, "%u", digest.bytes[0] << 8 | digest.bytes[1]);
    setenv(FAKE_PREFIX "KIND", "card", 0);
    tune_order("DOMAIN", domain);
    setenv("XDG_CACHE_HOME", t->folder, 1);
}

// Starts hone with `more` arguments, up to a NULL, behind those that all tunes have.
void tune_start(struct tune *t, const char *const *more)
{
    const char *argv[24] = {"hone", t->command, t->spec, "--timeout",
                            "build=2s,launch=1s,driver=2s"};
    char store[128], output[128];
    size_t n = 5;
    tune_path(t, "store.sqlite", store);
    tune_path(t, "output", output);
    argv[n++] = "--store", argv[n++] = store;
    for (size_t i = 0; more && more[i]; i++)
        argv[n++] = more[i];
    t->start_ns = clock_ns();
    t->hone = fork();
    ck_assert_int_ge(t->hone, 0);
    if (t->hone > 0)
        return;
    surround(t);
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(fd, 1);
    dup2(fd, 2);
    execv(HONE_BINARY_DIR "/hone", (char *const *)argv);
    _exit(127);
}

// The last events inside a hone that takes too long, and what it said before: on stderr, because they are more than
// an assertion may say.
static void show_last_events(const struct tune *t)
{
    struct text said = TEXT_INIT;
    char path[128];
    kill(t->hone, SIGUSR1);
    usleep(200000);
    tune_output(t, &said);
    fprintf(stderr, "%s\n", text_cstr(&said));
    text_release(&said);
    tune_path(t, "output", path);
    ck_assert_int_eq(truncate(path, 0), 0);
}

// Its exit status; it is killed, and the test fails, when it takes longer than it may.
int tune_end(struct tune *t, uint64_t most_ns)
{
    int status = 0;
    pid_t got;
    uint64_t until_ns = t->start_ns + patience() * most_ns;
    while ((got = waitpid(t->hone, &status, WNOHANG)) == 0 && clock_ns() < until_ns)
        usleep(10000);
    if (got == t->hone)
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    show_last_events(t);
    kill(t->hone, SIGKILL);
    waitpid(t->hone, NULL, 0);
    return -SIGALRM;
}

void tune_output(const struct tune *t, struct text *out)
{
    char path[128];
    tune_path(t, "output", path);
    file_read(path, 0, out, NULL);
}

// A worker ends at once when its tuner does; init may need a moment to see it off.
bool tune_leaves_no_worker(const struct tune *t)
{
    char command[128];
    bool left = true;
    snprintf(command, sizeof command, "pgrep -f '^%s/worker' >/dev/null", t->folder);
    for (int tries = 0; left && tries < 100; tries++) {
        left = system(command) == 0;
        usleep(left ? 20000 : 0);
    }
    return !left;
}

// ---- what is in the store

static bool take_row(void *context, const struct store_row *row)
{
    struct stored *s = context;
    unsigned id = CONFIGURATIONS;
    ck_assert_int_eq(sscanf(row->configuration, "ID=%u", &id), 1);
    ck_assert_uint_lt(id, CONFIGURATIONS);
    s->rows++;
    s->of[id]++;
    s->correct += row->result->status == STATUS_CORRECT;
    s->correct_of[id] += row->result->status == STATUS_CORRECT;
    s->last[id] = row->result->status;
    s->fault[id] = row->result->fault;
    snprintf(s->message[id], sizeof s->message[id], "%s", row->result->message);
    return true;
}

void tune_stored(const struct tune *t, struct stored *out)
{
    char path[128];
    struct error e = ERROR_INIT;
    struct store_query query = {0};
    tune_path(t, "store.sqlite", path);
    memset(out, 0, sizeof *out);
    struct store *s = access(path, F_OK) == 0 ? store_open(path, STORE_READ, &e) : NULL;
    if (!s)
        return; // nothing was ever written
    ck_assert_msg(store_each(s, &query, take_row, out, &e), "%s", e.text);
    store_close(s);
}

// ---- a dead device

void tune_check_death(const struct tune *t, int code, const char *output)
{
    struct stored s;
    tune_stored(t, &s);
    ck_assert_msg(code == 1, "exit %d: %s", code, output);
    ck_assert_msg(strstr(output, "device lost: ") != NULL, "%s", output);
    ck_assert_msg(strstr(output, "ID=20") != NULL, "%s", output);
    for (unsigned i = 0; i < DEADLY; i++)
        ck_assert_msg(s.of[i] == 1 && s.last[i] == STATUS_CORRECT, "ID=%u: %u rows, %s", i, s.of[i],
                      s.message[i]);
    ck_assert_uint_eq(s.of[DEADLY], 1);
    ck_assert(s.last[DEADLY] == STATUS_RUNTIME || s.last[DEADLY] == STATUS_TIMEOUT);
    ck_assert_int_eq(s.fault[DEADLY], FAULT_LOST);
    ck_assert_msg(strstr(s.message[DEADLY], "the device was lost") != NULL, "%s",
                  s.message[DEADLY]);
    ck_assert_uint_eq(s.rows, DEADLY + 1);
}

void tune_revive(const struct tune *t)
{
    char path[128];
    tune_path(t, "dead", path);
    unlink(path);
}

// ---- hangs

void tune_check_hang(const struct tune *t, const char *call, int code)
{
    struct text output = TEXT_INIT;
    struct stored s;
    tune_output(t, &output);
    tune_stored(t, &s);
    const char *text = text_cstr(&output);
    bool says =
        strstr(text, "limit") || strstr(text, "took longer") || strstr(text, "has not answered");
    ck_assert_msg(code == 0 || code == 1, "%s hangs: exit %d: %s", call, code, text);
    ck_assert_msg(code == 0 ? s.correct >= 3 : says, "%s hangs: exit %d: %s", call, code, text);
    ck_assert_msg(tune_leaves_no_worker(t), "%s hangs: a worker is left", call);
    text_release(&output);
}
