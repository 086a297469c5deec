// tune SPEC STORE: tunes a few configurations of a spec into a store, and prints what became of each.
#include <hone/hone.h>

#include <stdio.h>

static int tune_it(const struct hone_tune_options *o, struct hone_error *e)
{
    struct hone_tune *tune = hone_tune_new(o, e);
    const struct hone_record *r;
    enum hone_answer answer = tune ? HONE_NOTHING : HONE_BROKEN;
    int correct = 0;
    while (answer != HONE_END && answer != HONE_BROKEN) {
        answer = hone_tune_step(tune, 100, &r, e);
        if (answer != HONE_RECORD)
            continue;
        correct += hone_record_status(r) == HONE_CORRECT;
        printf("%s: %s %s\n", hone_record_configuration(r), hone_status_text(hone_record_status(r)),
               hone_record_message(r));
    }
    hone_tune_free(tune);
    return answer == HONE_END && correct > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const char *const set[] = {"WIDTH=64", NULL};
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    struct hone_spec_options so = HONE_SPEC_OPTIONS_INIT;
    so.set = set;
    bool is_fit = argc == 3 && hone_check_version(HONE_VERSION_NUMBER, &e);
    struct hone_spec *spec = is_fit ? hone_spec_load(argv[1], &so, &e) : NULL;
    struct hone_devices *devices = spec ? hone_devices_list(NULL, &e) : NULL;
    int status = 1;
    o.spec = spec;
    o.device = devices ? hone_devices_pick_for(devices, spec, NULL, NULL, &e) : NULL;
    o.store = o.device ? hone_store_open(argv[2], HONE_STORE_WRITE, &e) : NULL;
    o.budget = "2";
    o.iterations = 1;
    if (o.store)
        status = tune_it(&o, &e);
    if (status)
        fprintf(stderr, "%s\n", e.text);
    hone_store_close(o.store);
    hone_devices_free(devices);
    hone_spec_free(spec);
    return status;
}
