// The queue of a session: which candidates are built and timed together, which is alone, and which is judged again at the end.
#include "extras/judge/judging_inside.h"

#include "model/languages.h"

#include <math.h>
#include <string.h>

bool judging_shares_process(const struct judging *j)
{
    const struct device_info *d = j->o.setup.at.device;
    return d->type == DEVICE_CPU && !language_traits(d->language)->is_command;
}

bool judging_is_repeat(const struct judging *j)
{
    return j->doubted > 0 && j->current + j->doubted >= j->queued;
}

bool judging_is_alone(const struct judging *j)
{
    return j->current < j->alone_until || judging_is_repeat(j);
}

size_t judging_end_of_shared(const struct judging *j, size_t most)
{
    const size_t left = j->queued - j->doubted - j->current;
    // Nothing else is built while a worker is timed from outside.
    if (judging_is_alone(j) || (j->is_final && j->o.setup.at.device->type == DEVICE_CPU))
        return j->current + 1;
    return j->current + (left < most ? left : most);
}

void judging_note_begun(struct judging *j)
{
    const struct contestant *c = j->queue[j->ahead++];
    if (c->begun && c->leader != j->guest) {
        j->guest = c->leader;
        j->hosted++;
    }
}

// ---- the end of a candidate --------------------------------------------------------------------

static bool is_right(const struct contestant *c)
{
    return c->record.verdict <= JUDGE_SLOWER;
}

// Is it the better variant of the two? What is right comes first, then what is valid, then what seems faster.
static bool is_better_variant(const struct contestant *c, const struct contestant *than)
{
    if (is_right(c) != is_right(than))
        return is_right(c);
    if (!is_right(c))
        return than->record.verdict == JUDGE_INVALID && c->record.verdict != JUDGE_INVALID;
    return c->record.speedup.ratio > than->record.speedup.ratio;
}

// All variants are screened: the best goes on, or is what there is to tell. Its times are those by which it was chosen, so that
// `faster` needs the final, as for every candidate.
static void choose_variant(struct judging *j, struct contestant *leader)
{
    const uint32_t count = leader->record.variants;
    leader->chosen = leader;
    for (uint32_t i = 1; i < count; i++) {
        if (is_better_variant(leader + i, leader->chosen))
            leader->chosen = leader + i;
    }
    for (uint32_t i = 0; i < count; i++)
        leader[i].is_finalist = leader[i].is_finalist && leader + i == leader->chosen;
    if (leader->chosen->over)
        j->ready[j->ready_count++] = leader->chosen;
}

// Puts off a candidate that was wrong in a process in which others were, one of which may have done it: it is judged again at the end
// of the queue, alone, with the final's rounds, and that verdict counts. So it is once for all variants of a candidate: each trial
// more is a chance more for one that is wrong now and then.
static bool put_off(struct judging *j, struct contestant *c)
{
    struct judge_record *r = &c->record;
    if (!c->may_be_victim || c->leader->was_put_off)
        return false;
    r->evidence = r->log = "";
    r->at = NULL;
    r->error = r->baseline_error = NAN;
    c->over = c->may_be_victim = false;
    c->is_finalist = j->is_final;
    c->was_doubted = c->leader->was_put_off = true;
    j->current--;
    j->group_end--;
    j->ahead--;
    memmove(&j->queue[j->current], &j->queue[j->current + 1],
            (j->queued - j->current - 1) * sizeof *j->queue);
    j->queue[j->queued - 1] = c;
    j->doubted++;
    return true;
}

void judging_end_first(struct judging *j)
{
    struct contestant *c = j->queue[j->current++];
    contestant_drop(j, c);
    for (uint32_t i = 0; i < j->point_count; i++)
        attempt_release(&c->attempts[i]);
    c->begun = false;
    if (put_off(j, c))
        return;
    if (!j->is_final && c->record.variants > 1) {
        if (--c->leader->unscreened == 0)
            choose_variant(j, c->leader);
    } else if (c->over) {
        j->ready[j->ready_count++] = c;
    }
}
