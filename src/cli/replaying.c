// tune --replay: a recording takes the place of the device, and of the spec where none is given.
#include "cli/replaying.h"

#include "cli/recording.h"

// The recorded parameters alone: no constants.
static int open_bare(struct work *w)
{
    struct error e = ERROR_INIT;
    w->loaded = handle_of_spec(replay_spec(w->recorded, &e));
    w->spec = spec_of(w->loaded);
    w->constants = "";
    w->constants_json = "{}";
    return w->spec ? EXIT_DONE : work_failed(&e);
}

int replaying_open(struct work *w)
{
    bool has_spec = w->call->argument_count > 0;
    int status = work_environment(w);
    if (status == EXIT_DONE && has_spec)
        status = work_spec(w);
    if (status == EXIT_DONE)
        status = recording_read(w, w->replayed, NULL, &w->recorded);
    if (status == EXIT_DONE)
        status = recording_refuse_choice(w, NULL, w->recorded);
    if (status == EXIT_DONE && !has_spec)
        status = open_bare(w);
    return status;
}
