// A driver for tests: libOpenCL.so.1 with as much of OpenCL 1.2 as hone-worker calls, and no
// device. It runs no kernels; it knows a few by a marker in their text
// (../fake_driver/kernel.h) and does on the host what they say. The clock of its events is its own.
// A test finds it through LD_LIBRARY_PATH.
//
// What else it does is asked for in the environment, read anew at each call:
//
//   FAKE_CL_KIND    gpu (default) | cpu | pocl | nvidia | card: what it passes for (kinds in
//                   objects.c; a card has a PCI address, 0000:65:00.0); none: no platform
//   FAKE_CL_DOMAIN  the first number of that address: cards of different ones do not wait for each
//                   other's lock
//   FAKE_CL_NAME    the device's name
//   FAKE_CL_MIB     of its memory (256)
//   FAKE_CL_DEVICES how many there are (1), each a card with a PCI bus of its own where kinds have one
//   FAKE_CL_MODELS  their models, "1,1,2": those of one number are alike, 1 being the name's
//   FAKE_CL_SPEED   in per cent how long launches take on each, "100,104,100" (missing ones: 100)
//   FAKE_CL_NOISE   so many millionths at most launches take longer, at random
//   FAKE_CL_DRIFT   a file of factors in millionths, a line each: a launch after the other takes that
//                   much of its time
//   FAKE_CL_ONLY    a number: DIE, STATE and outputs that LIE makes wrong concern that device alone
//   FAKE_CL_HANG    CALL or CALL@N: that call (its Nth in the process) never returns
//   FAKE_CL_TAKES   CALL:MS,CALL:MS,...: so many milliseconds pass in each of these calls
//   FAKE_CL_FAIL    CALL:CODE or CALL:CODE@N: that call answers with the error code
//   FAKE_CL_DIE     NAME=VALUE or #N: the launch of a program built with -DNAME=VALUE, or the Nth
//                   launch of the process, kills the device
//   FAKE_CL_HOW     kill (default) | abort | wait: the process ends by SIGKILL, by abort(), or the
//                   wait for the launch fails and nothing works in this process any more
//   FAKE_CL_STATE   a file: once it is there the device is dead for every process; dying makes it
//   FAKE_CL_DEAD    open (default) | build | refuse | wait | hang | kill: what a dead device does
//   FAKE_CL_LIE     garbage | nothing | zero | unread: outputs are wrong or left as they were, the
//                   times of events are 0, reading answers success and reads nothing
//   FAKE_CL_LIE_OF  NAME=VALUE: LIE concerns outputs of programs built with -DNAME=VALUE alone
//   FAKE_CL_TIMES   instant | backwards | slow | fast: events end when they begin, or before, or
//   their
//                   clock runs a thousand times too slow or too fast; FAKE_CL_HONEST: not so many
//                   first commands
//   FAKE_CL_TICK_NS        of the event clock (default 1); FAKE_CL_RESOLUTION_NS is what the device
//                          says of it (default: the same)
//   FAKE_CL_COMMAND_NS     that each command takes (default 10000); -DFAKE_NS=N in the options of
//                          a program says it for its kernels, -DFAKE_NS_MODEL_2=N on devices of that model
//   FAKE_CL_ENQUEUE_NS     that the host takes to enqueue a launch (0)
//   FAKE_CL_IL      what it says of the intermediate languages that it takes ("SPIR-V_1.0"; none)
//   FAKE_CL_EVENT_NS       that the device takes before a launch whose event is asked for (0)
//
// -DFAKE_ERROR, or with a value that is not 0, does not build.
#ifndef HONE_TESTS_FAKE_H
#define HONE_TESTS_FAKE_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include "../fake_driver/kernel.h"

// For a test in the same process, which finds it with dlsym(): objects that were made and not
// released.
int fake_live_objects(void);

// ---- objects.c: what is counted and released

#define FAKE_DEVICES_MOST 64

void *fake_new(size_t size); // zeroed, counted, one reference
void fake_free(void *object);

// An answer of any clGet...Info.
cl_int fake_answer(const void *data, size_t length, size_t room, void *out, size_t *needed);
cl_int fake_answer_text(const char *text, size_t room, void *out, size_t *needed);

// commands.c: all commands are over.
void fake_wait(void);

struct _cl_context {
    unsigned references;
};

struct _cl_command_queue {
    unsigned references;
};

struct _cl_mem {
    unsigned references;
    uint8_t *data;
    size_t size;
    bool own;      // data is to be freed
    cl_mem parent; // of a sub-buffer, which holds a reference
};

struct _cl_program {
    unsigned references;
    char *source, *options;
    bool built;
    unsigned
        constant; // of specialization, that its launches take so many nanoseconds; 0: it has none
};

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *code);
cl_int clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t length,
                                          const void *value);

struct argument {
    bool set;
    cl_mem memory;
    uint8_t value[64];
};

struct _cl_kernel {
    unsigned references;
    struct declaration declared;
    char *options;
    struct argument arguments[ARGUMENTS_MOST];
};

struct _cl_event {
    unsigned references;
    bool user;
    bool wanted;   // the caller has it
    cl_int status; // an execution status, or an error
    cl_ulong start, end;
    cl_event after;   // a launch that waits for this user event
    cl_kernel kernel; // of such a launch, with its size
    size_t work_items;
    void(CL_CALLBACK *told)(cl_event event, cl_int status, void *context);
    void *context;
};

#endif
