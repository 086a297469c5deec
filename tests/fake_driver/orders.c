#include "orders.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CALLS_MOST 96

static struct {
    const char *call;
    unsigned count;
} calls[CALLS_MOST];

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER; // a thread of the worker's builds
static unsigned launches;
static bool broken; // by a death that left the process alive

_Noreturn void fake_hang(void)
{
    for (;;)
        pause();
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

bool fake_is(const char *name, const char *word, const char *words)
{
    const char *value = variable(name);
    size_t length = strcspn(words, "|");
    if (*value)
        return strcmp(value, word) == 0;
    return strlen(word) == length && strncmp(words, word, length) == 0;
}

const char *fake_text(const char *name, const char *fallback)
{
    const char *value = variable(name);
    return *value ? value : fallback;
}

uint64_t fake_number(const char *name, uint64_t fallback)
{
    const char *value = variable(name);
    return *value ? strtoull(value, NULL, 10) : fallback;
}

uint64_t fake_nth(const char *list, unsigned n, uint64_t fallback)
{
    for (; n > 0 && list; n--) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    return list && *list ? strtoull(list, NULL, 10) : fallback;
}

static unsigned used_device;

void fake_use_device(unsigned number)
{
    used_device = number;
}

unsigned fake_device(void)
{
    return used_device;
}

uint64_t fake_noise(uint64_t most)
{
    static uint64_t state;
    state = (state ? state : (uint64_t)getpid() * 0x9e3779b97f4a7c15u) * 6364136223846793005u +
            1442695040888963407u;
    return most ? (state >> 33) % most : 0;
}

// Read once; another process begins elsewhere in the file.
uint64_t fake_drift(const char *path, uint64_t whole)
{
    static uint32_t factors[DRIFT_MOST];
    static size_t count, next;
    FILE *f = *path && count == 0 ? fopen(path, "r") : NULL;
    while (f && count < DRIFT_MOST && fscanf(f, "%" SCNu32, &factors[count]) == 1)
        count++;
    if (f) {
        next = (size_t)getpid() * 7919;
        fclose(f);
    }
    return count ? whole / 1000 * factors[next++ % count] / 1000 : whole;
}

bool fake_is_meant(void)
{
    const char *only = variable(FAKE_PREFIX "ONLY");
    return !*only || strtoul(only, NULL, 10) == used_device;
}

// The name is a literal of the caller's, the same pointer each time.
static unsigned count_call(const char *call)
{
    unsigned count = 0;
    pthread_mutex_lock(&counting);
    for (size_t i = 0; i < CALLS_MOST && count == 0; i++) {
        if (!calls[i].call)
            calls[i].call = call;
        if (calls[i].call == call)
            count = ++calls[i].count;
    }
    pthread_mutex_unlock(&counting);
    return count;
}

// "CALL", "CALL:CODE", either with "@N". Does the order mean this call, the nth of its name?
static bool is_ordered(const char *order, const char *call, unsigned nth)
{
    size_t length = strcspn(order, ":@");
    const char *at = strchr(order, '@');
    if (length == 0 || strlen(call) != length || strncmp(order, call, length) != 0)
        return false;
    return !at || strtoul(at + 1, NULL, 10) == nth;
}

void fake_forget(void)
{
    pthread_mutex_lock(&counting);
    memset(calls, 0, sizeof calls);
    pthread_mutex_unlock(&counting);
    launches = 0;
    broken = false;
}

unsigned fake_count(const char *call)
{
    unsigned count = 0;
    pthread_mutex_lock(&counting);
    for (size_t i = 0; i < CALLS_MOST && calls[i].call && count == 0; i++) {
        if (strcmp(calls[i].call, call) == 0)
            count = calls[i].count;
    }
    pthread_mutex_unlock(&counting);
    return count;
}

// The milliseconds of "CALL:MS,CALL:MS" for this call.
static uint64_t call_ms(const char *list, const char *call)
{
    const size_t length = strlen(call);
    for (; *list; list += strcspn(list, ",") + (list[strcspn(list, ",")] == ',')) {
        if (strncmp(list, call, length) == 0 && list[length] == ':')
            return strtoull(list + length + 1, NULL, 10);
    }
    return 0;
}

static void take_time(const char *call)
{
    const uint64_t ms = call_ms(variable(FAKE_PREFIX "TAKES"), call);
    const struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000 * 1000000)};
    if (ms > 0)
        nanosleep(&t, NULL);
}

