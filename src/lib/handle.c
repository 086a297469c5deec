// Shared by all public handles: the version, errors and texts handed to the caller, structs that
// carry their size, logs, and where workers live.
#include "lib/handle.h"

#include "os/beside.h"

#include <string.h>

// Public lists repeat internal ones in the same order, which their ends show.
_Static_assert((int)HONE_ERROR_INTERNAL == (int)ERROR_INTERNAL, "error codes");
_Static_assert(sizeof((struct hone_error){0}.text) == sizeof((struct error){0}.text), "error text");
_Static_assert((int)HONE_DEBUG == (int)LOG_DEBUG, "levels of notices");

#define TEXT_OF(number)       TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number
#define HEADER_VERSION                                                                             \
    TEXT_OF(HONE_VERSION_MAJOR) "." TEXT_OF(HONE_VERSION_MINOR) "." TEXT_OF(HONE_VERSION_PATCH)

const char *hone_version(void)
{
    return HEADER_VERSION;
}

bool hone_check_version(int number, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    int major = number / 10000, minor = number / 100 % 100;
    bool is_same = HONE_VERSION_MAJOR == 0 ? major == 0 && minor == HONE_VERSION_MINOR
                                           : major == HONE_VERSION_MAJOR;
    if (!is_same)
        error_set(
            &why, ERROR_USAGE,
            "the program was built for hone %d.%d and runs with libhone %s: build it again, or "
            "install libhone %d.%d",
            major, minor, HEADER_VERSION, major, minor);
    return hand_over(&why, e);
}

// ---- errors, texts, structs with a size ---------------------------------------------------------

bool hand_over(const struct error *from, struct hone_error *to)
{
    if (from->code == ERROR_NONE)
        return true;
    if (to && to->code == HONE_ERROR_NONE) {
        to->code = (enum hone_error_code)from->code;
        to->driver = from->driver;
        memcpy(to->text, from->text, sizeof to->text);
    }
    return false;
}

void take_error(const struct hone_error *from, struct error *to)
{
    to->code = (enum error_code)from->code;
    to->driver = from->driver;
    memcpy(to->text, from->text, sizeof to->text);
}

size_t give_text(struct text *t, char *out, size_t size)
{
    size_t length = t->failed ? 0 : t->length;
    size_t written = length < size ? length : size - 1;
    if (size > 0) {
        memcpy(out, t->failed ? "" : text_cstr(t), written);
        out[written] = 0;
    }
    text_release(t);
    return length;
}

bool take_sized(const void *given, void *own, size_t own_size, const char *init, struct error *e)
{
    memset(own, 0, own_size);
    if (!given)
        return true;
    size_t size = *(const size_t *)given;
    if (size < sizeof size)
        return error_set(e, ERROR_USAGE, "a struct without its size: begin with %s", init);
    for (size_t i = own_size; i < size; i++) {
        if (((const char *)given)[i])
            return error_set(e, ERROR_USAGE,
                             "libhone " HEADER_VERSION " does not know all members that are set in "
                             "a struct of %zu bytes (%s makes one of %zu): install a newer one",
                             size, init, own_size);
    }
    memcpy(own, given, size < own_size ? size : own_size);
    return true;
}

void give_sized(const void *full, size_t full_size, void *out)
{
    size_t size = *(const size_t *)out;
    if (size > full_size) {
        memset((char *)out + full_size, 0, size - full_size);
        size = full_size;
    }
    if (size > sizeof size)
        memcpy((char *)out + sizeof size, (const char *)full + sizeof size, size - sizeof size);
}

// ---- lists, logs, workers -----------------------------------------------------------------------

uint32_t list_length(const char *const *list)
{
    uint32_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

const char *const *copy_list(struct arena *a, const char *const *list, bool *failed)
{
    if (!list)
        return NULL;
    uint32_t count = list_length(list);
    const char **copy = arena_array(a, count + 1, sizeof(*copy));
    for (uint32_t i = 0; copy && i < count; i++) {
        copy[i] = arena_strdup(a, list[i]);
        *failed |= !copy[i];
    }
    *failed |= !copy;
    return copy;
}

const char *copy_text(struct arena *a, const char *text, bool *failed)
{
    char *copy = arena_strdup(a, text);
    *failed |= text && !copy;
    return copy;
}

static void pass_notice(void *context, enum log_level level, const char *message)
{
    const struct hone_log *theirs = context;
    if (theirs->notice)
        theirs->notice(theirs->context, (enum hone_level)level, message);
}

const struct log *log_bridge_init(struct log_bridge *b, const struct hone_log *theirs)
{
    if (!theirs)
        return NULL;
    b->theirs = *theirs;
    b->log = (struct log){.sink = pass_notice, .context = &b->theirs};
    return &b->log;
}

// The value of NAME (with its "=") in a list of NAME=VALUE; NULL when it is not there.
static const char *value_in_environment(const char *const *list, const char *name)
{
    for (; list && *list; list++) {
        if (str_starts(*list, name))
            return *list + strlen(name);
    }
    return NULL;
}

bool workplace_init(struct workplace *w, const struct hone_worker *worker, struct arena *a,
                    struct error *e)
{
    static const char name[] = "HONE_WORKER_SCRATCH=";
    struct hone_worker given;
    char found[BESIDE_PATH_SIZE];
    *w = (struct workplace){.at.node = w->at.node, .scratch = SCRATCH_NONE};
    if (!take_sized(worker, &given, sizeof given, "HONE_WORKER_INIT", e))
        return false;
    const char *parent = value_in_environment(given.environment, "TMPDIR=");
    uint32_t count = list_length(given.environment);
    const char **list = arena_array(a, count + 2, sizeof(*list));
    bool failed = !list;
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = copy_text(a, given.environment[i], &failed);
    w->worker[0] = copy_text(a,
                             given.program          ? given.program
                             : beside_worker(found) ? found
                                                    : HONE_WORKER,
                             &failed);
    if (failed)
        return error_memory(e);
    w->at.worker = w->worker;
    w->at.environment = list;
    if (value_in_environment(given.environment, name))
        return true;
    if (!scratch_make(&w->scratch, parent ? parent : "/tmp", e))
        return false;
    list[count] = arena_printf(a, "%s%s", name, w->scratch.path);
    return list[count] || error_memory(e);
}

void workplace_release(struct workplace *w)
{
    if (w->at.environment) // else it was not made
        scratch_remove(&w->scratch);
    w->at.environment = NULL;
}
