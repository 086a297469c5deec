// What a fake driver is told to do, in the environment, read anew at each call. The names of these
// variables begin with FAKE_CL_ or FAKE_CUDA_, which is FAKE_PREFIX where orders.c is compiled:
//
//   HANG   CALL or CALL@N: that call (its Nth in the process) never returns
//   FAIL   CALL:CODE or CALL:CODE@N: that call answers with the error code
//   TAKES  CALL:MS,CALL:MS,...: so many milliseconds pass in each of these calls
//   DIE    NAME=VALUE or #N: the launch of a program built with -DNAME=VALUE, or the Nth launch of
//          the process, kills the device
//   HOW    kill (default) | abort | wait: the process ends by SIGKILL, by abort(), or the wait for
//          the launch fails and nothing works in this process any more
//   STATE  a file: once it is there the device is dead for every process; dying makes it
//   DEAD   open (default) | refuse | wait | hang | kill | ...: what a dead device does
#ifndef HONE_TESTS_FAKE_ORDERS_H
#define HONE_TESTS_FAKE_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#define FAKE_NAME_MOST 64

// ---- for a test in the same process, which finds them with dlsym()

// How often the call was made since the start, or since everything was forgotten.
unsigned fake_count(const char *call);
void fake_forget(void);

// ---- for the driver

// At the head of each call, with its name: hangs, or returns the code to fail with, or 0.
int fake_enter(const char *call);
// Is the variable set to this word? The first word of `words` (separated by '|') is the default.
bool fake_is(const char *variable, const char *word, const char *words);
const char *fake_text(const char *variable, const char *fallback);
uint64_t fake_number(const char *variable, uint64_t fallback);
// The nth number, from 0, of a list with commas; where it has fewer, `fallback`.
uint64_t fake_nth(const char *list, unsigned n, uint64_t fallback);
// The one device that this process uses.
void fake_use_device(unsigned number);
unsigned fake_device(void);
// Do DIE and STATE, and what LIE does to outputs, concern this process's device?
bool fake_is_meant(void);
// At random, at most so much; other numbers in each process.
uint64_t fake_noise(uint64_t most);
// `whole` ns times the next factor of a file, in millionths; as it is where the path is "".
#define DRIFT_MOST 65536
uint64_t fake_drift(const char *path, uint64_t whole);
// Is the device dead, and is this what it then does?
bool fake_dead(const char *what);
// Has a death left this process alive? Nothing works in it any more.
bool fake_broken(void);
// A launch of a program with these options: may not return. False when its wait shall fail.
bool fake_launch(const char *options);
_Noreturn void fake_hang(void);

// The clock of the device's events, in ns from some point: begun before a command, and waited for
// by whoever waits for commands. Those in the queue follow each other; otherwise it keeps up with
// the host's clock, a moment apart.
void fake_clock_begin(uint64_t *now_ns);
void fake_clock_wait(uint64_t now_ns);
// At the end of a call that enqueues a launch: takes the host's time of ..._ENQUEUE_NS, during which
// the device has nothing to do once what is in its queue has run.
void fake_clock_enqueue(void);

// The value of -DNAME=VALUE in `options`, up to the next blank, or NULL.
const char *fake_define(const char *options, const char *name);
// Do they have the -DNAME=VALUE of this "NAME=VALUE"?
bool fake_is_built_with(const char *options, const char *order);

#endif
