// Results: their codec, which stores, frames and files share, and the texts of their closed lists. A
// time is handed out only where the status says that there is one.
#include "model/codec.h"
#include "model/result.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The fewest bytes each takes on the wire.
enum { SAMPLE_LEAST = 8, RESOURCES_LEAST = 64, DEVIATION_LEAST = 69 };

struct result *result_new(void)
{
    struct result *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    arena_init(&r->arena);
    r->warm = true;
    r->message = r->log = r->output = r->energy.refused = r->statistic = r->part = "";
    r->timer_fault = "";
    r->same_as = "";
    return r;
}

void result_free(struct result *r)
{
    if (r == NULL)
        return;
    arena_release(&r->arena);
    free(r);
}

// ---- layout -------------------------------------------------------------------------------------

static void times_codec(struct wire *w, uint64_t **times, uint32_t *count)
{
    wire_array(w, (void **)times, count, sizeof **times, SAMPLE_LEAST);
    for (uint32_t i = 0; i < *count; i++)
        wire_u64(w, &(*times)[i]);
}

static void resources_codec(struct wire *w, struct resources *r)
{
#define X(name, unit, meaning) wire_i64(w, &r->name);
    RESULT_RESOURCES(X)
#undef X
}

static void deviation_codec(struct wire *w, struct deviation *d)
{
    codec_text(w, &d->name);
    wire_bool(w, &d->ok);
#define X(type, name) wire_##type(w, &d->name);
    DEVIATION_NUMBERS(X)
#undef X
}

static void outcome_codec(struct wire *w, struct result *r)
{
    wire_enum(w, &r->status, STATUS_COUNT);
    wire_enum(w, &r->fault, FAULT_COUNT);
    wire_enum(w, &r->verification, VERIFICATION_COUNT);
    wire_enum(w, &r->stop, STOP_COUNT);
    wire_bool(w, &r->warm);
    wire_bool(w, &r->device_limit);
}

static void findings_codec(struct wire *w, struct result *r)
{
    wire_array(w, (void **)&r->resources, &r->resource_count, sizeof *r->resources,
               RESOURCES_LEAST);
    for (uint32_t i = 0; i < r->resource_count; i++)
        resources_codec(w, &r->resources[i]);
    wire_array(w, (void **)&r->deviations, &r->deviation_count, sizeof *r->deviations,
               DEVIATION_LEAST);
    for (uint32_t i = 0; i < r->deviation_count; i++)
        deviation_codec(w, &r->deviations[i]);
}

static void clocks_codec(struct wire *w, struct result *r)
{
    wire_u64(w, &r->limit_ns);
    wire_u64(w, &r->verify_launch_ns);
#define X(name, meaning) wire_u64(w, &r->name##_ns);
    RESULT_TIMES(X)
#undef X
}

// Since format 2.
static void circumstances_codec(struct wire *w, struct result *r)
{
    for (size_t i = 0; i < sizeof r->ranking; i++)
        wire_u8(w, &r->ranking[i]);
#define X(type, codec, name) wire_##codec(w, &r->terms.name);
    RANKED_RULES(X)
#undef X
    wire_u64(w, &r->terms.resolution_ns);
    wire_u32(w, &r->warmups);
    wire_u64(w, &r->machine.at_ns);
    wire_u64(w, &r->machine.other_cpu_ns);
    wire_u32(w, &r->machine.cores);
    wire_u32(w, &r->machine.mhz);
}

// Since format 3.
static void gpu_codec(struct wire *w, struct result *r)
{
    wire_bool(w, &r->gpu.known);
#define X(name) wire_u32(w, &r->gpu.name);
    GPU_NUMBERS(X)
#undef X
    wire_u32(w, &r->gpu.slowed);
    wire_u64(w, &r->energy.microjoules);
    wire_u64(w, &r->energy.span_ns);
    wire_u32(w, &r->energy.launches);
    codec_text(w, &r->energy.refused);
}

