// Files installed with this code, found relative to the code itself, so that an installed tree can
// be moved.
#pragma once

#include <stdbool.h>

enum { BESIDE_PATH_SIZE = 4096 };

// The file of the running program. False, with errno, if it cannot be determined.
bool beside_program(char out[BESIDE_PATH_SIZE]);
// The folder of the program or shared library that this code was linked into, with the slash at its
// end; "" if it cannot be determined.
void beside_folder(char out[BESIDE_PATH_SIZE]);
// The hone-worker of this code: in that folder, as after a build, else in the folder where `cmake
// --install` puts it, seen from that folder. False: there is none.
bool beside_worker(char out[BESIDE_PATH_SIZE]);
