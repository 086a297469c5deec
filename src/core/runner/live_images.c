// Reuses the results of other jobs with the same code. Configurations with different sources often
// compile to the same code: a factor that the compiler caps, a branch that it takes out. This shows
// once such a job is built; it is neither loaded nor launched, and gets the result of the first job
// with that code that was measured, under its name (result.same_as).
//
// Code is the same if its bytes are equal, as the driver's compiler gave them. Anything else that
// may decide a time or an output (sizes, arguments, buffers, options) is part of the key and must
// be equal too.
#include "runner/live.h"

#include <stdlib.h>

static struct measured_image **image_bucket(struct measured_images *images,
                                            const struct digest *key)
{
    return &images->buckets[(key->bytes[0] | key->bytes[1] << 8) % IMAGE_BUCKETS];
}

static const struct measured_image *find_image(const struct live *v, const struct entry *n)
{
    if (!v->images || !n->has_built_key)
        return NULL;
    const struct measured_image *m = *image_bucket(v->images, &n->built_key);
    while (m && !digest_equal(&m->key, &n->built_key))
        m = m->next;
    return m;
}

void live_image_built(struct live *v, struct entry *n)
{
    n->has_built_key =
        v->images && n->job->configuration && job_built_key(n->job, &n->build.image, &n->built_key);
}

// Failures that end a launch are seen for themselves; so is what has samples from elsewhere.
static bool may_answer(const struct live *v, const struct entry *n)
{
    const struct result *r = n->result;
    bool is_judged = r->status == STATUS_CORRECT ||
                     (r->status == STATUS_CORRECTNESS && r->fault == FAULT_CONFIGURATION);
    return is_judged && n->turns == 0 && n->known.samples == 0 && !v->cancelled;
}

void live_image_measured(struct live *v, const struct entry *n)
{
    if (!v->images || !n->has_built_key || find_image(v, n) || !may_answer(v, n))
        return;
    struct measured_image **bucket = image_bucket(v->images, &n->built_key);
    struct measured_image *m = calloc(1, sizeof *m);
    struct result bare = *n->result;
    bare.same_as = n->job->configuration;
    bare.log = bare.output = "";
    bare.build_ns = bare.load_ns = bare.inputs_ns = bare.reference_ns = 0;
    bare.verify_ns = bare.measure_ns = 0;
    struct result *result = m ? result_clone(&bare) : NULL;
    if (!result) { // others are measured then
        free(m);
        return;
    }
    *m = (struct measured_image){.next = *bucket, .key = n->built_key, .result = result};
    *bucket = m;
}

bool live_image_is_measured(const struct live *v, const struct entry *n, const struct entry *other)
{
    bool is_same =
        n->has_built_key && other->has_built_key && digest_equal(&n->built_key, &other->built_key);
    return is_same || find_image(v, n);
}

bool live_image_answer(struct live *v, struct entry *n)
{
    const struct measured_image *m = find_image(v, n);
    bool has_past = n->alone || n->bench_deaths > 0 || n->known.samples > 0;
    if (!m || has_past || result_by_host(m->result) != v->host_clock)
        return false;
    result_free(n->result);
    n->result = result_clone(m->result);
    if (!n->result || !result_merge(n->result, n->build.result))
        return !live_break(v, ERROR_MEMORY, "out of memory");
    live_done(v, n);
    return true;
}

void live_images_free(struct measured_images *images)
{
    for (size_t i = 0; images && i < IMAGE_BUCKETS; i++) {
        for (struct measured_image *m = images->buckets[i], *next; m; m = next) {
            next = m->next;
            result_free(m->result);
            free(m);
        }
    }
    free(images);
}
