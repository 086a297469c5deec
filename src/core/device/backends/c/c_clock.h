// The host's clocks, asked without a function of the C library: a kernel of this process could have
// put one of its own in its place. Between two readings lies a call of the system, which takes some
// 100 ns longer than the library's way.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t c_clock(clockid_t clock)
{
    struct timespec now = {0, 0};
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_clock_gettime), "D"((long)clock), "S"(&now)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_clock_gettime;
    register long first __asm__("x0") = clock;
    register void *second __asm__("x1") = &now;
    __asm__ volatile("svc #0" : "+r"(first) : "r"(number), "r"(second) : "memory");
#else
    syscall(SYS_clock_gettime, clock, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