// Since format 11.
static void counted_codec(struct wire *w, struct result *r)
{
    bool is_there = r->counters != NULL;
    wire_bool(w, &is_there);
    if (!is_there)
        return;
    if (w->mode == WIRE_READ)
        r->counters = counters_new(&r->arena);
    if (r->counters)
        counters_codec(w, r->counters);
    else
        wire_memory(w);
}

static void codec_of_format(struct wire *w, struct result *r, int format)
{
    outcome_codec(w, r);
    times_codec(w, &r->samples_ns, &r->sample_count);
    wire_u32(w, &r->batch);
    times_codec(w, &r->parts_ns, &r->part_count);
    wire_u32(w, &r->part_columns);
    if (w->mode == WIRE_READ && r->part_count != (uint64_t)r->sample_count * r->part_columns)
        wire_fail(w, "the parts of the samples are not one row a sample");
    findings_codec(w, r);
    clocks_codec(w, r);
    codec_text(w, &r->message);
    codec_text(w, &r->log);
    codec_text(w, &r->output);
    if (format >= 2)
        circumstances_codec(w, r);
    if (format >= 3)
        gpu_codec(w, r);
    if (format >= 4)
        codec_text(w, &r->statistic);
    if (format >= 5)
        codec_text(w, &r->part);
    if (format >= 6)
        wire_u32(w, &r->first_round);
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        struct deviation *d = &r->deviations[i];
        if (format >= 7) {
            wire_bool(w, &d->compared);
            wire_u64(w, &d->components);
            wire_u64(w, &d->written);
            wire_u64(w, &d->left);
            wire_u64(w, &d->output_nans);
            wire_u64(w, &d->reference_nans);
        } else if (w->mode == WIRE_READ) {
            d->compared = true;
            d->written = WRITTEN_UNKNOWN;
        }
        if (format >= 10) {
            wire_bool(w, &d->changes);
            wire_f64(w, &d->rms);
            wire_f64(w, &d->narrowed);
            wire_bool(w, &d->blind);
            codec_text(w, &d->note);
        } else if (w->mode == WIRE_READ) {
            d->narrowed = 1;
            d->note = "";
        }
    }
    if (format >= 8)
        codec_text(w, &r->timer_fault);
    if (format >= 9)
        codec_text(w, &r->same_as);
    if (format >= 11)
        counted_codec(w, r);
}

void result_codec(struct wire *w, struct result *r)
{
    codec_of_format(w, r, RESULT_FORMAT);
}

struct result *result_decode(const void *data, size_t length, struct error *e)
{
    return result_decode_format(data, length, RESULT_FORMAT, e);
}

struct result *result_decode_format(const void *data, size_t length, int format, struct error *e)
{
    char what[64];
    struct wire w;
    struct result *r = result_new();
    if (r == NULL)
        return error_no_memory(e);
    wire_reader(&w, data, length, &r->arena);
    codec_of_format(&w, r, format);
    str_format(what, sizeof what, "these %zu bytes are not a result", length);
    if (wire_finish(&w, ERROR_INPUT, what, e))
        return r;
    result_free(r);
    return NULL;
}

struct result *result_clone(const struct result *r)
{
    struct text bytes = TEXT_INIT;
    struct wire w;
    struct result *clone = NULL;
    wire_writer(&w, &bytes);
    result_codec(&w, (struct result *)r); // writing changes nothing
    if (!w.failed && !bytes.failed)
        clone = result_decode(bytes.data, bytes.length, NULL);
    if (clone != NULL) {
        clone->reused = r->reused;
        clone->earlier = r->earlier;
        clone->origin = arena_strdup(&clone->arena, r->origin);
    }
    text_release(&bytes);
    return clone;
}

// ---- what became of it --------------------------------------------------------------------------

