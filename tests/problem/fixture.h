// A spec made of texts, in a folder of its own that is removed afterwards.
#ifndef HONE_TESTS_SPEC_FIXTURE_H
#define HONE_TESTS_SPEC_FIXTURE_H

#include "base/text.h"
#include "problem/spec.h"

#include <stdint.h>

struct fixture {
    char folder[64];
    struct spec *spec;
    struct spec_sources *sources;
    struct text warnings; // one a line
    struct error error;
};

// Makes the folder.
void fixture_start(struct fixture *f);
// Writes a file into the folder, with its parent folders.
void fixture_file(struct fixture *f, const char *name, const char *text);
// Loads spec.json of the folder; fails the test when that fails.
void fixture_load(struct fixture *f, const char *spec_text);
// Reads the sources; fails the test when that fails.
void fixture_sources(struct fixture *f, enum language l);
// The job of a configuration "a=1,b=2", others at their default; fails the test when that fails.
struct job *fixture_job(struct fixture *f, const char *configuration,
                        const struct device_info *device);
void fixture_end(struct fixture *f);

// Does the program have this -D word?
bool program_has(const struct job_program *p, const char *word);

#endif
