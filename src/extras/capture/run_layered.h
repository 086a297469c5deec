// Runs a program with the layer in it.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

// Makes the folder for it, of mode 0700, with its counts. False: it holds something, or cannot be made.
bool layered_folder(const char *folder, struct error *e);
// Removes what that made, for a run of which nothing came: the next try finds no folder. What others wrote there stays.
void layered_folder_drop(const char *folder);

struct layered_run {
    const char *const *settings; // "HONE_CAPTURE_LIMIT=...", ends with NULL
    const char *folder;          // absolute
    const char *const *argv;     // of the program; ends with NULL
    const struct text *output;   // NULL; else its standard output goes there
    bool plain;                  // without the layer
};

struct layered_end {
    int status; // as waitpid() gives it
    double wall_s, cpu_s;
};

// Waits for its end; what the terminal sends (Ctrl-C) goes to the program, and this goes on. False: it cannot be started.
bool layered_run(const struct layered_run *r, struct layered_end *out, struct error *e);
