// The data of a report page: plain, gathered from a store (page_store.c) or a recorded space
// (page_recorded.c), and written by page_html.c. The results of a set compare: one spec with its
// constants on one device, by one driver and in one language, of one kernel source.
#pragma once

#include "base/arena.h"
#include "recorded/recorded.h"
#include "report/record.h"
#include "space/space.h"
#include "stats/importance.h"
#include "store/query/query.h"
#include "workflows/best.h"

// The newest result of one configuration.
struct page_row {
    const uint32_t *choice; // value indices in the set's parameters
    enum status status;
    uint32_t message; // index in the set's messages; 0: none
    bool timed, interval;
    bool ranked;              // its samples are of a ranking: they compare with those alone
    double median, low, high; // ns; what a recording calls the time, without low and high
    uint32_t samples;
    double build_ns; // NaN: not known
    // Where the newest is ranked: what it was before, when it was measured alone; else NaN.
    double screened;
    double at,
        ranked_at; // when, in seconds since the first of the set; NaN: not known, or not ranked
    struct resources resources; // of the first launch
    const double *metrics;      // one for each of the set's; NaN: no value
    const char *log,
        *id;           // of a failure in a store: its build log; the result's id. NULL: not known
    struct digest key; // of its job, in a store
    // (or NULL) the configuration whose times these are: it was built to the same code.
    const char *same_as;
};

// A vendor's routine beside the spec's best, interleaved with it (hone sweep and compare,
// --against).
struct page_library {
    const char *label; // "OpenBLAS"
    struct stats_summary stats,
        own;                  // its times, and those of the spec's configuration in the same rounds
    struct stats_ratio ratio; // how many times as long it takes as that
    const char *configuration; // that it was launched with
    double rate;               // as page_rate; NaN: none
};

// A metric that is a rate, of the answer: at its median, and at the ends of its interval.
struct page_rate {
    const char *name; // NULL: there is none, and times are shown
    double value, low, high;
};

// A configuration for a build by somebody else: its options quoted for a shell, and the same as a header.
struct page_code {
    const char *options, *header; // NULL: there is none
    const char *
        geometry; // of the launches; NULL: not known, and the options are those of the parameters alone
};

// All that is known of one configuration: of the finalists, the fastest, and one of each group of failures.
struct page_detail {
    size_t row;
    const char *geometry, *ended, *verified, *date;
    struct page_code code;
    const uint64_t *samples;
    uint32_t sample_count, batch, warmups;
    const struct resources *resources; // one a launch of the job
    uint32_t resource_count;
    const struct deviation *deviations;
    uint32_t deviation_count;
    double joule;                    // of a launch; NaN: not known
    const struct counters *counters; // (or NULL) likewise
};

// One of several equal devices that shared a tune, as the run's session in the store describes it.
struct page_member {
    const char *name, *node, *state, *why;
    double results, rounds;  // NaN: not known
    double ratio, low, high; // how many times longer it takes than its siblings; NaN: not known
};

struct page_source {
    const char *name, *text; // "" where it is too long
    size_t length;
    bool is_include;
};

// The result of `hone score --json` for one strategy on one recorded space.
struct page_score {
    const char *file, *strategy;
    double score, low, high, fraction; // low, high: NaN with one seed
    double budget;                     // evaluations
    double near;                       // until within 1 % of the optimum; NaN: not in the budget
    const double *shares, *leads;      // of the budget, and the score there
    size_t share_count;
};

// The result of `hone deploy --format json` for one shape on one device.
struct page_deployed {
    const char *device, *shape, *configuration;       // "M=256, N=256"
    double first;                                     // the shape's first number
    double median, above_best, above_default, weight; // above_default: NaN: not measured
    bool is_refined;
};

// A start of a tune, from `hone tune --json`: a configuration of the user's, or another device's
// results.
struct page_beginning {
    const char *name;    // the configuration, or whose results
    const char *outcome; // its status, or what became of the source; "": it was not run
    bool is_source;
    double median;     // ns; NaN: no time
    double ratio;      // that, or a source's best here, to the tune's best; NaN: not known
    const char *basis; // of the ratio: "ranked", "screened"; "": not known
    double results, parameters,
        agrees; // of a source; agrees: the share of pairs in its order, NaN: not known
};

// A verdict of `hone judge --json`.
struct page_verdict {
    const char *candidate, *sha256, *verdict, *at, *evidence, *same_as; // "": none
    double score, speedup, low, high; // NaN: not timed, or no interval
    bool is_right, is_twice;          // right however fast; measured twice
    bool is_over;                     // the same text has a lower one
};

