// Opened at run time, as drivers are: linked, it would have every start of hone load the eleven libraries that it brings
// (GnuTLS among them), and hone would not start without it.
#include "serve/microhttpd.h"

#include <dlfcn.h>
#include <string.h>

static bool find_function(void *library, const char *name, void *member, struct error *e)
{
    void *symbol = dlsym(library, name);
    // memcpy: ISO C knows no conversion of a pointer to data to one to a function
    memcpy(member, &symbol, sizeof symbol);
    return symbol || error_set(e, ERROR_IO, "%s lacks %s", MICROHTTPD_LIBRARY, name);
}

bool microhttpd_open(struct microhttpd *m, struct error *e)
{
    void *library = dlopen(MICROHTTPD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(e, ERROR_IO,
                         "a page is served by the library %s, which cannot be opened (%s); install "
                         "it (Debian, Ubuntu: apt install libmicrohttpd12), or leave --live away",
                         MICROHTTPD_LIBRARY, dlerror());
    bool ok = true;
#define X(member, name, type, parameters) ok = ok && find_function(library, #name, &m->member, e);
    HTTPD_FUNCTIONS(X)
#undef X
    return ok;
}
