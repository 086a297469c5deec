// A command of the user's: run to its end without a shell, in a folder, for what it prints.
#pragma once

#include "base/text.h"

#include <jansson.h>
#include <stdint.h>

// Paths that replace {program} and {output} in a word; NULL: it does not stand there.
struct command_places {
    const char *program, *output;
};

struct command_end {
    struct text printed; // on descriptor 1, whole: at most 64 MiB
    struct text said;    // the last of both descriptors, as it came: at most 32 KiB
    int status;          // as waitpid() gives it
    uint64_t took_ns;
};

// Runs the words, a list of texts, in `folder` and ends what they leave running. The command stays in the caller's process
// group. False: it cannot be started.
bool command_run(const json_t *words, const struct command_places *places, const char *folder,
                 struct command_end *out, struct error *e);
// Its last line that is not blank, at most `size` bytes of it; "" if it printed nothing.
void command_last_line(const struct command_end *c, char *out, size_t size);
void command_release(struct command_end *c);
