// A string of a codec that may not be NULL.
#include "model/codec.h"

void codec_text(struct wire *w, const char **v)
{
    wire_str(w, v);
    if (w->mode == WIRE_READ && *v == NULL)
        wire_fail(w, "a text is missing");
}
