// Options as tables. Parsing, help text, the man page and completion are all made from them, so
// that none of these can know an option that another does not.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

struct completion;

struct option {
    const char *name; // without the dashes
    // "NAME"; NULL: a flag. Completion offers the words of "t4|cache|csv", and files for FILE and
    // SPEC.
    const char *argument;
    const char *brief; // (optional) a few words: one of the options that --help alone shows
    const char *help;
    // Reads `value` (NULL for a flag, or left out) into the field at `offset` of the struct that
    // the group fills. The error says what would be right; the option's name is put in front.
    bool (*apply)(void *field, const char *value, struct error *e);
    size_t offset;
    // (optional: by `argument`) Offers values for completion.
    void (*offer)(const struct completion *c);
    // (optional: never) Of an argument that may be left out: is the next word what was meant by it?
    // Then it is refused, and the error says to write "=".
    bool (*is_meant)(const char *word);
    // (optional) Which options it does not go with, and which it needs (one of a line is enough): lines of
    // "all, device=all, store!=none: why". A name that the command does not have is ignored.
    const char *excludes, *needs;
    char letter;   // short form; 0: none
    bool optional; // the argument may be left out, and is only taken after "="
    bool is_list;  // the field is a struct list
};

// The beginning of a row.
#define OPTION(name_, argument_, apply_, offset_)                                                  \
    .name = (name_), .argument = (argument_), .apply = (apply_), .offset = (offset_)

// Options that belong together under a title; `options` ends with a NULL name. A list of groups
// ends with a NULL title; neighbours with one title are shown as one group.
struct option_group {
    const char *title;
    const struct option *options;
    size_t at; // where its struct stands in the settings of the command
};

// Texts given by an option that may be repeated.
struct list {
    const char **items; // and a NULL behind them; NULL: there are none
    uint32_t count;
};
void list_release(struct list *l);

// For `apply`.
bool option_flag(void *field, const char *value, struct error *e); // bool
bool option_text(void *field, const char *value, struct error *e); // const char *
bool option_once(void *field, const char *value,
                 struct error *e); // the same; a second one is refused
bool option_list(void *field, const char *value, struct error *e);  // struct list
bool option_count(void *field, const char *value, struct error *e); // uint32_t, at least 1
bool option_seed(void *field, const char *value, struct error *e);  // uint64_t
// For these, a whole number of these bounds.
bool option_number(uint32_t *number, const char *value, uint32_t least, uint32_t most,
                   struct error *e);
// "compile,timeout": a mask of 1 << status, of failures; all of them where it is left out.
bool option_statuses(void *field, const char *value, struct error *e);
bool option_is_statuses(const char *word); // uint32_t

extern const struct option help_options[]; // --help, which every command has

const struct option *option_find(const struct option_group *groups, const char *name);
// Does a title stand before this one of `groups`? Not where it goes on with the one before it.
bool option_group_begins(const struct option_group *groups, const struct option_group *g);

// Reads argv[0 .. argc) into `settings`; arguments that are not options go to `rest` (room for argc). After
// "--" nothing is an option. Unknown options are refused with the nearest known one, and without --help what rows
// exclude or need. *help is set by --help.
bool options_parse(const struct option_group *groups, int argc, char *const *argv, void *settings,
                   bool *help, const char **rest, uint32_t *rest_count, struct error *e);
// The field of an option in settings, by its row; NULL: the command has no such option.
void *option_field(const struct option_group *groups, void *settings, const struct option *row);
// Frees the lists in settings.
void options_release(const struct option_group *groups, void *settings);
