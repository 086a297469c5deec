// best SPEC STORE: the best configuration that the store knows, and its time.
#include <hone/hone.h>

#include <cstdio>
#include <vector>

int main(int argc, char **argv)
{
    const char *const set[] = {"WIDTH=64", nullptr};
    hone_error e = HONE_ERROR_INIT;
    double median = 0;
    char text[256] = "";
    hone_spec_options o = HONE_SPEC_OPTIONS_INIT;
    o.set = set;
    hone_spec *spec = argc == 3 ? hone_spec_load(argv[1], &o, &e) : nullptr;
    hone_store *store = spec ? hone_store_open(argv[2], HONE_STORE_READ, &e) : nullptr;
    bool found = false;
    if (store) {
        std::vector<uint32_t> configuration(hone_spec_parameters(spec));
        found = hone_store_best(store, spec, nullptr, configuration.data(), &median, &e);
        hone_spec_text(spec, configuration.data(), text, sizeof text);
    }
    std::printf("%s: %.0f ns\n", text, median);
    if (!found)
        std::fprintf(stderr, "nothing was found. %s\n", e.text);
    hone_store_close(store);
    hone_spec_free(spec);
    return found && median > 0 ? 0 : 1;
}
