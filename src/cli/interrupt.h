// Ctrl-C (and SIGTERM, SIGHUP): the first asks for an end, the second ends the program at once. A
// reader of the output may also go away without ending the program.
#pragma once

#include <stdbool.h>

void interrupt_catch(void);
// The signal that came, or 0.
int interrupt_pending(void);

// Asks for an end after this time, too, as SIGALRM; 0: no longer.
void interrupt_after(unsigned seconds);
// Has that time passed? Then the work may go on with something else.
bool interrupt_take_alarm(void);
