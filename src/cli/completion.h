// Completion: what may stand at the end of a command line, by the tables of commands, options and topics. The
// shells' scripts (help_completion.c) ask for it with `hone help --print words`.
#pragma once

#include "base/text.h"

// The context of completing an option's value; for `offer` of struct option.
struct completion {
    const char *value;  // as far as it is typed: behind "--name=", behind the last comma of a list
    const char *before; // what of the word stands in front of it, "--config=block=32,"
    const char *spec;   // (or NULL) the file that the command line names
    struct text *out;
};

// Adds a candidate, if it begins with what is typed; `meaning` may be NULL.
void completion_offer(const struct completion *c, const char *candidate, const char *meaning);

// For `offer`.
void offer_strategies(const struct completion *c);
void offer_rules(const struct completion *c);      // "rounds="
void offer_statuses(const struct completion *c);   // of failures
void offer_devices(const struct completion *c);    // asks a worker
void offer_constants(const struct completion *c);  // of the spec: "WIDTH="
void offer_parameters(const struct completion *c); // of the spec: "block=", then its values
void offer_names(
    const struct completion *c); // of the spec: parameters and constants, for an expression
void offer_objectives(const struct completion *c); // time, and the spec's metrics

// Candidates for the last of `words`, which stand behind the program's name: a line each, "word<TAB>meaning". A line
// "@files json gz" asks for the names of folders and of files with these endings, "@files" of any.
void completion_list(const char *const *words, uint32_t count, struct text *out);
