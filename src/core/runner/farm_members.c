// A farm's members as JSON: reports have it, and what the store keeps of a run.
#include "runner/farm.h"

#include <math.h>

void farm_members_emit(const struct farm_member *members, uint32_t count, struct emit *j)
{
    emit_array(j);
    for (uint32_t i = 0; i < count; i++) {
        const struct farm_member *m = &members[i];
        emit_object(j);
        emit_text_at(j, "name", m->name);
        emit_text_at(j, "node", m->place->name);
        emit_text_at(j, "id", m->place->device->id);
        emit_text_at(j, "state", farm_state_text(m->state));
        emit_text_at(j, "why", m->why[0] ? m->why : NULL);
        emit_u64_at(j, "results", m->results);
        emit_u64_at(j, "rounds", m->rounds);
        emit_f64_at(j, "ratio", m->compared ? m->ratio.ratio : NAN);
        emit_pair_at(j, "ratio_interval", m->compared && m->ratio.interval, m->ratio.low,
                     m->ratio.high);
        emit_object_end(j);
    }
    emit_array_end(j);
}
