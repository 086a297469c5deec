// Recorded spaces from texts, for tests.
#ifndef HONE_TESTS_EXCHANGE_MAKE_H
#define HONE_TESTS_EXCHANGE_MAKE_H

#include "recorded/recorded.h"

#include <check.h>

// Reads the text as a file called "t.json", or fails the test with the message.
struct recorded *parse(const char *text, const struct recorded_options *o);
// The message with which the text is refused; the test fails when it is not. Static memory.
const char *refusal(const char *text, const struct recorded_options *o);
// A spec with one parameter list: name, values and count, name, ... up to NULL.
struct spec *spec_of(const char *text);

// The value that a row has for a parameter, as Python prints it. Static memory.
const char *value_of(const struct recorded *r, uint64_t row, const char *parameter);

// Notes of the reader, a line each.
struct notes {
    char text[2048];
};
struct log notes_log(struct notes *n);

#endif
