// Which device is meant. A pure function of the list.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/device_info.h"

// `wanted`: a part of a device's name, platform, id or UUID, case ignored; one whose name, id, UUID, PCI
// address or number (device_number_cards()) it equals wins, in any language of the card. Several that fit are listed and refused, unless all are equal cards: then the first is taken; when none fits, those there are are listed. NULL:
// the only device, else the first GPU, integrated GPU, CPU, accelerator, by name and id among
// equals: never by the order in which platforms come. Views of one card in several languages are
// one device: the first of them in the list is taken, so the caller puts the languages in their
// order. A language that comes last counts where no other device does. NULL with the error set when there is no answer.
const struct device_info *choose_device(const struct device_info *devices, size_t count,
                                        const char *wanted, struct error *e);

// The next card behind `after` among the equal ones that `wanted` fits, in the same language; NULL: there
// is none.
const struct device_info *next_equal_device(const struct device_info *devices, size_t count,
                                            const char *wanted, const struct device_info *after);

// A line for each, as messages list them.
void list_devices(const struct device_info *devices, size_t count, struct text *out);
// How many cards of the chosen one's type there are.
size_t count_like_devices(const struct device_info *devices, size_t count,
                          const struct device_info *device);
// How many devices `wanted` fits in that way, an equal name or id aside.
size_t count_fitting_devices(const struct device_info *devices, size_t count, const char *wanted);
