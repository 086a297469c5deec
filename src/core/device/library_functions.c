// Fills a table of a library's functions by their names.
#include "device/routine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const char *library_functions(void *library, const struct library_function *functions, size_t count,
                              void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, functions[i].symbol);
        if (!symbol && !functions[i].optional)
            return functions[i].symbol;
        // POSIX gives function pointers as void *; the sizes are the same.
        memcpy((char *)table + functions[i].offset, &symbol, sizeof symbol);
    }
    return NULL;
}

void library_one_queue(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
}
