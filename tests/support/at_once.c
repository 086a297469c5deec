#include "at_once.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64 };

struct running {
    pid_t pid; // 0: free
    const struct at_once *what;
    int i;
};

// A failed assertion sends its text to the suite and exits.
static void start_one(struct running *r, const struct at_once *what, int i)
{
    fflush(NULL); // or the process writes it, too
    *r = (struct running){fork(), what, i};
    ck_assert_int_ge(r->pid, 0);
    if (r->pid > 0)
        return;
    what->run(i);
    fflush(NULL);
    _exit(0);
}

static unsigned end_one(struct running *running)
{
    int status;
    pid_t pid = wait(&status);
    ck_assert_int_gt(pid, 0);
    for (size_t i = 0; i < MOST; i++) {
        if (running[i].pid != pid)
            continue;
        running[i].pid = 0;
        if (status != 0)
            fprintf(stderr, "%s %d failed (%s %d)\n", running[i].what->name, running[i].i,
                    WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return status != 0;
}

void at_once(const struct at_once *list, size_t count, unsigned most)
{
    struct running running[MOST] = {{.pid = 0}};
    unsigned busy = 0, failed = 0;
    ck_assert_uint_le(most, MOST);
    for (size_t n = 0; n < count; n++) {
        for (int i = list[n].first; i < list[n].end; i++) {
            size_t slot = 0;
            if (busy == most)
                failed += end_one(running), busy--;
            while (running[slot].pid)
                slot++;
            start_one(&running[slot], &list[n], i);
            busy++;
        }
    }
    for (; busy > 0; busy--)
        failed += end_one(running);
    ck_assert_msg(failed == 0, "%u of them failed", failed);
}
