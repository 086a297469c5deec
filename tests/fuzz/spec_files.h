// The files that a spec under test may read: only these, whatever paths it names. Each is a file without
// a name, which the program's own readers read; linked with --wrap=open and --wrap=stat, so that
// nothing else of the machine is opened or asked for.
#ifndef HONE_TESTS_FUZZ_SPEC_FILES_H
#define HONE_TESTS_FUZZ_SPEC_FILES_H

#include <stddef.h>
#include <stdint.h>

#define SPEC_FILE     "spec.json"
#define SPEC_PART_END "\n%%\n"

// Parts of the input, separated by SPEC_PART_END: the spec, kernels, included files (*.h), data files
// (*.npy, *.bin). What is missing is empty. Each may hold any byte.
enum spec_part { PART_SPEC, PART_KERNEL, PART_INCLUDE, PART_DATA, PART_COUNT };

// The bytes stay the caller's. Until the end the fuzzer itself sees no files either.
void spec_files_begin(const uint8_t *data, size_t size);
void spec_files_end(void);

#endif
