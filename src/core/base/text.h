// A growable, always terminated byte string, and the few string helpers everybody needs.
#pragma once

#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

// Adding never reports: `failed` is sticky, check it once at the end. A failed text keeps what it
// had. data is never NULL once something was added and not failed; text_cstr() is never NULL.
struct text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

#define TEXT_INIT                                                                                  \
    {                                                                                              \
        .data = NULL                                                                               \
    }

void text_release(struct text *t);
void text_clear(struct text *t); // keeps the memory
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const void *bytes, size_t length);
void text_addc(struct text *t, char c);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vaddf(struct text *t, const char *format, va_list args);
// A word as a shell reads it back: quoted where it must be.
void text_add_shell(struct text *t, const char *word);
void text_add_csv(struct text *t, const char *field); // quoted where it must be
const char *text_cstr(const struct text *t);
// Its copy in the arena, NULL when it failed or without memory; releases the text.
char *text_to_arena(struct text *t, struct arena *a);
// Gives the buffer away (free() it) and empties the text; NULL when the text failed.
char *text_steal(struct text *t);

// Reads a whole regular file, at most `limit` bytes (0: 1 GiB), into `out`, whose earlier content
// is replaced; empty after a failure. Pipes and devices are refused: nothing is waited for.
bool file_read(const char *path, size_t limit, struct text *out, struct error *e);
// The same for a file that is text: one that holds a NUL byte is refused, as str_has_no_nul() does.
bool file_read_text(const char *path, size_t limit, struct text *out, struct error *e);
// Creates a folder and its missing parents (mode 0777 less umask); existing is fine.
bool folder_make(const char *path, struct error *e);
// Removes a folder tree; best effort, follows no links.
void folder_remove(const char *path);

// As snprintf() into `out`, but a text that does not fit ends in "...", never inside a UTF-8
// character. `size` is at least 4.
void str_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void str_vformat(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

bool str_equal(const char *a, const char *b);        // NULL equals NULL only
bool str_equal_nocase(const char *a, const char *b); // ASCII
bool str_starts(const char *s, const char *prefix);
// Is `word` in the list, which ends in NULL?
bool str_listed(const char *const *list, const char *word);
bool str_contains_nocase(const char *s, const char *part);
// The length of the byte order mark that some editors put in front of UTF-8; 0: there is none.
size_t str_mark_length(const char *text, size_t length);
// False, and the error says where, if the text holds a NUL byte: a C string ends there, its length
// goes on. `name` is the file or what else it came from.
bool str_has_no_nul(const char *name, const char *text, size_t length, struct error *e);
// Edit distance (insert, delete, substitute, transpose neighbours), ASCII case folded.
size_t str_distance(const char *a, const char *b);
// The name nearest to `name`, or NULL when none is near enough to suggest (distance above a third
// of the longer length, at least 1, or nothing in common). The first one wins a tie.
const char *str_nearest(const char *name, const char *const *names, size_t count);

// The UTF-8 character at `s`, which ends in a NUL: its bytes, and its number in *code. 0 where the
// bytes there are none (overlong, surrogate, beyond U+10FFFF, cut off).
size_t utf8_character(const char *s, uint32_t *code);
// Is it one that a terminal obeys instead of showing it: C0, DEL, C1, line and paragraph
// separators, and what changes the direction of text?
bool utf8_is_control(uint32_t code);
// Appends the text with what a terminal would obey made visible, as "\x1b" or "\u202e", and bytes
// that are no UTF-8. Line ends and tabs stay with `lines`; without, a name can forge no line.
void text_add_visible(struct text *t, const char *s, size_t length, bool lines);
// Appends before, the name as it is shown within a line, and after.
void text_add_name(struct text *t, const char *before, const char *name, const char *after);

// Whole-string conversions: no sign for the unsigned, no blanks, no rest; false on overflow, and
// `out` is then unchanged. Independent of the locale; a double is decimal, "inf" or "nan".
bool str_to_i64(const char *s, int64_t *out);
bool str_to_u64(const char *s, uint64_t *out);
bool str_to_f64(const char *s, double *out);
// Turns the decimal point of whatever locale (it may be several bytes) in what printf wrote into '.'.
void str_dot_decimal(char *number);
// "90", "1.5s", "200ms", "3m", "2h" (bare numbers are seconds) -> nanoseconds.
bool str_to_duration_ns(const char *s, uint64_t *out);
// The shortest decimal text that reads back as the same double, always with a point or exponent
// ("1.0", "0.1", "1e+300", "inf", "nan"). `out` has at least 32 bytes.
void f64_to_str(double value, char *out);

// 1234567 ns -> "1.235 ms": four significant digits, unit chosen. `out` has at least 32 bytes.
void duration_to_str(double ns, char *out);
