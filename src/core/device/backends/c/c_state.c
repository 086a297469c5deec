// State that a kernel can leave behind in its process and only the process itself sees: how the processor
// rounds, the environment, alarms, and work that goes on after the kernel has returned. The rest is
// seen from outside (worker/cell.c).
#include "device/backends/c/c.h"

#include "base/digest.h"
#include "base/text.h"
#include "device/backends/c/c_clock.h"
#include "device/parallel.h"
#include "os/process_state.h"

#include <string.h>
#include <sys/time.h>

// Threads that went on after a kernel's return are believed to have done its work where they took so
// long, and at least half of what the launches took.
#define ASTRAY_NS (UINT64_C(200) * 1000)
// How long a thread that was joined may still be seen.
#define JOINED_NS 1000000

// Rounding, flushing to zero and masked exceptions: all but the flags that arithmetic sets.
static uint64_t rounding_now(void)
{
#if defined(__x86_64__)
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | (__builtin_ia32_stmxcsr() & ~0x3fu);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#else
    return 0;
#endif
}

static void rounding_restore(uint64_t state)
{
#if defined(__x86_64__)
    uint16_t x87 = (uint16_t)(state >> 32);
    __asm__ volatile("fldcw %0" : : "m"(x87));
    __builtin_ia32_ldmxcsr((uint32_t)state);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(state));
#else
    (void)state;
#endif
}

// Time that the process took, and neither this thread nor hone's own: those make inputs, empty caches and compare.
static uint64_t others_ns(void)
{
    uint64_t all = c_clock(CLOCK_PROCESS_CPUTIME_ID), own = c_clock(CLOCK_THREAD_CPUTIME_ID);
    own += parallel_spent_ns();
    return all > own ? all - own : 0;
}

static void digest_environment(struct digest *out)
{
    struct digest_state s;
    digest_start(&s);
    for (char **at = environ; at && *at; at++)
        digest_add(&s, *at, strlen(*at) + 1);
    digest_finish(&s, out);
}

void c_state_note(struct c_host *h)
{
    digest_environment(&h->environment);
    h->is_noted = true;
}

void c_state_before(struct c_host *h)
{
    uint64_t others = others_ns();
    h->rounding = rounding_now();
    if (h->launched_ns && others > h->others_ns) // the two clocks are not read at one moment
        h->astray_ns += others - h->others_ns;
}

bool c_state_after(struct c_host *h, uint64_t took_ns, struct result *r)
{
    h->others_ns = others_ns();
    h->launched_ns += took_ns;
    if (rounding_now() == h->rounding)
        return true;
    rounding_restore(h->rounding);
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                       "the kernel changed how the processor rounds, and left it so");
}

static bool is_alarm_set(void)
{
    bool any = false;
    for (int which = 0; which < 3; which++) { // real, virtual, profiling
        struct itimerval timer = {{0, 0}, {0, 0}};
        getitimer((__itimer_which_t)which, &timer);
        any = any || timer.it_value.tv_sec || timer.it_value.tv_usec;
    }
    return any;
}

// Fails a kernel that left threads running, or whose threads worked after it had returned: a thread that is
// still there works, or waits to, and the time of one that is gone is seen. Neither is a sign if a library
// is loaded whose threads look for work for a while after it is done.
static bool is_work_left(struct c_host *h, struct result *r)
{
    struct timespec joined = {.tv_nsec = JOINED_NS};
    char took[32], launches[32];
    uint32_t threads = h->has_pool ? h->threads : process_threads(getpid());
    if (threads > h->threads) {
        nanosleep(&joined, NULL);
        threads = process_threads(getpid());
    }
    c_state_before(h); // books what has passed since the last launch
    if (threads > h->threads) {
        result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                    "the kernel left %u thread%s running after it had returned: its launches end "
                    "when its work does",
                    threads - h->threads, threads - h->threads == 1 ? "" : "s");
        return true;
    }
    if (h->has_pool || h->astray_ns <= ASTRAY_NS || h->astray_ns <= h->launched_ns / 2)
        return false;
    duration_to_str((double)h->astray_ns, took);
    duration_to_str((double)h->launched_ns, launches);
    result_fail(
        r, STATUS_RUNTIME, FAULT_CONFIGURATION,
        "threads of the kernel worked for %s after it had returned, and its launches took %s: "
        "its launches end when its work does",
        took, launches);
    return true;
}

bool c_left(void *own, struct result *r)
{
    struct c_host *h = own;
    struct digest environment;
    if (!h->is_noted)
        return true;
    digest_environment(&environment);
    if (!digest_equal(&environment, &h->environment))
        return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                           "the kernel changed the environment of its process");
    if (is_alarm_set())
        return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                           "the kernel left an alarm set (alarm() or setitimer())");
    if (is_work_left(h, r))
        return false;
    h->astray_ns = h->launched_ns = 0;
    return true;
}
