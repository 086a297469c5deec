#include "cli/replaying.h"

#include "cli/recording.h"

int replaying_refuse(const struct settings *s)
{
    const char *other = s->build_only            ? "--build-only"
                        : s->language.is_given   ? "--language"
                        : s->iterations.is_given ? "--iterations"
                        : s->limits.build_ns     ? "--timeout"
                        : s->limits.launch_ns    ? "--timeout"
                        : s->limits.driver_ns    ? "--timeout"
                        : s->cold                ? "--cold"
                        : s->rules.is_given      ? "--rule"
                        : s->store               ? "--store"
                        : s->also.count          ? "--also"
                        : s->fresh               ? "--fresh"
                        : s->retry               ? "--retry"
                                                 : NULL;
    if (s->replay && !s->replay[0]) {
        complain("--replay: the file has no name");
        return EXIT_USAGE;
    }
    if (!s->replay || !other)
        return EXIT_DONE;
    complain("--replay and %s exclude each other: nothing is built, measured or stored", other);
    return EXIT_USAGE;
}

// The recorded parameters alone: no constants.
static int open_bare(struct tuning *t)
{
    struct error e = ERROR_INIT;
    struct work *w = &t->work;
    w->spec = replay_spec(t->recorded, &e);
    w->constants = "";
    w->constants_json = "{}";
    return w->spec ? EXIT_DONE : work_failed(&e);
}

static int make_replay(struct tuning *t)
{
    struct error e = ERROR_INIT;
    const struct settings *s = &t->work.call->settings;
    struct replay_options o = {.recorded = t->recorded,
                               .spec = t->work.spec,
                               .log = &t->work.log,
                               .configurations = s->config.items,
                               .configuration_count = s->config.count,
                               .where = s->where.items,
                               .where_count = s->where.count};
    return replay_init(&t->replay, &o, &e) ? EXIT_DONE : work_failed(&e);
}

int replaying_open(struct tuning *t)
{
    struct work *w = &t->work;
    bool has_spec = w->call->argument_count > 0;
    int status = work_environment(w);
    if (status == EXIT_DONE && has_spec)
        status = work_spec(w);
    if (status == EXIT_DONE)
        status = recording_read(w, w->call->settings.replay, &t->recorded);
    if (status == EXIT_DONE)
        status = recording_refuse_choice(w, t->recorded);
    if (status == EXIT_DONE && !has_spec)
        status = open_bare(t);
    return status == EXIT_DONE ? make_replay(t) : status;
}

const struct view_replay *replaying_view(struct tuning *t)
{
    struct tune_progress p;
    const struct recorded *r = t->recorded;
    struct view_replay *v = r ? arena_alloc(&t->work.arena, sizeof *v) : NULL;
    if (!v)
        return NULL;
    tune_progress(t->tune, &p);
    *v = (struct view_replay){.path = r->path,
                              .format = recorded_format_text(r->format),
                              .device = r->device,
                              .statistic = r->statistic,
                              .has_spec = t->work.call->argument_count > 0,
                              .recorded = r->count,
                              .excluded = t->replay.excluded,
                              .unrecorded = t->replay.unrecorded,
                              .cost_ns = p.replayed_ns};
    return v;
}