// The text in one line, in the arena; NULL without memory.
static const char *message_made(struct arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *message = length >= 0 ? arena_alloc(a, (size_t)length + 1) : NULL;
    if (message == NULL)
        return NULL;
    vsnprintf(message, (size_t)length + 1, format, args);
    for (char *c = message; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return message;
}

#undef result_fail // the analyser's
bool result_fail(struct result *r, enum status status, enum fault fault, const char *format, ...)
{
    if (r->status != STATUS_CORRECT)
        return false;
    va_list args;
    va_start(args, format);
    const char *message = message_made(&r->arena, format, args);
    va_end(args);
    r->status = status;
    r->fault = fault;
    r->message = message != NULL ? message : "failed, and no memory was left to say why";
    return false;
}

bool result_samples(const struct result *r, const uint64_t **samples_ns, uint32_t *count)
{
    bool correct = r->status == STATUS_CORRECT;
    *samples_ns = correct ? r->samples_ns : NULL;
    *count = correct ? r->sample_count : 0;
    return correct;
}

// ---- merging ------------------------------------------------------------------------------------

// Copies into the arena; an empty text needs no place. NULL without memory.
static const char *text_kept(struct arena *a, const char *s)
{
    return s[0] == '\0' ? "" : arena_strdup(a, s);
}

// `first` followed by `second`, in the arena.
static bool times_joined(struct arena *a, uint64_t **times, uint32_t *count, const uint64_t *second,
                         uint32_t second_count)
{
    if (second_count == 0)
        return true;
    if (second_count > UINT32_MAX - *count)
        return false;
    uint64_t *both = arena_array(a, (size_t)*count + second_count, sizeof *both);
    if (both == NULL)
        return false;
    if (*count > 0)
        memcpy(both, *times, *count * sizeof *both);
    memcpy(both + *count, second, second_count * sizeof *both);
    *times = both;
    *count += second_count;
    return true;
}

// Parts are kept only while every sample has them, in the same columns.
static bool samples_merged(struct arena *a, struct result *into, const struct result *from)
{
    if (from->sample_count == 0)
        return true;
    // The device's clock was found wrong meanwhile: what it said before is no time.
    if (result_by_host(from) && !result_by_host(into))
        into->sample_count = into->part_count = 0, into->verify_launch_ns = 0;
    bool fresh = into->sample_count == 0;
    if (fresh) {
        into->warm = from->warm;
        into->batch = from->batch;
        into->warmups = from->warmups;
        into->part_columns = from->part_columns;
    }
    into->warm = into->warm && from->warm;
    if (!times_joined(a, &into->samples_ns, &into->sample_count, from->samples_ns,
                      from->sample_count))
        return false;
    if (into->part_columns == from->part_columns)
        return times_joined(a, &into->parts_ns, &into->part_count, from->parts_ns,
                            from->part_count);
    into->parts_ns = NULL;
    into->part_count = into->part_columns = 0;
    return true;
}

static bool resources_taken(struct arena *a, struct result *into, const struct result *from)
{
    if (into->resource_count > 0 || from->resource_count == 0)
        return true;
    into->resources =
        arena_copy(a, from->resources, from->resource_count * sizeof *from->resources);
    into->resource_count = from->resource_count;
    return into->resources != NULL;
}

static bool failure_taken(struct arena *a, struct result *into, const struct result *from)
{
    into->status = from->status;
    into->fault = from->fault;
    into->device_limit = from->device_limit;
    into->limit_ns = from->limit_ns;
    into->message = text_kept(a, from->message);
    return into->message != NULL;
}

static bool texts_taken(struct arena *a, struct result *into, const struct result *from)
{
    if (into->log[0] == '\0')
        into->log = text_kept(a, from->log);
    if (into->output[0] == '\0')
        into->output = text_kept(a, from->output);
    if (result_by_host(from))
        into->timer_fault = arena_strdup(a, from->timer_fault);
    return into->log != NULL && into->output != NULL && into->timer_fault != NULL;
}

void gpu_snapshot_join(struct gpu_snapshot *into, const struct gpu_snapshot *later)
{
    struct gpu_snapshot first = *into;
    if (!later->known)
        return;
    *into = *later;
    if (first.known) {
        into->mhz_before = first.mhz_before;
        into->slowed |= first.slowed;
    }
}

static bool counts_taken(struct arena *a, struct result *into, const struct result *from)
{
    if (from->counters) {
        into->counters = counters_copy(a, from->counters);
        if (into->counters == NULL)
            return false;
    }
    if (from->energy.microjoules == 0 && from->energy.refused[0] == '\0')
        return true;
    const char *refused = text_kept(a, from->energy.refused);
    if (refused == NULL)
        return false;
    into->energy = from->energy;
    into->energy.refused = refused;
    return true;
}

bool result_take_counts(struct result *into, const struct result *from)
{
    return counts_taken(&into->arena, into, from);
}

// Made aside and put in place at the end, so that without memory `into` is as it was.
bool result_merge(struct result *into, const struct result *from)
{
    struct result merged = *into;
    struct arena *a = &into->arena;
    bool failed_now = into->status == STATUS_CORRECT && from->status != STATUS_CORRECT;
    // The deviations to show are those of the check that failed.
    bool shows = from->deviation_count > 0 && (into->deviation_count == 0 || failed_now);

    if (failed_now && !failure_taken(a, &merged, from))
        return false;
    if (shows) {
        merged.deviations =
            arena_copy(a, from->deviations, from->deviation_count * sizeof *from->deviations);
        merged.deviation_count = from->deviation_count;
        if (merged.deviations == NULL)
            return false;
        for (uint32_t i = 0; i < merged.deviation_count; i++) {
            merged.deviations[i].name = text_kept(a, from->deviations[i].name);
            merged.deviations[i].note =
                text_kept(a, from->deviations[i].note ? from->deviations[i].note : "");
            if (merged.deviations[i].name == NULL || merged.deviations[i].note == NULL)
                return false;
        }
    }
    if (!samples_merged(a, &merged, from) || !resources_taken(a, &merged, from) ||
        !texts_taken(a, &merged, from) || !counts_taken(a, &merged, from))
        return false;
    gpu_snapshot_join(&merged.gpu, &from->gpu);
    if (merged.verify_launch_ns == 0)
        merged.verify_launch_ns = from->verify_launch_ns;
#define X(name, meaning) merged.name##_ns += from->name##_ns;
    RESULT_TIMES(X)
#undef X
    if (merged.verification == VERIFICATION_NONE)
        merged.verification = from->verification;
    if (from->stop != STOP_NONE)
        merged.stop = from->stop;
    if (from->machine.at_ns > 0)
        merged.machine = from->machine; // counts go on: the last one is that of all samples
    merged.arena = into->arena;
    *into = merged;
    return true;
}

const struct deviation *result_left(const struct result *r)
{
    for (uint32_t i = 0; i < r->deviation_count; i++)
        if (r->deviations[i].left > 0)
            return &r->deviations[i];
    return NULL;
}

bool result_is_blind(const struct result *r)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        any = any || r->deviations[i].compared;
        all = all && (r->deviations[i].blind || !r->deviations[i].compared);
    }
    return any && all;
}

