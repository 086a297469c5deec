// GPUs that the system shows but no OpenCL driver offers, with the reason and what to do about it.
#ifndef HONE_DEVICE_MISSING_H
#define HONE_DEVICE_MISSING_H

#include "device/device.h"

// Looks below `root` ("/" or a made-up tree) at sys/bus/pci/devices, dev/dri and etc/OpenCL/vendors
// and adds to out->missing what out->devices do not cover.
bool missing_scan(struct arena *a, const char *root, struct device_report *out, struct error *e);

#endif
