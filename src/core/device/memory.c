// Host memory between guard zones, inside address space that is reserved and inaccessible, as large as
// the system grants; and looking at the zones afterwards.
#include "device/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVE_MOST  (UINT64_C(1) << 30) // on each side; halved until the system agrees
#define RESERVE_LEAST (UINT64_C(1) << 20)

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static void *reserve(uint64_t length)
{
    void *p = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool mapping_new(struct mapping *m, uint64_t bytes, struct error *e)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t head = round_up(GUARD_BYTES, page);
    uint64_t body = head + round_up(bytes + GUARD_BYTES, page);
    *m = (struct mapping){.base = NULL};
    if (bytes > UINT64_MAX / 4)
        return error_set(e, ERROR_MEMORY, "a buffer of %llu bytes is too large",
                         (unsigned long long)bytes);
    for (uint64_t side = RESERVE_MOST; !m->base && side >= RESERVE_LEAST; side /= 2) {
        m->length = body + 2 * side;
        m->base = reserve(m->length);
        m->data = m->base ? m->base + side + head : NULL;
    }
    if (!m->base)
        return error_set_driver(e, ERROR_MEMORY, errno, "cannot map %llu bytes: %s",
                                (unsigned long long)bytes, strerror(errno));
    if (mprotect(m->data - head, body, PROT_READ | PROT_WRITE) != 0) {
        error_set_driver(e, ERROR_MEMORY, errno, "cannot map %llu bytes: %s",
                         (unsigned long long)bytes, strerror(errno));
        mapping_free(m);
        return false;
    }
    m->tail = body - head - bytes;
    return true;
}

void mapping_free(struct mapping *m)
{
    if (m->base)
        munmap(m->base, m->length);
    *m = (struct mapping){.base = NULL};
}

uint8_t guard_byte(uint64_t serial)
{
    return (uint8_t)(GUARD_BYTE ^ (serial & 0x3f)); // never the poison, nor all zeros or ones
}

struct trespass guard_look_behind(const uint8_t *zone, uint64_t length, uint8_t guard)
{
    struct trespass t = {0, 0};
    for (uint64_t i = 0; i < length; i++) {
        if (zone[i] != guard && t.count++ == 0)
            t.first = i;
    }
    return t;
}

struct trespass guard_look_before(const uint8_t *zone, uint64_t length, uint8_t guard)
{
    struct trespass t = {0, 0};
    for (uint64_t i = length; i-- > 0;) {
        if (zone[i] != guard && t.count++ == 0)
            t.first = length - i;
    }
    return t;
}