double result_joule(const struct result *r)
{
    return r->energy.microjoules > 0 ? (double)r->energy.microjoules / 1e6 : NAN;
}

bool result_is_shared(const struct result *r)
{
    return r->same_as && r->same_as[0] != '\0';
}

bool result_by_host(const struct result *r)
{
    return r->timer_fault && r->timer_fault[0] != '\0';
}

int64_t result_largest_resource(const struct result *r, size_t offset)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < r->resource_count; i++) {
        int64_t value;
        memcpy(&value, (const char *)&r->resources[i] + offset, sizeof value);
        if (value < 0)
            return -1;
        most = value > most ? value : most;
    }
    return most;
}

bool result_samples_alike(const struct result *a, const struct result *b)
{
    return a->batch == b->batch && a->warmups == b->warmups && a->warm == b->warm &&
           result_by_host(a) == result_by_host(b);
}

// Parts are kept only while every sample has them, in the same columns.
bool result_samples_before(struct result *r, const struct result *earlier)
{
    struct arena *a = &r->arena;
    uint64_t *samples = arena_copy(a, earlier->samples_ns, earlier->sample_count * sizeof *samples);
    uint64_t *parts = arena_copy(a, earlier->parts_ns, earlier->part_count * sizeof *parts);
    uint32_t count = earlier->sample_count, part_count = earlier->part_count;
    if ((count > 0 && samples == NULL) || (part_count > 0 && parts == NULL) ||
        !times_joined(a, &samples, &count, r->samples_ns, r->sample_count) ||
        !times_joined(a, &parts, &part_count, r->parts_ns, r->part_count))
        return false;
    bool both = earlier->part_columns == r->part_columns;
    r->samples_ns = samples;
    r->sample_count = count;
    r->parts_ns = both ? parts : NULL;
    r->part_count = both ? part_count : 0;
    r->part_columns = both ? r->part_columns : 0;
    r->earlier += earlier->sample_count;
    return true;
}

