// The best that is known in several stores: the user's own and what was shipped with a spec. The first store answers,
// unless what it knows is older and another store has what is nearer to what was asked.
#include "lib/engine.h"
#include "lib/handle.h"

static int distance_of_best(const struct best_answer *b)
{
    return 8 * b->older_rule + 4 * b->other_source + 2 * b->other_driver + b->other_job;
}

bool engine_best(const struct best_options *o, struct hone_store *const *stores, struct arena *a,
                 struct best_answer *out, bool *found, struct error *e)
{
    struct best_options of = *o;
    *found = false;
    for (; *stores && (!*found || distance_of_best(out) > 0); stores++) {
        struct best_answer more = {.result = NULL};
        bool there;
        of.store = store_of(*stores);
        if (!best_find(&of, a, &more, &there, e)) {
            if (*found)
                result_free(out->result);
            return false;
        }
        if (there && *found && distance_of_best(&more) >= distance_of_best(out)) {
            result_free(more.result);
        } else if (there) {
            if (*found)
                result_free(out->result);
            *out = more;
            *found = true;
        }
    }
    return true;
}

bool engine_best_set(const struct best_options *o, struct hone_store *const *stores,
                     struct arena *a, struct best_answer **out, size_t *count, struct error *e)
{
    struct best_options of = *o;
    *count = 0;
    for (; *stores && (*count == 0 || distance_of_best(*out) > 0); stores++) {
        struct best_answer *more;
        size_t there;
        of.store = store_of(*stores);
        if (!best_pareto(&of, a, &more, &there, e)) {
            best_release_all(*out, *count);
            return false;
        }
        bool nearer = there > 0 && (*count == 0 || distance_of_best(more) < distance_of_best(*out));
        best_release_all(nearer ? *out : more, nearer ? *count : there);
        *out = nearer ? more : *out;
        *count = nearer ? there : *count;
    }
    return true;
}

void engine_best_release(struct best_answer *answers, size_t count)
{
    best_release_all(answers, count);
}

bool engine_best_all(const struct best_options *o, struct hone_store *st, struct arena *a,
                     struct best_answer **out, size_t *count, struct error *e)
{
    struct best_options of = *o;
    of.store = store_of(st);
    return best_all(&of, a, out, count, e);
}

bool engine_best_devices(const struct best_options *o, struct hone_store *st, struct arena *a,
                         struct device_info **out, size_t *count, struct error *e)
{
    struct best_options of = *o;
    of.store = store_of(st);
    return best_devices(&of, a, out, count, e);
}
