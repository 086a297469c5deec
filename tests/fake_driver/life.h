// One life of a device in this process: listed, opened, a job from its building to its end, closed.
// For tests of a driver that fails on order. Where this is compiled FAKE_PREFIX says how the
// driver's variables begin.
#ifndef HONE_TESTS_FAKE_LIFE_H
#define HONE_TESTS_FAKE_LIFE_H

#include "model/job.h"

#define LIFE_COUNT     256
#define LIFE_CODE      (-1234) // nobody's
#define LIFE_CODE_TEXT "-1234"

struct life {
    char said[4096]; // what failed, all of it
    bool correct;    // verified and measured
    bool right;      // and the output is what it should be
    bool unread;     // the output could not be looked at
};

// The job: c = a + b.
struct job *life_job(enum language language);
void life_live(struct life *life, enum language language);
// OpenCL, the program rewritten for this target of PTX. The fake driver's binary is the text
// itself, which can pass for PTX.
void life_live_retargeted(struct life *life, const char *target);
// The time measured of a launch that takes 5,000 ns, in blocks of 8, where the host takes 40,000 to
// enqueue it.
uint64_t life_short_launch_ns(const char *device, enum language language);
// Sets a variable of the driver ("FAIL" is FAKE_..._FAIL).
void life_order(const char *variable, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
