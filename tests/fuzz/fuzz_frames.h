// Kinds of payload that the frames' target knows by the first byte of its input.
#ifndef HONE_TESTS_FUZZ_FUZZ_FRAMES_H
#define HONE_TESTS_FUZZ_FUZZ_FRAMES_H

#include "worker/protocol.h"

enum frame_kind {
    KIND_JOB,
    KIND_RESULT,
    KIND_DEVICE,
    KIND_HELLO,
    KIND_OPEN,
    KIND_IMAGE,
    KIND_POLICY,
    KIND_PHASE,
    KIND_REPORT,
    KIND_BLOB,
    KIND_BLOB_FILE,
    KIND_CODECS, // how many of them have a codec

    KIND_RESULT_OLD = KIND_CODECS, // a byte says the format
    KIND_STREAM,                   // a byte says how many bytes arrive at once
    KIND_COUNT
};

typedef void (*frame_codec)(struct wire *w, void *value);
extern const frame_codec frame_codecs[KIND_CODECS];

#endif
