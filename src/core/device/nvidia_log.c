// Reads ptxas's report line by line: numbers stand in front of their words, and a line that names a
// kernel says whose the lines behind it are.
#include "device/nvidia_log.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY      "Compiling entry function '"
#define PROPERTIES "Function properties for "

struct fact {
    const char *unit; // what follows the number
    size_t member;
};

static const struct fact facts[] = {
    {" registers", offsetof(struct resources, registers)},
    {" bytes smem", offsetof(struct resources, local_bytes)},
    {" bytes spill stores", offsetof(struct resources, spill_bytes)},
    {" bytes stack frame", offsetof(struct resources, private_bytes)},
    {" bytes cmem[", offsetof(struct resources, constant_bytes)},
};

// The number that ends right in front of `at`; false when there is none.
static bool number_before(const char *line, const char *at, int64_t *out)
{
    const char *first = at;
    while (first > line && isdigit((unsigned char)first[-1]))
        first--;
    *out = strtoll(first, NULL, 10);
    return first < at;
}

// Constant memory comes in several banks, which add up; everything else is said once.
static void read_line(const char *line, struct resources *out)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        int64_t *member = (int64_t *)((char *)out + facts[i].member), sum = 0, n;
        bool found = false;
        const char *at = line;
        while ((at = strstr(at, facts[i].unit))) {
            if (number_before(line, at, &n)) {
                sum += n;
                found = true;
            }
            at++;
        }
        if (found)
            *member = sum;
    }
}

static bool names(const char *line, const char *marker, const char *kernel, bool *is_it)
{
    const char *at = strstr(line, marker);
    if (!at)
        return false;
    size_t n = strlen(kernel);
    at += strlen(marker);
    *is_it = strncmp(at, kernel, n) == 0 && !isalnum((unsigned char)at[n]) && at[n] != '_';
    return true;
}

void nvidia_log_resources(const char *log, const char *kernel, struct resources *out)
{
    struct text copy = TEXT_INIT;
    char *rest = NULL;
    bool inside = false;
    text_add(&copy, log);
    for (char *line = copy.data ? strtok_r(copy.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        bool heading = names(line, ENTRY, kernel, &inside);
        heading = names(line, PROPERTIES, kernel, &inside) || heading;
        if (inside && !heading)
            read_line(line, out);
    }
    text_release(&copy);
}

bool nvidia_log_is_limit(const char *line)
{
    return strstr(line, "uses too much shared data") || strstr(line, "uses too much local data") ||
           strstr(line, "uses too much parameter");
}
