// The table of backends, made of the list in backend.h.
#include "device/backend.h"

const struct backend *const device_backends[] = {
#define X(name) &name##_backend,
    BACKENDS(X)
#undef X
        NULL,
};
