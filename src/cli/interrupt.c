// Ctrl-C and its kin: the handler notes the signal, and the loops of the program ask for it.
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

// A handler can talk to the program only through a global.
static volatile sig_atomic_t pending;

static void note_signal(int signal)
{
    pending = signal;
}

void interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    // The default comes back with the first signal: a second one ends the program.
    action.sa_flags = SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a reader who went away is seen by the write that fails
}

int interrupt_pending(void)
{
    return pending;
}

void interrupt_after(unsigned seconds)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
}

bool interrupt_take_alarm(void)
{
    const bool has_passed = pending == SIGALRM;
    if (has_passed)
        pending = 0;
    return has_passed;
}
