#include "device/backend.h"

const struct backend *const device_backends[] = {
    &opencl_backend,
    &cuda_backend,
    NULL,
};
