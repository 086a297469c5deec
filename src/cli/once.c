// Passes on each message once.
#include "cli/once.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>

void once_init(struct once *o)
{
    *o = (struct once){.told = NULL};
    arena_init(&o->arena);
}

void once_release(struct once *o)
{
    free(o->told);
    arena_release(&o->arena);
}

// Without memory the message is repeated later.
static void note_told(struct once *o, const char *message)
{
    if (!ARRAY_ROOM(o->told, o->capacity, o->count + 1))
        return;
    o->told[o->count] = arena_strdup(&o->arena, message);
    o->count += o->told[o->count] != NULL;
}

static void tell_once(void *context, enum log_level level, const char *message)
{
    struct once *o = context;
    if (level == LOG_DEBUG) { // events, which may well happen again
        o->log.sink(o->log.context, level, message);
        return;
    }
    for (size_t i = 0; i < o->count; i++) {
        if (str_equal(o->told[i], message))
            return;
    }
    note_told(o, message);
    o->log.sink(o->log.context, level, message);
}

struct log once_log(struct once *o, const struct log *log)
{
    if (!o->log.sink)
        o->log = *log;
    return (struct log){tell_once, o};
}
