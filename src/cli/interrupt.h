// Ctrl-C (and SIGTERM, SIGHUP): the first asks for an end, the second ends the program at once. A
// reader of the output may also go away without ending the program.
#pragma once

void interrupt_catch(void);
// The signal that came, or 0.
int interrupt_pending(void);
