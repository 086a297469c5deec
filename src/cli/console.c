// All writing to stdout and stderr. Control characters are made visible before a text is written;
// it is then coloured by the word that a line begins with, and lines of progress are removed before
// anything else appears. console_finish() reports a failed write.
#include "cli/console.h"

#include "cli/cli.h"
#include "cli/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_NS 100000000ull
#define CLEAR     "\r\033[K"
#define UP        "\033[A"

// ---- colours -----------------------------------------------------------------------------------

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !term[0] || str_equal(term, "dumb");
}

// On a terminal, unless NO_COLOR is set or TERM is "dumb" or nothing; with CLICOLOR_FORCE everywhere.
static bool has_color(FILE *stream)
{
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (force && force[0] && !str_equal(force, "0"))
        return true;
    return isatty(fileno(stream)) == 1 && !(no && no[0]) && !is_dumb();
}

#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

// Words that a line begins with.
static const struct {
    const char *word, *style;
} styles[] = {
    {"hone: warning:", YELLOW}, {"hone:", RED},       {"Warning:", YELLOW},  {"Failed:", RED},
    {"FAILED:", RED},           {"Best", BOLD GREEN}, {"best", BOLD},        {"OK:", GREEN},
    {"NOT VERIFIED:", YELLOW},  {"Speed-up", BOLD},   {"AGREEMENT:", YELLOW}};

// The length of the first word of a line that has a colour; 0: none has.
static size_t find_style(const char *line, size_t length, const char **style)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        size_t word = strlen(styles[i].word);
        *style = styles[i].style;
        if (word <= length && memcmp(line, styles[i].word, word) == 0)
            return word;
    }
    return 0;
}

// The full part of a bar that a line of progress begins with, report_bar().
static size_t find_bar(const char *line)
{
    size_t at = 0;
    for (;;) {
        size_t length = line[at] == '#' ? 1 : str_starts(line + at, "\xe2\x94\x81") ? 3 : 0;
        if (length == 0)
            return at;
        at += length;
    }
}

// The text has been made visible already.
static void write_colored(FILE *stream, const char *text, size_t length, bool colored)
{
    while (length > 0) {
        const char *end = memchr(text, '\n', length), *style = NULL;
        size_t line = end ? (size_t)(end - text) + 1 : length;
        size_t word = colored ? find_style(text, line, &style) : 0;
        if (word)
            fprintf(stream, "%s%.*s" PLAIN, style, (int)word, text);
        fwrite(text + word, 1, line - word, stream);
        text += line;
        length -= line;
    }
}

// ---- lines that are longer than a terminal ----------------------------------------------------

// A sentence may be broken between words. What is there to be copied (options, configurations, commands) or has columns may not.
static bool is_sentence(const char *line, size_t length)
{
    static const char *const labels[] = {
        "Best: ", "Next: ", "Configuration: ", "Options: ", "Then: ", "hone "};
    bool is = length > 0 && isalnum((unsigned char)*line) && !memmem(line, length, "  ", 2);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        is = is && !str_starts(line, labels[i]);
    return is;
}

void console_break_lines(const struct text *from, size_t columns, struct text *out)
{
    const char *at = text_cstr(from), *end = at + from->length;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        // Skips the indent of what stands below a line: "  249.5 us [...]; 1048576 work-items in ...".
        size_t skip = length > 2 && str_starts(at, "  ") && isalnum((unsigned char)at[2]) ? 2 : 0;
        size_t room = columns, indent = 2 * skip;
        bool may = is_sentence(at + skip, length - skip);
        while (may && length > room) {
            const char *blank = memrchr(at + skip, ' ', room + 1 - skip);
            if (!blank)
                break;
            text_addn(out, at, (size_t)(blank - at));
            text_addf(out, "\n%*s", (int)indent, "");
            room = columns - indent;
            skip = 0;
            length -= (size_t)(blank + 1 - at);
            at = blank + 1;
        }
        text_addn(out, at, length + (newline ? 1 : 0));
        at += length + (newline ? 1 : 0);
    }
    out->failed |= from->failed;
}

