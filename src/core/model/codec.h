// The parts of the job's layout that keys hash on their own, and a helper of all codecs of this
// folder and of the frames.
#pragma once

#include "model/job.h"

// A string that may not be NULL: reading one fails the wire.
void codec_text(struct wire *w, const char **v);

void element_codec(struct wire *w, struct element *el);
void job_image_codec(struct wire *w, struct job_image *i);
void fill_codec(struct wire *w, struct job_fill *f);
void program_codec(struct wire *w, struct job_program *p);
void routine_codec(struct wire *w, struct job *j);
// `depth` is that of the job the reference belongs to: 0 for one that nothing refers to.
void reference_codec(struct wire *w, struct job_reference *r, unsigned depth);

// A job, and the job it is held against. A reference of a reference would never be looked at.
#define JOB_MAX_DEPTH 2
