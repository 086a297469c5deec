// Ctrl-C (and SIGTERM): the first asks for an end, the second ends the program at once.
#ifndef HONE_CLI_INTERRUPT_H
#define HONE_CLI_INTERRUPT_H

void interrupt_catch(void);
// The signal that came, or 0.
int interrupt_pending(void);

#endif
