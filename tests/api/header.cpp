// The public header in C++, from C++11 on: with its macros, and linked.
#include <hone/hone.h>

#include <cstring>

int main()
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    const hone_error constant = HONE_ERROR_INIT;
    o.budget = "1";
    bool ok = o.size == sizeof(hone_tune_options) && o.spec == nullptr && o.seed == 0 &&
              e.code == HONE_ERROR_NONE && constant.text[0] == 0;
    ok = ok && hone_tune_new(&o, &e) == nullptr && e.code == HONE_ERROR_USAGE;
    return ok && std::strlen(hone_version()) > 0 ? 0 : 1;
}
