// A file system under SQLite whose Nth call fails: a full disk, an unreadable block, a lock that
// cannot be had.
#ifndef HONE_TESTS_STORE_FAULTS_H
#define HONE_TESTS_STORE_FAULTS_H

#include <stdbool.h>

enum file_fault {
    FAULT_DISK,
    FAULT_FULL,   // as FAULT_DISK, but a write fails for want of space
    FAULT_MEMORY, // only reads of pages fail and count, for want of memory
};

// Becomes the file system of every database this process opens from then on.
void faults_install(void);
// Call number `at` (from 1) fails, and with `lasting` all after it; 0: none does.
void faults_set(unsigned at, bool lasting, enum file_fault kind);
// Ends the faults: what was met since faults_set(), a fault at all and one of a write.
struct faults_met {
    bool any, write;
    unsigned reads; // calls that read, whether or not one failed
} faults_end(void);

#endif
