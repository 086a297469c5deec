// Help in layers, man pages and shell completion, all from the tables of commands, options and topics.
#pragma once

#include "cli/cli.h"

// "hone tune SPEC [options]"
void help_usage(const struct command *c, struct text *out);
// `hone COMMAND --help`: usage, three examples, the options one needs most; HELP_LINES lines at most.
#define HELP_LINES 40
void help_brief(const struct command *c, struct text *out);
// `hone COMMAND --help --all`: everything.
void help_command(const struct command *c, struct text *out);
void help_overview(struct text *out);

// ---- topics ----

// A topic too long for any command's help: `hone help NAME`, and a page of the manual.
struct help_topic {
    const char *name;
    const char *summary; // one line
    int section;         // of the manual: 5 for a file's format, else 7
    uint32_t most;       // words that may stand behind the name
    // Paragraphs, as of struct command's description; `words` end with NULL. False: the words make no sense, and
    // it was said why.
    bool (*show)(const char *const *words, struct text *out);
    const char *page; // (optional) the word behind the name for its page of the manual
};
const struct help_topic *help_topics(void); // ends with a NULL name
const struct help_topic *help_topic_find(const char *name);
// Behind `spec` a key may stand, or this for the long form's keys as well, as its page has them.
#define HELP_SPEC_ALL "all"
bool help_spec(const char *const *words, struct text *out);       // as of `show`
bool help_strategies(const char *const *words, struct text *out); // as of `show`

// Paragraphs on what the command writes as JSON, field by field.
void help_json(const struct command *c, struct text *out);
// Paragraphs as of struct command's description, wrapped.
void help_paragraphs(const char *body, struct text *out);
// Adds `words` in lines of at most `width` columns, each after `indent` blanks; the first line is
// begun already at column `at`.
void help_wrap(const char *words, size_t length, size_t at, size_t indent, size_t width,
               struct text *out);

// ---- the manual and completion ----

// Pages in troff's man macros: hone(1), hone-tune(1), hone-ranking(7).
void help_man(struct text *out);
void help_man_command(const struct command *c, struct text *out);
bool help_man_topic(const struct help_topic *t, struct text *out);
// Writes all of them into man1, man5 and man7 of a folder.
bool help_man_pages(const char *folder, struct error *e);

// The script that makes a shell ask `hone help --print words`; NULL: no such shell.
#define HELP_SHELLS "bash|zsh|fish"
const char *help_completion(const char *shell);

// Help that applies to all subcommands.
struct help_entry {
    const char *name, *meaning;
};
const struct help_entry *help_environment(void); // ends with NULL
const struct help_entry *help_statuses(void);
const struct help_entry *help_files(void);
