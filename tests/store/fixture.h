// What the tests of the store share: a folder that goes away, small jobs and results, one suite.
#ifndef HONE_TESTS_STORE_FIXTURE_H
#define HONE_TESTS_STORE_FIXTURE_H

#include "base/text.h"
#include "store/store.h"

#include <check.h>
#include <stdlib.h>

// A new folder, the working directory of the test from then on; removed by folder_leave().
void folder_enter(void);
void folder_leave(void);

// The device that all test jobs ran on.
extern const struct device_info test_device;

// Job number `i`: one program with one include, "-DBLOCK=i". The caller frees it.
struct job *job_make(unsigned i);
void key_of(unsigned i, struct digest *key);

// A correct, settled result of seven samples: 1000 + i, ... The caller frees it.
struct result *result_make(unsigned i);
extern const struct policy test_policy; // seven launches, not fixed, warm

// Opens or fails the test with the message.
struct store *store_make(const char *path);
void begin(struct store *s, const char *spec_name);
// Puts or fails the test. put_result() takes the result.
void put_result(struct store *s, unsigned i, const struct policy *policy, struct result *r);
void put(struct store *s, unsigned i);
bool put_quietly(struct store *s, unsigned i, struct error *e);

// What answers a search under test_policy.
struct result *find_one(struct store *s, const struct digest *key, struct error *e);

// One number from the file by SQL, through a connection of its own.
long long ask(const char *path, const char *sql);

int store_suite_run(const char *name, void (*add)(TCase *tests));

#endif
