// Child processes with a socket pair as their channel, on posix_spawn, poll and waitpid of the
// child's own pid. No signal handler is installed and no other child of the process is touched.
// A host starts them on another machine instead; they are waited for, stopped and ended alike.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_host;

struct process {
    pid_t pid; // 0: none; also the process group. With a host: the host's number for it
    struct process_host *host; // NULL: it runs on this machine. Outlives the process
    int channel;               // our end of the socket pair, non-blocking, close-on-exec; -1: none
    int printed;     // read end of the pipe behind the child's descriptor 2, non-blocking; -1: none
    bool stopped;    // SIGSTOP was sent and not yet SIGCONT
    bool tail_cut;   // more was printed than `tail` holds
    char tail[4096]; // the last of what was printed, terminated
    size_t tail_length;
};

#define PROCESS_NONE                                                                               \
    {                                                                                              \
        .channel = -1, .printed = -1                                                               \
    }

// Starts argv[0] (searched in PATH when it has no slash) in a process group of its own. Descriptors
// 0 and 1 are the channel, 2 a pipe. `environment` lists NAME=VALUE additions to (or replacements
// in) the parent's environment and ends with NULL; NULL adds nothing. The child starts with no
// signal blocked or ignored. Write to the channel with send(MSG_NOSIGNAL): it may be dead.
bool process_start(struct process *p, const char *const *argv, const char *const *environment,
                   struct error *e);

// The same of a program of the user's: what it starts, in whatever group or session, ends with it, and
// the end of its output is seen while its input is open. Takes the hone-worker of this code between
// (os/beside.h); where there is none, it is process_start().
bool process_start_owned(struct process *p, const char *const *argv, struct error *e);

// Another machine. Its owner has this as its first member.
struct process_host {
    const struct process_host_operations *ops;
};

// None of them waits.
struct process_host_operations {
    // Starts the host's own program for such processes, with these additions to its environment:
    // fills in `pid`, `channel` and `printed`, which are descriptors of this machine.
    bool (*start)(struct process_host *h, struct process *p, const char *const *environment,
                  struct error *e);
    void (*signal)(struct process_host *h, pid_t number, int signal);
    // Is it gone? Then *status, as waitpid() gives it, or PROCESS_STATUS_UNKNOWN, and the number is
    // forgotten.
    bool (*is_gone)(struct process_host *h, pid_t number, int *status);
    void (*forget)(struct process_host *h, pid_t number); // its end will not be queried
    uint64_t (*memory)(struct process_host *h, pid_t number);
    // Why nothing is known of its processes any more, or NULL: all is well.
    const char *(*lost)(struct process_host *h);
};

// process_start() there.
bool process_start_on(struct process_host *h, struct process *p, const char *const *environment,
                      struct error *e);
// Why its end cannot be known: its host was lost. NULL on this machine, and if all is well.
const char *process_lost(const struct process *p);
// Its resident memory in bytes, on another machine as of a second ago; 0 if it cannot be
// determined.
uint64_t process_memory(const struct process *p);

// Reads what was printed (at most what a pipe holds), keeps the tail; never blocks. False once the
// pipe is at its end: it is then closed, and `printed` is -1.
bool process_drain(struct process *p);
// The length of the tail without the blanks and line ends behind it.
size_t process_tail_length(const struct process *p);
// Drops what the tail holds.
void process_forget(struct process *p);
// Signals the whole group; a no-op without a child.
void process_signal(struct process *p, int signal);
void process_stop(struct process *p);     // SIGSTOP, remembered
void process_continue(struct process *p); // SIGCONT if stopped
#define PROCESS_STATUS_UNKNOWN (-1)       // another caller took it, or SIGCHLD is ignored

// Waits at most timeout_ms (-1: for ever) for the child and drains meanwhile; true when it is gone,
// *status as waitpid() gives it. What it left in its group is then killed, and pid is 0. The
// channel stays open so that its last frames can be read.
bool process_wait(struct process *p, int timeout_ms, int *status);
// Has it ended, without being waited for? Its channel may be open all the same, in a child of it.
// False on another machine, where the channel ends with it.
bool process_has_ended(const struct process *p);
// SIGKILLs the group, waits (ten seconds, should a driver hold the dead process), closes
// everything; the tail stays readable. May be called on PROCESS_NONE.
void process_end(struct process *p);
// The same without waiting, for a process that is about to end itself: a zombie that is left goes
// with its parent.
void process_leave(struct process *p);
// "exited with status 3", "was killed by SIGSEGV (segmentation fault)".
void process_status_text(int status, char *out, size_t size);

// For a process that only passes on what others say: it need not run the moment it is woken (SCHED_BATCH), and so takes more at
// once, in fewer turns. Children inherit that. False if it is scheduled otherwise than by default: that stays.
bool process_batch(void);
void process_batch_end(void); // if that was true

// How many more files this process may open; SIZE_MAX if that cannot be determined.
size_t process_files_left(void);
// Advice after a failed open (errno): "", or " (...)" if the file limit was reached.
const char *process_files_advice(int number);

// The cores this process may use: affinity, further limited by the cgroup's CPU quota (v1 and v2),
// rounded up, at least 1.
unsigned process_cores(void);

// The load average of the last minute, in hundredths; 0 where the system does not tell.
uint32_t machine_load(void);
// Threads that run or would if they had a core, on the whole machine, the caller's included; 0 likewise.
uint32_t machine_running(void);
// The quota alone, rounded up, of the groups listed in the file `membership` (as /proc/self/cgroup)
// and those above them, below the folder `root` (as /sys/fs/cgroup); 0 if there is no quota.
unsigned cgroup_quota_cores(const char *membership, const char *root);

// Monotonic clock in nanoseconds.
uint64_t clock_ns(void);
// Processor time of this process, all its threads, in nanoseconds.
uint64_t clock_processor_ns(void);
