// The table of a farm's members: reports have it, and what the store keeps of a run.
#include "base/fields.h"
#include "runner/farm.h"

#include <math.h>

#define MEMBER(X)                                                                                  \
    X(TEXT, name, (v->name), "", "")                                                               \
    X(TEXT, node, (v->place->name), "", "")                                                        \
    X(TEXT, id, (v->place->device->id), "", "")                                                    \
    X(TEXT, state, (farm_state_text(v->state)), "", "")                                            \
    X(SOME, why, (v->why), "", "it is in that state")                                              \
    X(U64, results, (v->results), "", "that it measured")                                          \
    X(U64, rounds, (v->rounds), "", "of the ranking that it ran")                                  \
    X(F64, ratio, (v->compared ? v->ratio.ratio : NAN), "", "its times by those of the others")    \
    X(PAIR, ratio_interval, (v->compared && v->ratio.interval, v->ratio.low, v->ratio.high), "", "")
FIELDS_SHARED(farm_member_fields, struct farm_member, void, MEMBER)

void farm_members_emit(const struct farm_member *members, uint32_t count, struct emit *j)
{
    emit_array(j);
    for (uint32_t i = 0; i < count; i++)
        emit_record(j, &farm_member_fields, &members[i], NULL);
    emit_array_end(j);
}
