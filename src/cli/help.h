// Help, the man page and shell completion, all from the tables of commands and options.
#ifndef HONE_CLI_HELP_H
#define HONE_CLI_HELP_H

#include "cli/cli.h"

// "hone tune SPEC [options]"
void help_usage(const struct command *c, struct text *out);
void help_command(const struct command *c, struct text *out);
void help_overview(struct text *out);
// hone(1) in troff's man macros.
void help_man(struct text *out);
// The strategies with their options: paragraphs as of struct command's description.
void help_strategies(struct text *out);
// Paragraphs as of struct command's description, wrapped.
void help_paragraphs(const char *body, struct text *out);
// For bash: source it, or put it into its folder of completions.
void help_completion(struct text *out);

// What holds for all subcommands.
struct help_entry {
    const char *name, *meaning;
};
const struct help_entry *help_environment(void); // ends with NULL
const struct help_entry *help_statuses(void);
const struct help_entry *help_files(void);

// Adds `words` in lines of at most `width` columns, each after `indent` blanks; the first line is
// begun already at column `at`.
void help_wrap(const char *words, size_t length, size_t at, size_t indent, size_t width,
               struct text *out);

#endif
