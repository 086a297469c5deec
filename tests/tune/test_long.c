// A long tune: hone keeps what it must of each configuration and nothing else grows. Five thousand
// of them with a worker that runs nothing: memory, descriptors, processes and time of hone itself.
#include "../base/suite.h"
#include "base/text.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CONFIGURATIONS = 5000,
    EVERY = 1000,
    LOOKS = CONFIGURATIONS / EVERY,
    // A record with its configuration's texts, its result and samples, its places in the indices.
    // Measured on x86-64: 2,110.
    MOST_BYTES_EACH = 4000,
    SETTLING = 200 // records before a look in which descriptors and children are counted
};

#ifdef __SANITIZE_ADDRESS__
static const bool memory_tells = false;
#else
static const bool memory_tells = true;
#endif

// One of the last two thousands, in times of the second: what grows with each configuration takes 2.3 times as
// long in the fourth, and a machine that is busy for a moment lengthens one of them alone.
#define SLOWEST 1.5

struct look {
    long resident_kib;
    unsigned descriptors, children, most_children; // the least, and the most, before it
    unsigned long long cpu_ns;
};

static char folder[] = "/tmp/hone-long-XXXXXX";
static char store_file[64];

static void setup(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
    setenv("HONE_WORKER", FAKE_WORKER, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("HONE_LOCKS", folder, 1); // other tests are not waited for
}

static void teardown(void)
{
    folder_remove(folder);
}

// ---- looking -----------------------------------------------------------------------------------

static void read_proc(pid_t pid, const char *name, struct text *out)
{
    char path[96];
    struct error e = ERROR_INIT;
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    ck_assert_msg(file_read(path, 0, out, &e), "%s", e.text);
}

static long resident_kib(pid_t pid)
{
    struct text status = TEXT_INIT;
    long kib = -1;
    read_proc(pid, "status", &status);
    const char *line = strstr(text_cstr(&status), "VmRSS:");
    ck_assert(line && sscanf(line, "VmRSS: %ld", &kib) == 1);
    text_release(&status);
    return kib;
}

static unsigned count_descriptors(pid_t pid)
{
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *d = opendir(path);
    const struct dirent *entry;
    ck_assert_ptr_nonnull(d);
    while ((entry = readdir(d)))
        count += entry->d_name[0] != '.';
    closedir(d);
    return count;
}

static unsigned count_children(pid_t pid)
{
    char name[64];
    struct text list = TEXT_INIT;
    unsigned count = 0;
    snprintf(name, sizeof name, "task/%ld/children", (long)pid);
    read_proc(pid, name, &list);
    for (const char *c = text_cstr(&list); *c; c++)
        count += *c == ' ';
    text_release(&list);
    return count;
}

static unsigned long long cpu_ns(pid_t pid)
{
    struct text stat = TEXT_INIT;
    unsigned long long ns = 0;
    read_proc(pid, "schedstat", &stat);
    ck_assert_int_eq(sscanf(text_cstr(&stat), "%llu", &ns), 1);
    text_release(&stat);
    return ns;
}

static const struct look NOT_SETTLED = {.descriptors = UINT_MAX, .children = UINT_MAX};

// The device's lock and a worker that starts or ends come and go: what stays is between the least
// and the most of some moments.
static void final_ranking(struct look *l, pid_t pid)
{
    unsigned descriptors = count_descriptors(pid), children = count_children(pid);
    l->descriptors = descriptors < l->descriptors ? descriptors : l->descriptors;
    l->children = children < l->children ? children : l->children;
    l->most_children = children > l->most_children ? children : l->most_children;
}

// ---- running -----------------------------------------------------------------------------------

// hone with its output in a pipe: it waits while it is looked at.
static pid_t start(int *output)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl(HONE_BINARY_DIR "/hone", "hone", "tune", "--json",
              HONE_SOURCE_DIR "/tests/tune/data/thousand.json", "--set", "COUNT=5000", "--store",
              store_file, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return child;
}

static unsigned watch(pid_t child, FILE *output, struct look looks[LOOKS])
{
    char *line = NULL;
    size_t room = 0;
    unsigned results = 0, looked = 0;
    struct look settled = NOT_SETTLED;
    while (getline(&line, &room, output) > 0) {
        if (strncmp(line, "{\"type\":\"result\"", 16) != 0)
            continue;
        results++;
        if (results % EVERY >= EVERY - SETTLING)
            final_ranking(&settled, child);
        if (results % EVERY != 0 || looked == LOOKS)
            continue;
        settled.resident_kib = resident_kib(child);
        settled.cpu_ns = cpu_ns(child);
        looks[looked++] = settled;
        settled = NOT_SETTLED;
    }
    free(line);
    ck_assert_uint_eq(looked, LOOKS);
    return results;
}

static void print_looks(const struct look *looks)
{
    for (int i = 0; i < LOOKS; i++)
        printf("%d configurations: %ld KiB, %u descriptors, %u workers, %.1f ms of CPU\n",
               (i + 1) * EVERY, looks[i].resident_kib, looks[i].descriptors, looks[i].children,
               (double)looks[i].cpu_ns / 1e6);
}

START_TEST(nothing_grows_without_need)
{
    int fd, status = 0;
    struct look looks[LOOKS];
    pid_t child = start(&fd);
    FILE *output = fdopen(fd, "r");
    ck_assert_ptr_nonnull(output);
    unsigned results = watch(child, output, looks);
    fclose(output);
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_uint_ge(results, CONFIGURATIONS);
    print_looks(looks);
    const struct look *first = &looks[0], *last = &looks[LOOKS - 1];
    ck_assert_uint_eq(last->descriptors, first->descriptors);
    ck_assert_uint_le(last->children, first->most_children);
    long grown = (last->resident_kib - first->resident_kib) * 1024;
    printf("%ld bytes a configuration\n", grown / (CONFIGURATIONS - EVERY));
    if (memory_tells)
        ck_assert_int_le(grown, (long)MOST_BYTES_EACH * (CONFIGURATIONS - EVERY));
    else
        printf("skipped: a sanitizer's memory says nothing about hone's\n");
    double second = (double)(looks[1].cpu_ns - looks[0].cpu_ns);
    double fourth = (double)(looks[3].cpu_ns - looks[2].cpu_ns);
    double fifth = (double)(looks[4].cpu_ns - looks[3].cpu_ns);
    printf("the fourth thousand took %.2f times the second, the fifth %.2f times\n",
           fourth / second, fifth / second);
    ck_assert(fmin(fourth, fifth) <= SLOWEST * second);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 250);
    tcase_add_test(tests, nothing_grows_without_need);
}

int main(void)
{
    if (access(HONE_BINARY_DIR "/hone", X_OK) != 0) {
        printf("skipped: no hone in the build folder\n");
        return 77;
    }
    return suite_run("long", add);
}
