// Private to the workflow of `hone judge`: its state, shared by judging.c (the order of things), judging_points.c (sizes, hidden
// ones, and the baseline at each), judging_queue.c, judging_jobs.c (jobs of both, and what comes of them) and judging_verdict.c.
#pragma once

#include "campaign/final_ranking.h"
#include "extras/judge/judging.h"

// Candidates whose rounds of the screening run together, beside one baseline.
#define GROUP_MOST 6

// The inputs of a point. X(NAME, text)
#define POINT_INPUTS(X)                                                                            \
    X(OTHER, "")                /* as the spec has them, of another seed */                        \
    X(NARROW, "narrow inputs")  /* a quarter of their range */                                     \
    X(REPEATED, "equal inputs") /* all elements of an argument are one value of it */              \
    X(SCALARS, "other scalars") /* arguments in float are other numbers */                         \
    /* Of floats; one is drawn. */                                                                 \
    X(SORTED, "sorted inputs")                                                                     \
    X(LARGE, "large inputs")                                                                       \
    X(TINY, "denormal inputs")                                                                     \
    X(ZEROS, "negative zeros")

enum point_inputs {
#define X(name, text) POINT_##name,
    POINT_INPUTS(X)
#undef X
        POINT_INPUTS_COUNT,
    POINT_DRAWN = POINT_SORTED // the first of those of which one is drawn
};

// A kernel's job at a point, on its way through the evaluator.
struct attempt {
    struct spec *spec;
    struct spec_sources *sources;
    uint32_t *choice;
    uint64_t ticket;
    bool submitted, dropped;
    bool excused;          // the spec excludes the candidate's own values there
    struct result *result; // NULL: not answered
};

struct point {
    const char *label;
    const char *const *set;
    uint32_t set_count;
    enum point_inputs inputs;
    bool timed, used;
    const char *why;        // (or NULL) it is not used
    struct job *model;      // the baseline's, never submitted: its reference is everybody's
    struct attempt attempt; // the baseline's
};

// A candidate on its way.
struct contestant {
    struct judge_record record;
    struct contestant *primary; // (or NULL) the same code
    size_t index;               // of its candidate
    // Variants of one candidate stand behind each other; the first of them, and in that how many are not screened yet and the
    // one that goes on (NULL: not known).
    struct contestant *leader, *chosen;
    uint32_t unscreened;
    char *spec_text; // T1
    size_t spec_length;
    struct attempt *attempts; // one a point
    uint32_t losses;          // times that the baseline failed beside it alone
    bool begun;               // its jobs are submitted
    bool noted;               // its PTX was read
    bool over;                // handed out
    bool is_finalist;
    bool may_be_victim; // it was wrong in rounds, beside others, after it had been right
    bool was_doubted;   // so it was beside others, and is judged again, alone
    bool was_put_off;   // of a leader: one of its variants was
};

struct judging {
    struct workflow w;
    struct judging_options o;
    struct arena arena;
    struct text spec_text; // the judge's, T1
    uint64_t seed;         // of the inputs
    struct point *points;
    uint32_t point_count, timed_count;
    const char *baseline; // its configuration
    struct judge_check *checks;

    struct contestant *contestants;
    size_t contestant_count;
    const struct judge_record **records; // by candidate
    struct contestant **queue;           // of this session
    size_t queued, current, ahead;       // `ahead` are begun
    struct contestant **ready;           // to be handed out
    size_t ready_count, handed_out;
    bool is_final, is_open, over;   // session; the baseline is verified
    bool was_open;                  // a session was
    bool is_warm;                   // its workers are an earlier batch's
    uint32_t reopened;              // times in a row
    size_t group_end;               // of the queue: those from `current` on are timed together
    size_t alone_until;             // of the queue: up to there each is alone
    size_t doubted;                 // at its end: these are judged again, each alone
    size_t hosted;                  // candidates whose jobs the session's workers had
    const struct contestant *guest; // the last of these
    uint32_t timing;                // the timed point whose rounds run
    uint32_t repeats;               // of these, because one seemed to keep results
    bool is_stretched;              // these are longer, because intervals were wide
    struct contestant *racing[GROUP_MOST];
    uint32_t racing_count;
    struct finalist finalists[1 + GROUP_MOST]; // the baseline, and those that race
    struct final_ranking *final_ranking;
    struct clock_trial *clock; // (or NULL) the present candidate is timed from outside
    uint32_t clocked;          // timed points at which it was
    struct measure_rules rules;
    double level; // of an interval
    uint64_t tickets, launches;
    const char *killed;          // (or NULL) why the present candidate's worker was killed
    uint64_t memory, guarded_ns; // that jobs need; when workers were last looked at
    uint64_t by_verdict[JUDGE_VERDICT_COUNT];
};

