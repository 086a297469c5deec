// Running the program as a user does, in a folder of the test's own.
#ifndef HONE_TESTS_CLI_PROGRAM_H
#define HONE_TESTS_CLI_PROGRAM_H

#include <stdbool.h>

struct ran {
    int status; // exit status; -1: by a signal
    char *out, *err;
};

// The program with these words (NULL-terminated); `redirect` (or NULL) is the file that takes
// stdout.
struct ran program_run_to(const char *redirect, const char *const *words);
#define program_run(...) program_run_to(NULL, (const char *const[]){__VA_ARGS__, NULL})
void ran_release(struct ran *r);

// Starts it, with a cold compiler cache, and sends SIGINT once stderr or stdout has `text`.
struct ran program_interrupt(const char *text, const char *const *words);

// Text that a user types, with a word in it as hone writes it there for a shell; until the next call.
const char *program_typed(const char *before, const char *word, const char *after);

// A fresh folder that data, caches and temporary files go to, until program_folder_remove().
const char *program_folder(void);
void program_folder_remove(void);
// Is there an OpenCL device?
bool program_has_device(void);

#endif
