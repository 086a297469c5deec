// The backend of C: the host's compiler makes a shared object, whose kernels are called in this
// process and timed by its clock. Nothing of hone's own runs on it, and memory is the host's, so
// that most of the table stays empty.
#include "device/backends/c/c.h"

const struct backend c_backend = {
    .language = LANGUAGE_C,
    .prefix = "c/",
    .list = c_list,
    .open = c_open,
    .open_for = c_open_for,
    .start = c_start,
    .close = c_close,
    .memory_new = c_memory_new,
    .memory_free = c_memory_free,
    .program_new = c_program_new,
    .program_free = c_program_free,
    .program_image = c_program_image,
    .program_binary = c_program_image,
    .kernel_new = c_kernel_new,
    .kernel_free = c_kernel_free,
    .kernel_bind = c_kernel_bind,
    .run = c_run,
    .left = c_left,
};
