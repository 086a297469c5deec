// Passes a notice on to the caller's sink.
#include "base/log.h"
#include "base/text.h"

#include <stdarg.h>

void log_add(const struct log *log, enum log_level level, const char *format, ...)
{
    if (!log || !log->sink)
        return;
    char message[4096];
    va_list args;
    va_start(args, format);
    str_vformat(message, sizeof message, format, args);
    va_end(args);
    // One line is promised; texts of drivers and compilers often hold several.
    for (char *c = message; *c; c++) {
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    }
    log->sink(log->context, level, message);
}
