// The pace of a host: a slower one counts at once, a faster one by and by.
#include "device/hold.h"

#define FIXED_NS      10000
#define MOST_NS       UINT64_C(5000000)
#define COMMAND_LEAST 1500
#define COMMAND_MOST  100000 // a command that takes longer says something of the machine's load

uint64_t hold_for(const struct hold_pace *p, uint32_t commands)
{
    uint64_t ns = FIXED_NS + 2 * p->command_ns * commands;
    return ns < MOST_NS ? ns : MOST_NS;
}

void hold_learn(struct hold_pace *p, uint32_t commands, uint64_t host_ns)
{
    uint64_t each = commands ? host_ns / commands : 0;
    if (commands < 2) // one may pay for much that is done once
        return;
    each = each < COMMAND_LEAST ? COMMAND_LEAST : each > COMMAND_MOST ? COMMAND_MOST : each;
    p->command_ns = each > p->command_ns ? each : (3 * p->command_ns + each) / 4;
}
