// What is installed with this code: found by where the code itself lies, so that an installed tree
// can be moved.
#ifndef HONE_OS_BESIDE_H
#define HONE_OS_BESIDE_H

#include <stdbool.h>

enum { BESIDE_PATH_SIZE = 4096 };

// The file of the program that runs. False, with errno: it cannot be told.
bool beside_program(char out[BESIDE_PATH_SIZE]);
// The folder of the program or shared library that this code was linked into, with the slash at its
// end; "" where that cannot be told.
void beside_folder(char out[BESIDE_PATH_SIZE]);
// The hone-worker of this code: in that folder, as after a build, else where `cmake --install` puts
// it, seen from that folder. False: there is none.
bool beside_worker(char out[BESIDE_PATH_SIZE]);

#endif
