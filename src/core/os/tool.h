// A program run to its end, for what it prints.
#pragma once

#include "base/text.h"

// The file that a name means: the name itself where it has a slash, else the first
// executable in PATH. False where there is none.
bool tool_find(const char *name, struct text *path);

// Runs argv[0], a path, without a shell, and adds what it prints on either descriptor to `printed`
// (at most the first MiB). *status as waitpid() gives it. The program speaks English (LC_ALL=C),
// reads nothing, and stays in the caller's process group: what stops or kills that reaches it too.
// False: it cannot be started.
bool tool_run(const char *const *argv, struct text *printed, int *status, struct error *e);
