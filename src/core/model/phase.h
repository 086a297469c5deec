// Activities of a device: a worker reports each before it starts, and the waiting side takes its
// time limit from it and blames a crash on it.
#pragma once

#define PHASES(X)                                                                                  \
    X(IDLE, "idle")                                                                                \
    X(OPENING, "opening the device")                                                               \
    X(BUILDING, "building")                                                                        \
    X(PRIMING, "running one work-group ahead of time")                                             \
    X(LOADING, "loading")                                                                          \
    X(INPUTS, "making inputs")                                                                     \
    X(REFERENCE, "making the reference")                                                           \
    X(LAUNCHING, "running")                                                                        \
    X(CHECKING, "checking the result")

enum phase_kind {
#define X(name, text) PHASE_##name,
    PHASES(X)
#undef X
        PHASE_COUNT
};

const char *phase_text(enum phase_kind k);
