// The contents, named by digest, that a worker holds.
#pragma once

#include "worker/protocol.h"

struct blobs {
    struct blob *first;
};

// Takes a part of one. What is wrong with it is told when a job wants it; false without memory.
bool blobs_take(struct blobs *all, const struct blob_part *p);
// The same of one that is all in a file: it is read, and its digest made, while this worker goes on.
bool blobs_read(struct blobs *all, const struct blob_name *n);
// Points a job to the contents that it names; they live as long as the blobs. False where one is
// not here whole and as its digest says.
bool blobs_resolve(const struct blobs *all, struct job *j, struct error *e);
// Waits until nothing is read beside: a process that is forked has no threads but the one.
void blobs_settle(const struct blobs *all);
void blobs_free(struct blobs *all);