static size_t columns_of(FILE *stream)
{
    struct winsize size;
    bool is = isatty(fileno(stream)) == 1 && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0;
    return is && size.ws_col >= 20 ? size.ws_col : 0;
}

// ---- what others wrote -------------------------------------------------------------------------

// Without memory nothing is written raw.
static void write_visible(FILE *stream, const struct text *t)
{
    struct text shown = TEXT_INIT;
    text_add_visible(&shown, text_cstr(t), t->length, true);
    if (t->failed || shown.failed)
        fputs("hone: out of memory\n", stderr);
    else
        write_colored(stream, text_cstr(&shown), shown.length, has_color(stream));
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

int refuse(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_message("hone: ", format, args, "\n");
    va_end(args);
    return status;
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

static void put_lines(struct text *t, size_t columns)
{
    if (collected) {
        text_add(collected, text_cstr(t));
        collected->failed |= t->failed;
        text_clear(t);
        return;
    }
    struct text broken = TEXT_INIT;
    if (columns)
        console_break_lines(t, columns, &broken);
    write_visible(stdout, columns ? &broken : t);
    text_release(&broken);
    text_clear(t);
}

void put(struct text *t)
{
    put_lines(t, columns_of(stdout));
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
        put_lines(t, 0);
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
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if (poll(&reader, 1, 0) == 1 && reader.revents & POLLERR) // it has had enough, as `head` has
        return status;
    complain("cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status == EXIT_DONE ? EXIT_NOTHING : status;
}

void console_log(void *context, enum log_level level, const char *message)
{
    struct ticker *ticker = context;
    if (level == LOG_DEBUG) {
        trace_note(message);
        return;
    }
    if (ticker)
        ticker_clear(ticker);
    complain("%s%s", level == LOG_WARNING ? "warning: " : "", message);
}

// ---- progress ----------------------------------------------------------------------------------

// By what the environment says of its locale.
static bool is_utf8(void)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

void ticker_init(struct ticker *t, FILE *stream)
{
    *t = (struct ticker){.stream = stream,
                         .terminal = isatty(fileno(stream)) == 1 && !is_dumb(),
                         .color = has_color(stream),
                         .screen.utf8 = is_utf8()};
}

bool ticker_due(const struct ticker *t, uint64_t now_ns)
{
    return t->terminal && now_ns >= t->next_ns;
}

struct screen ticker_screen(const struct ticker *t)
{
    struct winsize size;
    struct screen s = t->screen;
    if (!t->terminal || s.width)
        return s;
    bool known = ioctl(fileno(t->stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    s.width = known ? size.ws_col - 1u : 79; // the last column would wrap
    return s;
}

static void draw_line(const struct ticker *t, const char *line, size_t length,
                      const struct screen *s)
{
    struct text shown = TEXT_INIT;
    text_add_visible(&shown, line, length, false);
    report_cut(&shown, 0, s);
    size_t bar = t->color ? find_bar(text_cstr(&shown)) : 0;
    if (bar)
        fprintf(t->stream, GREEN "%.*s" PLAIN, (int)bar, text_cstr(&shown));
    write_colored(t->stream, text_cstr(&shown) + bar, shown.length - bar, t->color);
    text_release(&shown);
}

static void erase(struct ticker *t)
{
    fputs(CLEAR, t->stream);
    for (; t->drawn > 1; t->drawn--)
        fputs(UP CLEAR, t->stream);
    t->drawn = 0;
}

void ticker_show(struct ticker *t, const char *lines, uint64_t now_ns)
{
    const struct screen s = ticker_screen(t);
    t->next_ns = now_ns + REDRAW_NS;
    if (!t->terminal)
        return;
    erase(t);
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        fputs(t->drawn++ ? "\n" : "", t->stream);
        draw_line(t, lines, length, &s);
        lines += length + (lines[length] == '\n');
    }
    fflush(t->stream);
}

void ticker_clear(struct ticker *t)
{
    if (t->drawn == 0)
        return;
    erase(t);
    fflush(t->stream);
    t->next_ns = 0;
}
