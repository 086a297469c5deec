// The codecs of a policy and of a comparison.
#include "model/policy.h"

void policy_codec(struct wire *w, struct policy *p)
{
    wire_u32(w, &p->launches);
    wire_u32(w, &p->batch);
    wire_u32(w, &p->warmups);
    wire_u64(w, &p->hopeless_ns);
    wire_u64(w, &p->budget_ns);
    wire_u64(w, &p->launch_limit_ns);
    wire_u64(w, &p->build_limit_ns);
    wire_bool(w, &p->cold);
    wire_bool(w, &p->fixed);
    wire_enum(w, &p->check, POLICY_CHECKS);
    wire_u64(w, &p->chosen);
    wire_u64(w, &p->inputs);
    wire_bool(w, &p->energy);
    wire_bool(w, &p->counters);
    wire_bool(w, &p->host_clock);
    wire_bool(w, &p->audit);
}

#define LONG_NS         10000000
#define LONG_ON_CARD_NS 2000000

bool policy_is_long(const struct device_info *device, uint64_t launch_ns)
{
    bool is_card = device->type == DEVICE_GPU && !device->shares_host;
    return launch_ns >= (is_card ? LONG_ON_CARD_NS : LONG_NS);
}

void check_apart_codec(struct wire *w, struct check_apart *c)
{
    wire_u64(w, &c->inputs);
    wire_u64(w, &c->launch);
    wire_bool(w, &c->audit);
}
