// A worker ends with its tuner.
#pragma once

#include <stdbool.h>

// From now on the process group is killed, within a second, when the parent process has ended or
// the channel's other end is closed: also while the worker is inside a driver's call, waits for a
// kernel or is stopped. The end of a thread of the parent means nothing. The channel stays open
// until the process ends. False when the parent is gone already, or without a thread.
bool watch_start(int channel);
// The last act of a worker. Where there is no tuner any more that would end what is left of the
// group, this ends it, and the worker with it.
void watch_end(void);
