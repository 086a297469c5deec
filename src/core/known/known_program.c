// Checks and runs the postfix programs that expressions are compiled to.
#include "known/known_program.h"

// Takes the operands of a step from the depth, and adds its result; -1 where there are not as many.
static int depth_behind(const struct known_step *s, int depth, uint32_t slots)
{
    int taken = known_step_operands(s->code);
    if (s->code < 0 || s->code >= KNOWN_STEP_COUNT || depth < taken)
        return -1;
    if (s->code < HONE_CORE_OPERATOR_COUNT)
        return depth - taken + 1;
    if (s->code == KNOWN_STEP_SLOT && (s->i < 0 || s->i >= (int64_t)slots))
        return -1;
    if (s->code <= KNOWN_STEP_SLOT)
        return depth + 1 > KNOWN_STACK_MOST ? -1 : depth + 1;
    if (s->code == KNOWN_STEP_JUMP)
        return depth;
    return depth - 1;
}

uint32_t known_program_check(const struct known_step *steps, uint32_t count, uint32_t slots)
{
    signed char
        met[KNOWN_STEPS_MOST + 1]; // the depth that a jump to the step has; -1: there is none
    int depth = 0, most = 0;       // depth -1: no way leads here but a jump
    if (count == 0 || count > KNOWN_STEPS_MOST)
        return 0;
    memset(met, -1, sizeof met);
    for (uint32_t i = 0; i < count; i++) {
        const struct known_step *s = &steps[i];
        if (met[i] >= 0 && depth >= 0 && met[i] != depth)
            return 0;
        depth = depth < 0 ? met[i] : depth;
        int behind = depth < 0 ? -1 : depth_behind(s, depth, slots);
        if (behind < 0)
            return 0;
        if (s->code > KNOWN_STEP_SLOT) {
            int at = depth - (s->code == KNOWN_STEP_UNLESS); // of the others the condition stays
            if (s->i <= (int64_t)i || s->i > (int64_t)count || (met[s->i] >= 0 && met[s->i] != at))
                return 0;
            met[s->i] = (signed char)at;
        }
        depth = s->code == KNOWN_STEP_JUMP ? -1 : behind;
        most = depth > most ? depth : most;
    }
    if (met[count] >= 0 && depth >= 0 && met[count] != depth)
        return 0;
    return (depth < 0 ? met[count] : depth) == 1 ? (uint32_t)most : 0;
}

hone_core_value known_program_run(const struct known_step *steps, uint32_t count,
                                  const hone_core_value *slots)
{
    hone_core_value stack[KNOWN_STACK_MOST + 1];
    uint32_t top = 0, at = 0; // stack[1 .. top]
    stack[0] = hone_core_fault(HONE_CORE_DOMAIN);
    while (at < count) {
        const struct known_step *s = &steps[at++];
        if (s->code < HONE_CORE_OPERATOR_COUNT) {
            hone_core_operator op = (hone_core_operator)s->code;
            bool is_binary = known_step_operands(s->code) == 2;
            top -= is_binary;
            stack[top] = is_binary ? hone_core_binary(op, stack[top], stack[top + 1])
                                   : hone_core_unary(op, stack[top]);
        } else if (s->code == KNOWN_STEP_PUSH) {
            stack[++top] = hone_core_int(s->i);
        } else if (s->code == KNOWN_STEP_REAL) {
            stack[++top] = hone_core_float(s->f);
        } else if (s->code == KNOWN_STEP_SLOT) {
            stack[++top] = slots[s->i];
        } else if (s->code == KNOWN_STEP_JUMP) {
            at = (uint32_t)s->i;
        } else if (stack[top].kind == HONE_CORE_FAULT) {
            return stack[top];
        } else if (s->code == KNOWN_STEP_UNLESS) {
            at = hone_core_truth(stack[top--]) ? at : (uint32_t)s->i;
        } else if (hone_core_truth(stack[top]) == (s->code == KNOWN_STEP_OR)) {
            at = (uint32_t)s->i;
        } else {
            top--;
        }
    }
    return stack[top];
}