struct page_set {
    const struct page *page;
    const char *origin;               // the argument that it comes from
    const char *file;                 // the spec's, for commands: without folders
    const struct stored_space *space; // (or NULL) of the store: what its results have in common
    const char *spec, *constants, *device, *platform, *driver, *language, *hone_version;
    const char *inputs; // "warm", "cold"; "" if not known
    const char *text;   // of the kernel: how its digest begins; "" likewise
    // "run 2", counted from the oldest, in a set of one run; "": results of all runs.
    const char *run;
    const char *command, *host, *seed, *surroundings; // of the newest run; NULL: not known
    const struct page_member *members; // of the newest run that several devices shared
    uint32_t member_count;
    const char *first_date, *last_date; // NULL: not known
    const char *statistic;              // what a time is: "median"
    bool is_recorded;                   // imported: there are no samples, intervals or rankings
    // It lacks the objective of --objective, as no_front says: the shortest time is its goal.
    bool is_unfit;
    bool is_beginning; // one tune's `beginnings`
    bool has_answer;
    const struct parameter *parameters;
    uint32_t parameter_count;
    const char *const *metrics; // names
    uint32_t metric_count;
    struct page_row *rows; // in the order in which they were measured
    size_t count, timed,
        unreadable; // unreadable: left out, their values are not the spec's any more
    const char **messages;
    uint32_t message_count;
    size_t by_status[STATUS_COUNT];
    size_t *fastest; // rows with a time, the least first
    size_t best;     // the row that is the answer; SIZE_MAX: none
    size_t usual;    // the default configuration; SIZE_MAX: not there, or not known

    struct best_answer answer;   // what `hone best` says, if it has_answer
    struct page_code code;       // of the answer
    struct best_ranking ranking; // count 0: none
    size_t *finalist_rows;       // of each; SIZE_MAX: not known. NULL: of none
    struct importance importance;
    struct peak peak; // of the device
    struct page_rate rate;
    struct page_library *libraries;
    size_t library_count;
    struct objectives objectives; // no terms: the shortest time
    const char *no_front;         // (or NULL) why there is no Pareto front
    size_t *front;                // rows of it
    size_t front_count;
    struct page_detail *details;
    size_t detail_count;
    struct page_source *sources; // what the compiler saw
    size_t source_count;
    // A set may be what hone score, hone deploy, hone judge or one hone tune found; it then has no rows.
    struct page_score *scores;
    size_t score_count;
    struct page_deployed *deployed;
    size_t deployed_count;
    const char *column;     // of the shapes of `deployed`: the first
    double deployed_within; // that a configuration may be above the best: 0.02
    struct page_beginning *beginnings;
    size_t beginning_count;
    struct page_verdict *verdicts;
    size_t verdict_count;
};

struct page {
    const struct report_about *about;
    const char *title;
    unsigned
        reload_s; // after which the page loads itself anew, because its file is written anew; 0: it is final
    const char *news;  // (optional) how far what it follows is
    const char *views; // (optional) names of those that are written, separated by commas; NULL: all
    struct page_set *sets;
    size_t count, room;
    // Names under which the store of the set before has vendors' routines, of all its specs.
    const struct store *named_store;
    const char **routine_names;
    size_t routine_count;
    struct arena arena;
};

void page_release(struct page *p);

// Which configurations are shown: expressions that must be true. NULL: all.
struct page_choice {
    const char *const *where;
    uint32_t where_count;
    const char *objective; // "min:time,max:GFLOP/s"; NULL: the spec's own
};

// Each adds a set; false with an error. `spec` has the constants of the space; both outlive the page, as does what is
// recorded.
bool page_add_stored(struct page *p, struct store *store, const struct stored_space *space,
                     const struct spec *spec, const char *origin, const struct page_choice *choice,
                     struct error *e);
bool page_add_recorded(struct page *p, const struct recorded *recorded,
                       const struct page_choice *choice, struct error *e);
// A file that `hone score --json` or `hone deploy --format json` wrote. `head` is how it begins: is it one of these?
bool page_is_found(const char *head);
bool page_add_found(struct page *p, const char *path, struct error *e);
// Completes a set from either source: counts, orders, shares of variance.
bool page_finish_set(struct page *p, struct page_set *s, struct error *e);
// Reads the devices that shared a run from its surroundings into the set; nothing if none are
// recorded. False without memory. And the surroundings without them; NULL without memory.
bool page_read_members(struct page_set *s, const char *surroundings, struct arena *a);
const char *page_without_members(const char *surroundings, struct arena *a);
// The vendors' routines that were interleaved with the set's configurations.
bool page_find_libraries(struct page *p, struct page_set *s, struct store *store,
                         const struct spec *spec, struct error *e);
