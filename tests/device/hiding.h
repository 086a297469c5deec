// The loader, in place of the system's for a program that is linked with this.
#ifndef HONE_TESTS_DEVICE_HIDING_H
#define HONE_TESTS_DEVICE_HIDING_H

// Libraries with this in their names are not there; NULL: all are.
extern const char *hidden;

#endif
