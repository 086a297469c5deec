// A kernel that leaves something behind in its process, one thing a configuration. MODE=0 and those
// from 100 on are right, and leave nothing.
#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct part {
    float *y;
    const float *x;
    int n;
};

static void work(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float s = x[i];
        for (int k = 0; k < 40; k++)
            s = s * 0.5f + x[i];
        y[i] = s;
    }
}

static void *work_later(void *p)
{
    struct part *q = p;
    for (int i = 0; i < 40; i++)
        work(q->y, q->x, q->n);
    free(q);
    return NULL;
}

static void *spin(void *p)
{
    for (;;)
        ;
    return p;
}

static void handle(int signal)
{
    (void)signal;
}

// Sleeps longer than any test.
static void live_on(void)
{
    setsid();
    sleep(600);
    _exit(0);
}

static int stopped_clock(clockid_t c, struct timespec *t)
{
    static long at;
    (void)c;
    t->tv_sec = 1000;
    t->tv_nsec = at += 10;
    return 0;
}

// Puts a clock of its own in the place of the worker's.
static int patch(struct dl_phdr_info *o, size_t size, void *data)
{
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) *tables[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    (void)size, (void)data;
    if (o->dlpi_name && o->dlpi_name[0])
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);
    }
    for (; d && d->d_tag; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB)
            names = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_JMPREL)
            tables[0] = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ)
            sizes[0] = d->d_un.d_val / sizeof(ElfW(Rela));
        if (d->d_tag == DT_RELA)
            tables[1] = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ)
            sizes[1] = d->d_un.d_val / sizeof(ElfW(Rela));
    }
    for (int t = 0; t < 2; t++) {
        for (size_t k = 0; symbols && names && k < sizes[t]; k++) {
            void **slot = (void **)(o->dlpi_addr + tables[t][k].r_offset);
            if (strcmp(names + symbols[ELF64_R_SYM(tables[t][k].r_info)].st_name, "clock_gettime"))
                continue;
            mprotect((void *)((size_t)slot & ~4095ul), 4096, PROT_READ | PROT_WRITE);
            *slot = (void *)stopped_clock;
        }
    }
    return 0;
}

// Changes a byte of the C library's code.
static void patch_code(void)
{
    unsigned char *at = (unsigned char *)(void *)getppid;
    mprotect((void *)((size_t)at & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    at[20] ^= 1;
}

static void leave(void)
{
    pthread_t thread;
#if MODE == 1
    pthread_create(&thread, NULL, spin, NULL);
#elif MODE == 3
    if (fork() == 0)
        live_on();
#elif MODE == 5
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
#elif MODE == 6
    fesetround(FE_UPWARD);
#elif MODE == 7
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif MODE == 8
    (void)!chdir("/");
#elif MODE == 9
    umask(0777);
#elif MODE == 10
    setenv("LD_PRELOAD", "/nonexistent.so", 1);
#elif MODE == 11
    alarm(1);
#elif MODE == 12
    for (int i = 1; i < 65; i++)
        signal(i, SIG_IGN);
#elif MODE == 13
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
#elif MODE == 14
    (void)!open("/dev/null", O_RDONLY);
#elif MODE == 15
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    setpriority(PRIO_PROCESS, 0, 19);
#elif MODE == 16
    struct sched_param none = {0};
    sched_setscheduler(0, SCHED_BATCH, &none);
#elif MODE == 17
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, 0);
#elif MODE == 18
    timer_t timer;
    timer_create(CLOCK_REALTIME, NULL, &timer);
#elif MODE == 19
    dl_iterate_phdr(patch, NULL);
#elif MODE == 20
    patch_code();
#elif MODE == 21
    personality(ADDR_NO_RANDOMIZE);
#elif MODE == 22
    char parameters[256] = {0};
    syscall(425, 8, parameters); // io_uring_setup
#elif MODE == 23
    signal(SIGSEGV, handle);
#elif MODE == 24
    if (fork() == 0) {
        if (fork() == 0)
            live_on();
        _exit(0);
    }
    usleep(100000); // until the daemon is one
#elif MODE == 26
    for (int k = 3; k < 128; k++)
        (void)!write(k, "no frame of anything", 20);
#elif MODE == 27
    for (int k = 0; k < 1024; k++)
        close(k);
#elif MODE == 28
    kill(getppid(), SIGTERM);
#elif MODE == 29
    struct itimerval soon = {{0, 0}, {600, 0}};
    setitimer(ITIMER_PROF, &soon, NULL);
#elif MODE == 30
    exit(0);
#elif MODE == 31
    if (fork() == 0)
        live_on();
    kill(getppid(), SIGKILL);
#endif
    (void)thread, (void)spin, (void)handle, (void)live_on, (void)patch, (void)patch_code;
    (void)work_later;
}

static int calls;
const int mode_of_this = MODE; // no two objects are the same code

void f(float *y, const float *x, int n)
{
    calls++;
#if MODE == 2
    struct part *p = malloc(sizeof *p);
    pthread_t thread;
    *p = (struct part){y, x, n};
    if (calls > 1 && pthread_create(&thread, NULL, work_later, p) == 0) {
        pthread_detach(thread);
        return;
    }
#elif MODE == 4
    if (fork() == 0)
        return;
#elif MODE == 25
    if (calls == 1)
        atexit((void (*)(void))live_on);
#endif
    work(y, x, n);
    if (calls == 1)
        leave();
}
