// GPUs that the system shows but no OpenCL driver offers, with the reason and what to do about it.
#pragma once

#include "device/device.h"

// Looks below `root` ("/" or a made-up tree) at sys/bus/pci/devices, dev/dri and etc/OpenCL/vendors
// and adds to out->missing what out->devices do not cover.
bool missing_scan(struct arena *a, const char *root, struct device_report *out, struct error *e);
