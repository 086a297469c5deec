#include "hiding.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *hidden;

void *dlopen(const char *name, int flags)
{
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    void *(*open)(const char *, int);
    char nowhere[128];
    memcpy(&open, &symbol, sizeof open);
    if (!name || !hidden || !strstr(name, hidden))
        return open(name, flags);
    snprintf(nowhere, sizeof nowhere, "/nowhere/%.100s", name);
    return open(nowhere, flags);
}
