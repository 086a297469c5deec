// The last events, as lines that are ready to be written: a handler of a signal may do no more than that.
#include "cli/trace.h"

#include "base/text.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = 200, LINE_SIZE = 240 };

// The handler can reach the events through a global only. A line that is being written when the signal comes is printed as it is.
static struct {
    char lines[EVENTS][LINE_SIZE];
    volatile sig_atomic_t count; // of all events; the next one is written to lines[count % EVENTS]
    uint64_t start_ns;
    int file;
} trace = {.file = -1};

static void write_line(int fd, const char *line)
{
    ssize_t written = write(fd, line, strlen(line));
    (void)written; // there is nobody else to tell
}

static void print_events(void)
{
    int end = trace.count;
    write_line(STDERR_FILENO, "hone: the last events, with the seconds since hone began:\n");
    for (int i = end > EVENTS ? end - EVENTS : 0; i < end; i++)
        write_line(STDERR_FILENO, trace.lines[i % EVENTS]);
}

static void print_on_signal(int signal)
{
    int kept = errno;
    (void)signal;
    print_events();
    errno = kept;
}

bool trace_init(const char *file, struct error *e)
{
    struct sigaction action;
    trace.start_ns = clock_ns();
    memset(&action, 0, sizeof action);
    action.sa_handler = print_on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    if (!file)
        return true;
    trace.file = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return trace.file >= 0 ||
           error_set_driver(e, ERROR_USAGE, errno, "HONE_TRACE: '%s' cannot be written: %s", file,
                            strerror(errno));
}

void trace_note(const char *event)
{
    char *line = trace.lines[trace.count % EVENTS];
    double seconds = (double)(clock_ns() - trace.start_ns) * 1e-9;
    str_format(line, LINE_SIZE - 1, "%10.6f  %s", seconds, event);
    memcpy(line + strlen(line), "\n", 2);
    trace.count = trace.count + 1;
    if (trace.file >= 0)
        write_line(trace.file, line);
}

void trace_broken(const struct error *broken)
{
    if (broken->code == ERROR_INTERNAL || broken->code == ERROR_WORKER)
        print_events();
}