// judging_points.c
bool points_make(struct judging *j, struct error *e);
void points_release(struct judging *j);
// All are answered: which are used? False if the baseline is not right at a timed one.
bool points_settle(struct judging *j, struct error *e);

// judging_queue.c
// Is a candidate native code in the tuner's own worker, where it can reach others?
bool judging_shares_process(const struct judging *j);
// Is the present candidate judged again?
bool judging_is_repeat(const struct judging *j);
// Is the present candidate the only one that its session's workers, and the driver's cache, ever see? So it is if the baseline failed
// beside it, or if it is judged again.
bool judging_is_alone(const struct judging *j);
// The end of those that may be built, or timed, together with the present one; of so many at most.
size_t judging_end_of_shared(const struct judging *j, size_t most);
// The jobs of the next one are submitted.
void judging_note_begun(struct judging *j);
// The first candidate of the group is done, in this session at least: it is handed out, goes on, or is put off.
void judging_end_first(struct judging *j);

// judging_jobs.c
// The spec of a kernel at a point, its texts and its configuration: of `like`, where it has not its own.
bool attempt_open(const struct judging *j, const char *text, size_t length, const char *name,
                  const struct point *p, const struct attempt *like, struct attempt *out,
                  struct error *e);
void attempt_release(struct attempt *a);
// The job of that, on the point's inputs. The caller's.
bool attempt_job(const struct judging *j, const struct point *p, const struct attempt *a,
                 struct job **out, struct error *e);
// Has it an argument that is a number in float, and a reference that follows it?
bool job_scalars_vary(const struct job *job);
bool baseline_submit(struct judging *j, struct point *p, struct error *e);
// Submits at every point that is used. What is wrong with the candidate itself is its verdict; false if nothing can go on.
bool contestant_begin(struct judging *j, struct contestant *c, struct error *e);
// Submits the baseline, or a candidate, once more at a point, after rounds that failed.
bool baseline_again(struct judging *j, uint32_t point, struct error *e);
bool contestant_again(struct judging *j, struct contestant *c, uint32_t point, struct error *e);
bool contestant_is_answered(const struct judging *j, const struct contestant *c);
void contestant_drop(struct judging *j, struct contestant *c);
void contestant_release(struct judging *j, struct contestant *c);
void judging_answer(void *judging, struct outcome *out); // as final_ranking_options.late

// Notes what the PTX of a candidate that has just been launched at the point asks of the caches. False: another job is at the device;
// ask again when it is done.
bool contestant_note_policies(struct judging *j, struct contestant *c, uint32_t point);

// judging_clock.c
// Shall a candidate that is faster so far be timed from outside, too?
bool clock_is_wanted(const struct judging *j, const struct contestant *c);
bool clock_start(struct judging *j, const struct contestant *c, uint32_t point, struct error *e);
// END: what it shows is in the candidate's record, which it has changed only for the worse.
enum workflow_answer clock_step(struct judging *j, struct contestant *c, uint32_t point,
                                int timeout_ms, struct error *e);
void clock_free(struct judging *j);

// judging.c
// An evaluator of the judge's, for so many jobs; a clean one has nothing in common with those in which candidates ran.
struct evaluator *judging_evaluator(const struct judging *j, uint64_t planned, bool clean,
                                    struct error *e);
// How many variants of a candidate, by its number, are tried.
uint32_t judging_variants(const struct judging *j, size_t candidate);

// judging_verdict.c
// It failed while it was timed.
void contestant_fail_in_rounds(struct judging *j, struct contestant *c, const struct point *p,
                               const struct result *r);
// A verdict that needs no times; false: it is right so far.
bool contestant_fails(struct judging *j, struct contestant *c);
void contestant_fail(struct judging *j, struct contestant *c, enum judge_verdict verdict,
                     const char *at, const char *format, ...) __attribute__((format(printf, 5, 6)));
// The rounds at the timed point are over. Did it fail by its times, which a busy machine may have made?
bool finalist_is_doubtful(const struct finalist *f);
// How far the interval of its speed-up reaches to either side, in logarithms.
double finalist_width(const struct judging *j, const struct finalist *own);
void contestant_time(struct judging *j, struct contestant *c, const struct finalist *own);
// All points are timed.
void contestant_decide(struct judging *j, struct contestant *c);
// It is not known to be right, or faster, whatever its times say: its score is no more than 1.
void contestant_cap_score(struct contestant *c);
