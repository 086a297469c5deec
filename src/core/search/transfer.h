// A search's use of sources (source.h). Given enough questions, it first tests whether their best
// configurations are good here; learns from the answers how far to trust each of them; and predicts
// configurations from the trusted ones. A source that is not trusted predicts nothing, and the
// search then runs as without it: the cost is the gate's questions. After a few answers all sources
// are ignored, and the search continues as without them: their total cost is at most the questions
// that were asked because of them.
#pragma once

#include "search/learner.h"
#include "search/scale.h"
#include "search/source.h"

#define TRANSFER_SOURCES 8 // those behind are ignored
#define TRANSFER_GATE    2 // questions whether a source's best are good here

struct transfer {
    const struct source *const *sources;
    uint32_t count;
    struct strategy_heard heard[TRANSFER_SOURCES];
    double weights[TRANSFER_SOURCES]; // sum to 1; all 0: none is trusted
    bool is_trusted;                  // one of them is
    double slope;                     // by how much a value here grows with a value there

    uint32_t gate_most, gate_count;
    bool gate_waits;              // until the answers say that a source is to be trusted
    uint32_t heard_most;          // answers until the sources are ignored
    uint64_t gate[TRANSFER_GATE]; // what was asked
    uint32_t first;               // questions before there was a model; 0: there is none yet
    uint32_t starts;              // of these, by the user: they come before
};

void transfer_init(struct transfer *t, const struct strategy_setup *setup);
// The next question of the gate, one that was not asked. False: there is none.
bool transfer_ask(struct transfer *t, const struct learner *g, uint64_t *index);
// Was it asked for a source's sake?
bool transfer_asked(const struct transfer *t, uint64_t index);
// Is the best of all answers, before there is a model, one of a source's best, and does that source
// order them as they turned out?
bool transfer_promises(const struct transfer *t, struct learner *g);
// Learns from what was answered by now; not to be called once transfer_ends().
void transfer_weigh(struct transfer *t, struct learner *g, const struct scale *scale);
// True once there are enough answers: sources are ignored from now on, and the questions asked
// because of them must be forgotten.
bool transfer_ends(struct transfer *t, uint32_t answers);
// The trusted sources' prediction for a configuration, standardised; 0 if none is trusted.
double transfer_value(const struct transfer *t, const uint32_t *choice);
