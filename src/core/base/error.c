// Filling the error record; context goes in front, and what does not fit is cut at the end,
// visibly.
#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#undef error_set
#undef error_set_driver
#undef error_memory
#undef error_context

// The first cause is kept: a filled record is left as it is.
static void fill_error(struct error *e, enum error_code code, int driver, const char *format,
                       va_list args)
{
    if (!e || e->code != ERROR_NONE)
        return;
    // By way of a copy, since an argument may be the old text of this very record.
    char text[sizeof e->text];
    str_vformat(text, sizeof text, format, args);
    e->code = code;
    e->driver = driver;
    memcpy(e->text, text, strlen(text) + 1);
}

bool error_set(struct error *e, enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill_error(e, code, 0, format, args);
    va_end(args);
    return false;
}

bool error_set_driver(struct error *e, enum error_code code, int driver, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill_error(e, code, driver, format, args);
    va_end(args);
    return false;
}

bool error_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "%s", error_code_text(ERROR_MEMORY));
}

void *error_no_memory(struct error *e)
{
    error_memory(e);
    return NULL;
}

void *alloc_zeroed(size_t size, struct error *e)
{
    void *memory = calloc(1, size);
    if (!memory)
        error_memory(e);
    return memory;
}

bool error_context(struct error *e, const char *format, ...)
{
    if (!e || e->code == ERROR_NONE)
        return false;
    char context[sizeof e->text], text[sizeof e->text];
    va_list args;
    va_start(args, format);
    str_vformat(context, sizeof context, format, args);
    va_end(args);
    str_format(text, sizeof text, "%s: %s", context, e->text);
    memcpy(e->text, text, strlen(text) + 1);
    return false;
}

void error_clear(struct error *e)
{
    if (!e)
        return;
    e->code = ERROR_NONE;
    e->driver = 0;
    e->text[0] = '\0';
}

const char *error_code_text(enum error_code code)
{
    static const char *const texts[] = {ERROR_CODES(LIST_TEXT)};
    size_t index = (size_t)code;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown error";
}
