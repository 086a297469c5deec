// Finds what was installed with hone, wherever the tree was moved since: from the file that this
// code was loaded from, by paths relative to it. For a shared libhone that is the library's file,
// which dladdr() names. For a program (hone itself, or an application that contains a static
// libhone) it is /proc/self/exe, because dladdr() knows no more of a program than the name that it
// was called by.
#include "os/beside.h"

#include "base/text.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool beside_program(char out[BESIDE_PATH_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", out, BESIDE_PATH_SIZE - 1);
    out[length > 0 ? length : 0] = '\0';
    return length > 0;
}

void beside_folder(char out[BESIDE_PATH_SIZE])
{
    static const char here = 0;
    Dl_info own = {0}, program = {0};
    bool in_library = dladdr(&here, &own) != 0 &&
                      dladdr((const void *)getauxval(AT_ENTRY), &program) != 0 &&
                      own.dli_fbase != program.dli_fbase;
    if (in_library)
        str_format(out, BESIDE_PATH_SIZE, "%s", own.dli_fname);
    else
        beside_program(out);
    char *slash = strrchr(out, '/');
    *(slash ? slash + 1 : out) = '\0';
}

bool beside_worker(char out[BESIDE_PATH_SIZE])
{
    // Seen from the folder of a build, of an installed program, and of an installed library.
    static const char *const places[] = {"hone-worker", HONE_WORKER_FROM_PROGRAM,
                                         HONE_WORKER_FROM_LIBRARY};
    char folder[BESIDE_PATH_SIZE];
    beside_folder(folder);
    for (size_t i = 0; folder[0] && i < sizeof places / sizeof *places; i++) {
        str_format(out, BESIDE_PATH_SIZE, "%s%s", folder, places[i]);
        if (access(out, X_OK) == 0)
            return true;
    }
    return false;
}
