// Walking over what a node yields, without making a list where none is needed.
#pragma once

#include "expr/syntax_node.h"

// A visitor receives the items. Embed it as the first member.
struct visitor {
    enum expr_fault (*visit)(struct visitor *v, struct frame *f, const struct value *item);
    bool done;     // set by visit(): no more items are wanted
    bool collects; // keeps every item: a length beyond the limit need not be begun
};

// Generators and ranges yield one item at a time; anything else is evaluated, then walked.
enum expr_fault iterate_node(const struct node *n, struct frame *f, struct visitor *v);
// A list's items, or a string's characters.
enum expr_fault iterate_value(const struct value *value, struct frame *f, struct visitor *v);

// A list under construction in the frame's scratch.
struct builder {
    struct visitor visitor;
    struct value *items;
    uint32_t count, capacity;
};
void builder_init(struct builder *b);
enum expr_fault builder_add(struct builder *b, struct frame *f, const struct value *item);
struct value builder_list(const struct builder *b);

enum expr_fault eval_comprehension(const struct node *n, struct frame *f, struct value *out);
// range(stop), range(start, stop), range(start, stop, step)
enum expr_fault eval_range(const struct node *n, struct frame *f, struct value *out);

struct range {
    int64_t start, step;
    uint64_t count;
};
bool is_range(const struct node *n);
// How many numbers range(start, stop, step) has; the step is not 0.
uint64_t range_count(int64_t start, int64_t stop, int64_t step);
enum expr_fault range_of(const struct node *n, struct frame *f, struct range *out);
bool range_contains(const struct range *r, const struct value *v);
