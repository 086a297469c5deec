// The names of phases.
#include "model/phase.h"

#include "base/error.h"

static const char *const phase_texts[] = {PHASES(LIST_TEXT)};

const char *phase_text(enum phase_kind k)
{
    return (unsigned)k < PHASE_COUNT ? phase_texts[k] : "?";
}
