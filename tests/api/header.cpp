// The public header in C++, from C++11 on: with its macros, and linked.
#include <hone/hone.h>

#include <cstring>

int main()
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    const hone_error constant = HONE_ERROR_INIT;
    hone_progress p = HONE_PROGRESS_INIT;
    hone_query q = HONE_QUERY_INIT;
    o.budget = "1";
    bool ok = o.size == sizeof(hone_tune_options) && o.spec == nullptr && o.seed == 0 &&
              p.size == sizeof p && q.size == sizeof q && hone_check_version(HONE_VERSION_NUMBER, &e) &&
              e.code == HONE_ERROR_NONE && constant.text[0] == 0;
    ok = ok && hone_tune_new(&o, &e) == nullptr && e.code == HONE_ERROR_USAGE;
    return ok && std::strlen(hone_version()) > 0 ? 0 : 1;
}