// Finds the contents of page_detail and page_source. After the rows and the ranking.
bool page_find_details(struct page *p, struct page_set *s, struct store *store,
                       const struct spec *spec, const struct spec_sources *sources,
                       struct error *e);
// The objectives of `choice` or of the spec. A set that they do not suit has no front, and states
// why.
bool page_find_objectives(struct page *p, struct page_set *s, const struct spec *spec,
                          const struct page_choice *choice, struct error *e);
// A row's value of one of several objectives; NaN: it has none.
double page_objective_value(const struct page_set *s, const struct page_row *r,
                            const struct objective *o);
// The front of the rows.
bool page_find_front(struct page *p, struct page_set *s, struct error *e);
// By the job that the kernel's present text gives; without `sources` by the parameters alone. False without memory.
bool page_code_of(struct page *p, const struct spec *spec, const struct spec_sources *sources,
                  const uint32_t *choice, struct page_code *out);
bool page_code_of_parameters(struct page *p, const struct parameter *parameters, uint32_t count,
                             const uint32_t *choice, struct page_code *out);
// A text in which files have no folders. NULL without memory.
const char *page_without_folders(const char *text, struct arena *a);
// The spec's file, for commands: as the newest run had it, else as the spec is called. False without memory.
bool page_find_file(struct page *p, struct page_set *s);
// "hone NAME spec.json ...": of the set's language and constants, and of the row's configuration, unless it is NULL.
void page_command(const struct page_set *s, const char *name, const struct page_row *r,
                  struct text *out);
// The row of a configuration; SIZE_MAX: there is none.
size_t page_row_of(const struct page_set *s, const uint32_t *choice);
// Finds rows by their configurations, or messages. {0} to begin with.
struct page_index {
    uint32_t *slots; // row (or message) + 1; 0: free
    size_t slot_count;
};
// Holds the set's rows and has room for one more; false: out of memory.
bool page_index_rows(const struct page_set *s, struct page_index *x);
// The slot of a configuration, or the free one where it belongs.
uint32_t *page_index_slot(const struct page_set *s, const struct page_index *x,
                          const uint32_t *choice);
void page_index_release(struct page_index *x);
// While a set is gathered: its messages, each once, since most failures say one of a few things. A set may have as many as it
// has rows, too. {0} to begin with; page_index_release() keeps what the set has.
struct page_messages {
    struct page_index index;
    size_t room;
};
// The index of a message in the set, which gets a copy of one that is new; false: out of memory.
bool page_note_message(struct page *p, struct page_set *s, struct page_messages *m,
                       const char *message, uint32_t *index, bool *is_new);
struct page_set *page_new_set(struct page *p, struct error *e);
// The configurations that the choice leaves; *out NULL: all.
bool page_chosen_space(const struct spec *spec, const struct page_choice *choice,
                       struct space **out, struct error *e);

// The answer's times, as `hone best` shows them. Of a recording its one time.
// False: there is none.
bool page_best_stats(const struct page_set *s, struct stats_summary *out);

// "block_size_x=16, ..."; parameters with one value are left out.
void page_configuration(const struct page_set *s, const struct page_row *r, struct text *out);

// Are the names those of views? The error lists these.
bool page_check_views(const char *names, struct error *e);
// Sets of one spec by their constants, as numbers are ordered; else as they were added.
void page_order(struct page *p);
// The whole page.
void page_write(const struct page *p, struct text *out);
// One view of the first set that has it: a picture alone ("NAME", or as it stands on paper "NAME:84mm:8pt"), or its numbers. False: there is none of this name (the error
// lists the names), or no set has it (why not).
bool page_write_svg(const struct page *p, const char *view, struct text *out, struct error *e);
// The picture as PDF, with its fonts in it, by rsvg-convert; `scratch_parent`: where its files lie meanwhile.
bool page_write_pdf(const struct page *p, const char *view, const char *scratch_parent,
                    struct text *out, struct error *e);
bool page_write_csv(const struct page *p, const char *view, struct text *out, struct error *e);
// A summary for a pull request.
void page_write_markdown(const struct page *p, struct text *out);