int fake_enter(const char *call)
{
    unsigned nth = count_call(call);
    take_time(call);
    const char *fail = variable(FAKE_PREFIX "FAIL"), *code = strchr(fail, ':');
    if (is_ordered(variable(FAKE_PREFIX "HANG"), call, nth))
        fake_hang();
    if (code && is_ordered(fail, call, nth))
        return (int)strtol(code + 1, NULL, 10);
    return 0;
}

// ---- death

bool fake_broken(void)
{
    return broken;
}

bool fake_dead(const char *what)
{
    const char *state = variable(FAKE_PREFIX "STATE");
    bool dead = broken || (*state && fake_is_meant() && access(state, F_OK) == 0);
    return dead && fake_is(FAKE_PREFIX "DEAD", what, "open");
}

bool fake_is_built_with(const char *options, const char *order)
{
    const char *equals = strchr(order, '=');
    char name[FAKE_NAME_MOST];
    if (!equals || (size_t)(equals - order) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(equals - order), order);
    const char *value = fake_define(options, name);
    size_t length = strlen(equals + 1);
    return value && strcspn(value, " ") == length && strncmp(value, equals + 1, length) == 0;
}

static bool is_deadly(const char *options)
{
    const char *order = variable(FAKE_PREFIX "DIE");
    launches++;
    if (!fake_is_meant())
        return false;
    if (*order == '#')
        return strtoul(order + 1, NULL, 10) == launches;
    return fake_is_built_with(options, order);
}

static void cached_death(void)
{
    const char *state = variable(FAKE_PREFIX "STATE");
    int fd = *state ? open(state, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0)
        close(fd);
}

bool fake_launch(const char *options)
{
    if (fake_dead("kill"))
        kill(getpid(), SIGKILL);
    if (!is_deadly(options))
        return !fake_dead("wait");
    cached_death();
    if (fake_is(FAKE_PREFIX "HOW", "abort", "kill"))
        abort();
    if (!fake_is(FAKE_PREFIX "HOW", "wait", "kill"))
        kill(getpid(), SIGKILL);
    broken = true;
    return false;
}

// ---- the clock

#define CLOCK_STARTS_NS UINT64_C(1000000000)
#define CLOCK_LEAD_NS   UINT64_C(200000)

static uint64_t host_ns(void)
{
    static uint64_t first;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    first = first ? first : now;
    return CLOCK_STARTS_NS + now - first;
}

static bool busy; // commands follow each other without a gap until somebody waits for them

void fake_clock_begin(uint64_t *now_ns)
{
    uint64_t host = host_ns();
    if (!busy && *now_ns < host)
        *now_ns = host;
    busy = true;
}

void fake_clock_enqueue(void)
{
    uint64_t takes = fake_number(FAKE_PREFIX "ENQUEUE_NS", 0), start = host_ns();
    while (host_ns() - start < takes) {
    }
    busy = busy && !takes;
}

void fake_clock_wait(uint64_t now_ns)
{
    uint64_t host = host_ns(), ahead = now_ns > host ? now_ns - host : 0;
    const struct timespec t = {(time_t)(ahead / 1000000000), (long)(ahead % 1000000000)};
    if (ahead > CLOCK_LEAD_NS)
        nanosleep(&t, NULL);
    busy = false;
}

const char *fake_define(const char *options, const char *name)
{
    size_t length = strlen(name);
    const char *last = NULL; // the last one decides, as for compilers
    for (const char *at = options; (at = strstr(at, "-D")); at += 2) {
        if (strncmp(at + 2, name, length) == 0 && at[2 + length] == '=')
            last = at + 2 + length + 1;
    }
    return last;
}
