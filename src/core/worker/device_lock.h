// The lock on a physical device, held for one configuration: two hones, or the OpenCL and CUDA
// workers of one card, take turns. A file with open-file-description locks: it goes with its
// holder, however that ends. Byte 0 is the device; byte 1 is locked (shared) by whoever waits, so
// that the holder lets others have a turn.
#pragma once

#include "base/error.h"
#include "model/device_info.h"

struct device_lock;

// The lock of a device of another machine: who stands there for us.
struct device_lock_host {
    int (*try)(struct device_lock_host *h, struct device_lock *l, struct error *e);
    void (*release)(struct device_lock_host *h, struct device_lock *l);
    void (*close)(struct device_lock_host *h, struct device_lock *l);
};

struct device_lock {
    int fd;
    struct device_lock_host *host; // NULL: this machine
    uint32_t number;               // the host's
    bool held;
    bool waiting;
    uint64_t released_ns; // when this process last let go
    uint64_t waits_ns;    // since when it waits
    uint64_t told_ns;     // when `holder` was last renewed
    uint64_t limit_ns;    // how long it may; 0: DEVICE_LOCK_WAIT_NS
    char path[256];
    char holder
        [512]; // "process 812 (hone tune a.json) of user anna, for 40 s (/tmp/hone-...)", while waiting
};

// A configuration, or a round of a ranking: so long nobody has to hold a device at a stretch.
#define DEVICE_LOCK_WAIT_NS (600ull * 1000000000)

// The file's name is made from the PCI address or UUID, or is the host's for a device that is or
// shares the host.
// Two devices with one name have one lock. `out` has at least DEVICE_LOCK_NAME bytes.
#define DEVICE_LOCK_NAME 64
void device_lock_name(const struct device_info *d, char *out);
// It stands in `folder`, which all users of the device share (such as /tmp).
bool device_lock_open(struct device_lock *l, const char *folder, const struct device_info *d,
                      struct error *e);
// The same by the file's name, as device_lock_name() makes it.
bool device_lock_open_named(struct device_lock *l, const char *folder, const char *name,
                            struct error *e);
bool device_lock_is_name(const char *name);
// On another machine, in the folder that is used there. The host outlives the lock.
void device_lock_open_on(struct device_lock *l, struct device_lock_host *h,
                         const struct device_info *d);
// 1: held now, 0: somebody else has it or is next, -1: error, also when that has been so for longer
// than the limit. Never blocks.
int device_lock_try(struct device_lock *l, struct error *e);
void device_lock_release(struct device_lock *l);
void device_lock_close(struct device_lock *l);