// ---- names --------------------------------------------------------------------------------------

static const char *const status_texts[] = {
#define X(name, text, meaning) [STATUS_##name] = text,
    STATUSES(X)
#undef X
};

static const char *const status_meanings[] = {
#define X(name, text, meaning) [STATUS_##name] = meaning,
    STATUSES(X)
#undef X
};

static const char *const stop_texts[] = {STOPS(LIST_TEXT)};

static const char *const verification_texts[] = {VERIFICATIONS(LIST_TEXT)};

static const char *const fault_texts[] = {FAULTS(LIST_TEXT)};

static const char *const slowdown_texts[] = {SLOWDOWNS(LIST_TEXT)};

const char *slowdown_text(enum slowdown s)
{
    return (unsigned)s < SLOWDOWN_COUNT ? slowdown_texts[s] : "?";
}

const char *status_text(enum status s)
{
    return (unsigned)s < STATUS_COUNT ? status_texts[s] : "?";
}

const char *status_meaning(enum status s)
{
    return (unsigned)s < STATUS_COUNT ? status_meanings[s] : "?";
}

// Where `text` stands in the table; `count` when it does not.
static unsigned find_text(const char *const *texts, unsigned count, const char *text)
{
    unsigned i = 0;
    while (i < count && !str_equal(texts[i], text))
        i++;
    return i;
}

bool status_parse(const char *text, enum status *out)
{
    unsigned i = find_text(status_texts, STATUS_COUNT, text);
    if (i < STATUS_COUNT)
        *out = (enum status)i;
    return i < STATUS_COUNT;
}

const char *stop_text(enum stop_reason s)
{
    return (unsigned)s < STOP_COUNT ? stop_texts[s] : "?";
}

bool stop_parse(const char *text, enum stop_reason *out)
{
    unsigned i = find_text(stop_texts, STOP_COUNT, text);
    if (i < STOP_COUNT)
        *out = (enum stop_reason)i;
    return i < STOP_COUNT;
}

const char *verification_text(enum verification v)
{
    return (unsigned)v < VERIFICATION_COUNT ? verification_texts[v] : "?";
}

const char *result_word(const struct result *r)
{
    return fault_is_spec(r->fault) ? "spec error" : status_text(r->status);
}

bool deviation_has_got(const struct deviation *d)
{
    return d->unwritten == 0 || !isfinite(d->got);
}

bool result_is_verified(const struct result *r)
{
    return r->status == STATUS_CORRECT && r->verification == VERIFICATION_REFERENCE;
}

bool result_has_energy(const struct result *r)
{
    return r->energy.microjoules > 0 || r->energy.refused[0] != '\0';
}

bool deviation_has_written(const struct deviation *d)
{
    return d->components > 0 && d->written != WRITTEN_UNKNOWN;
}

bool result_crashed(const struct result *r)
{
    return r->status == STATUS_RUNTIME && str_starts(r->message, RESULT_DIED);
}

bool result_compiler_died(const struct result *r)
{
    return r->status == STATUS_COMPILE &&
           (str_starts(r->message, RESULT_COMPILER_DIED) || str_starts(r->message, RESULT_DIED));
}

bool fault_is_spec(enum fault f)
{
    return f == FAULT_SPEC || f == FAULT_TYPE;
}

const char *fault_text(enum fault f)
{
    return (unsigned)f < FAULT_COUNT ? fault_texts[f] : "?";
}
