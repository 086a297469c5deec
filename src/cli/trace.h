// The last 200 events of builders, bench, recovery and the frames between them (LOG_DEBUG): how hone got where it is. They are
// printed on SIGUSR1, even if the program hangs, and when hone breaks by a fault of its own or of a worker. HONE_TRACE names
// a file that gets every event as it happens.
#pragma once

#include "base/error.h"

// `file`: HONE_TRACE, or NULL. False: it cannot be written.
bool trace_init(const char *file, struct error *e);
// Keeps an event.
void trace_note(const char *event);
// Prints the events after such a break; otherwise nothing.
void trace_broken(const struct error *broken);
