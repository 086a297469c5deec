// Where jobs may be measured: a device of this machine or of a node, and how workers are started there. Where jobs are built
// for devices elsewhere it has no device.
#pragma once

#include "os/process.h"
#include "worker/device_lock.h"

struct spare;

// Another machine on which workers run, as whoever connects to it (extras/nodes) keeps it. It outlives what runs there.
struct node {
    struct process_host host; // first: how workers are started there
    struct device_lock_host locks;
    int descriptor; // readable when something was heard, for who polls
    uint32_t cores; // that its workers may use; 0: it is not known yet
    // Counts what was heard of locks: one that was not free may be now when it has changed.
    uint32_t lock_news;
    bool is_told; // somebody has said that it is lost
};

// Why it is lost, for good, complete enough to print; NULL: it is not. Reads what was heard; never waits.
const char *node_lost(struct node *n);
// The lock of a device there, or with NULL in a folder of this machine.
bool node_open_lock(struct node *n, struct device_lock *l, const char *folder,
                    const struct device_info *d, struct error *e);

struct place {
    const char *name;               // the node's; "" of this machine
    struct node *node;              // NULL: this machine
    const char *const *worker;      // argv of a worker, NULL-terminated; of no meaning with a node
    const char *const *environment; // NAME=VALUE additions for workers, NULL-terminated; or NULL
    const struct device_info *device;
    struct spare *spare; // (optional) as live_options.at says
    uint32_t
        jobs; // build workers at most; 0: its part of its machine's, of a builder all of its cores
};

// Two views of one card of one machine: the same device, or the same card in another language. Whatever runs
// kernels on the host's processor is a view of it.
bool place_same_card(const struct place *a, const struct place *b);
// The same place with so many build workers at most, where it does not say how many itself.
struct place place_with_jobs(const struct place *p, uint32_t jobs);
