// All writing to stdout and stderr. Texts are made visible before they are written, and a line of progress
// is taken away before anything else appears; a failed write is told by console_finish().
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

// ---- what others wrote -------------------------------------------------------------------------

// Without memory nothing is written raw.
static void write_visible(FILE *stream, const struct text *t)
{
    struct text shown = TEXT_INIT;
    text_add_visible(&shown, text_cstr(t), t->length, true);
    if (t->failed || shown.failed)
        fputs("hone: out of memory\n", stderr);
    else
        fwrite(text_cstr(&shown), 1, shown.length, stream);
    text_release(&shown);
}

static void write_message(const char *who, const char *format, va_list args, const char *end)
{
    struct text t = TEXT_INIT;
    text_add(&t, who);
    text_vaddf(&t, format, args);
    text_add(&t, end);
    write_visible(stderr, &t);
    text_release(&t);
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_message("hone: ", format, args, "\n");
    va_end(args);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_message("", format, args, "");
    va_end(args);
}

// The program has one stdout.
static struct text *collected;

void console_collect(struct text *out)
{
    collected = out;
}

void put(struct text *t)
{
    if (collected) {
        text_add(collected, text_cstr(t));
        collected->failed |= t->failed;
        text_clear(t);
        return;
    }
    write_visible(stdout, t);
    text_clear(t);
}

void put_report(const writers of, enum report_format format, const void *report)
{
    struct text out = TEXT_INIT;
    writer_end(&of[format], report, &out);
    put(&out);
    text_release(&out);
}

void put_data(struct text *t)
{
    if (isatty(STDOUT_FILENO) == 1) {
        put(t);
        return;
    }
    if (t->failed)
        complain("out of memory");
    fwrite(text_cstr(t), 1, t->length, stdout);
    text_clear(t);
}

// ---- output ------------------------------------------------------------------------------------

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

// A line is one line: what is made visible is no longer than the terminal is wide.
void ticker_show(struct ticker *t, const char *line, uint64_t now_ns)
{
    struct text shown = TEXT_INIT;
    text_add_visible(&shown, line, strlen(line), false);
    size_t width = t->terminal ? ticker_width(t) : 0, at = 0;
    for (size_t column = 0; at < shown.length; at++) {
        bool starts = ((unsigned char)shown.data[at] & 0xc0) != 0x80;
        if (starts && width && column++ == width)
            break;
    }
    fprintf(t->stream, t->terminal ? CLEAR "%.*s" : "%.*s\n", (int)at, text_cstr(&shown));
    text_release(&shown);
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
