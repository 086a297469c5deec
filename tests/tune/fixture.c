#include "fixture.h"

#include "os/process.h"
#include "runner/evaluator.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

const char *const worker[] = {FAKE_WORKER, NULL};
char folder[64], folder_variable[96], store_file[128];
const char *environment[] = {folder_variable, NULL};
struct arena arena;
struct device_report report;

void setup(void)
{
    struct error e = ERROR_INIT;
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(folder_variable, sizeof folder_variable, "FAKE_FOLDER=%s", folder);
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
    arena_init(&arena);
    ck_assert_msg(live_devices(&(struct place){.worker = worker, .environment = environment},
                               LANGUAGES_ALL, &arena, &report, NULL, 0, &e),
                  "%s", e.text);
}

void teardown(void)
{
    arena_release(&arena);
    folder_remove(folder);
}
