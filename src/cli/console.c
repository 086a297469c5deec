#include "cli/console.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_NS 100000000ull   // on a terminal
#define LINE_NS   10000000000ull // off a terminal
#define CLEAR     "\r\033[K"

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("hone: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void put(struct text *t)
{
    if (t->failed)
        complain("out of memory");
    fwrite(text_cstr(t), 1, t->length, stdout);
    text_clear(t);
}

int console_finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    complain("cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status == EXIT_DONE ? EXIT_NOTHING : status;
}

void console_log(void *context, enum log_level level, const char *message)
{
    struct ticker *ticker = context;
    if (level == LOG_DEBUG)
        return;
    if (ticker)
        ticker_clear(ticker);
    complain("%s%s", level == LOG_WARNING ? "warning: " : "", message);
}

// ---- progress ----------------------------------------------------------------------------------

void ticker_init(struct ticker *t, FILE *stream)
{
    *t = (struct ticker){.stream = stream, .terminal = isatty(fileno(stream)) == 1};
}

bool ticker_due(const struct ticker *t, uint64_t now_ns)
{
    return now_ns >= t->next_ns;
}

size_t ticker_width(const struct ticker *t)
{
    struct winsize size;
    if (!t->terminal || t->width)
        return t->width;
    bool known = ioctl(fileno(t->stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col - 1u : 79; // the last column would wrap
}

void ticker_show(struct ticker *t, const char *line, uint64_t now_ns)
{
    fprintf(t->stream, t->terminal ? CLEAR "%s" : "%s\n", line);
    fflush(t->stream);
    t->drawn = t->terminal;
    t->next_ns = now_ns + (t->terminal ? REDRAW_NS : LINE_NS);
}

void ticker_clear(struct ticker *t)
{
    if (!t->drawn)
        return;
    fputs(CLEAR, t->stream);
    fflush(t->stream);
    t->drawn = false;
    t->next_ns = 0;
}
