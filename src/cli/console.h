// Results go to stdout, everything else to stderr, where lines of progress may stand meanwhile.
#pragma once

#include "base/log.h"
#include "base/text.h"
#include "report/progress.h"
#include "report/writer.h"

#include <stdio.h>

// Texts from stores, files, compilers and kernels come from others, and a terminal would obey their
// control characters. All output to stdout and stderr passes through here, which makes them
// visible, as "\x1b" or "\u202e", and invalid UTF-8 too. Line ends and tabs stay.

// "hone: <text>" on stderr.
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same; returns this exit status.
int refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same without the "hone: ", and with its own line end.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Writes what was collected to stdout and empties it. JSON has escapes of its own, so that nothing
// in it changes.
void put(struct text *t);
// Breaks sentences that are longer between words, as put() does on a terminal.
void console_break_lines(const struct text *from, size_t columns, struct text *out);
// Writes what a command says at its end to stdout.
void put_report(const writers of, enum report_format format, const void *report);
// Keeps what would go to stdout instead; NULL: no more. `out` is the caller's.
void console_collect(struct text *out);
// The same for what is data, byte for byte (options for a shell, sources, binaries, CSV): only on a
// terminal is it made visible.
void put_data(struct text *t);
// Flushes stdout: `status`, or EXIT_NOTHING where it was EXIT_DONE and writing failed.
int console_finish(int status);
// Warnings and notes of the library, for struct log.
void console_log(void *context, enum log_level level, const char *message);

// Lines of progress, redrawn in place on a terminal that can do that; elsewhere nothing is drawn.
struct ticker {
    FILE *stream;
    bool terminal;
    bool color;
    struct screen screen; // width 0: ask the terminal before each time
    uint64_t next_ns;
    size_t drawn; // lines
};
void ticker_init(struct ticker *t, FILE *stream);
// Is it time to show something?
bool ticker_due(const struct ticker *t, uint64_t now_ns);
// The screen for lines of progress; its width is 0 if there is no terminal.
struct screen ticker_screen(const struct ticker *t);
// Each line is cut to the width of the terminal, and then ends with an ellipsis.
void ticker_show(struct ticker *t, const char *lines, uint64_t now_ns);
// Takes the lines away, so that something else can be written.
void ticker_clear(struct ticker *t);
