// What tests of whole tunes with the fake worker share: a folder of the test's own, the worker, and
// its devices.
#ifndef HONE_TESTS_TUNE_FIXTURE_H
#define HONE_TESTS_TUNE_FIXTURE_H

#include "worker/protocol.h"

extern const char *const worker[];
extern char folder[64]; // of this test alone
extern char folder_variable[96], store_file[128];
extern const char *environment[]; // folder_variable alone
extern struct arena arena;
extern struct device_report report; // in the arena

void setup(void);
void teardown(void);

#endif
