// A file system under SQLite whose Nth call fails: a full disk, an unreadable block, a lock that
// cannot be had.
#ifndef HONE_TESTS_STORE_FAULTS_H
#define HONE_TESTS_STORE_FAULTS_H

#include <stdbool.h>

// Becomes the file system of every database this process opens from then on.
void faults_install(void);
// Call number `at` (from 1) fails, and with `lasting` all after it; 0: none does. `full`: a write
// fails for want of space, else for a broken disk.
void faults_set(unsigned at, bool lasting, bool full);
// Ends the faults: whether there was any since faults_set(), and one of a write.
struct faults_met {
    bool any, write;
} faults_end(void);

#endif
