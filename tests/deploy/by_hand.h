// A dispatch table made by hand: a spec of two parameters and two columns, three configurations, two devices.
#ifndef HONE_TESTS_DEPLOY_BY_HAND_H
#define HONE_TESTS_DEPLOY_BY_HAND_H

#include "extras/deploy/dispatch.h"

struct by_hand {
    struct deploy_table table;
    struct spec *spec;
    struct arena arena;
};

// block in 8, 16, 32; unroll in 1, 2; M % block == 0, and block * unroll <= device_max_work_group_size. Configurations:
// 0 the default (8, 1), 1 (16, 1), 2 (32, 2). "Card A" of Vendor, arch_1, 10 units, has M=64,N=64 -> 0, M=256,N=256 -> 1,
// M=4096,N=256 -> 2; "Card B" of Vendor, arch_2, 20 units, has M=64,N=64 -> 1.
void by_hand_init(struct by_hand *h);
void by_hand_release(struct by_hand *h);

#endif
