// Loops, found in the graph of basic blocks: a branch back to a block without which it cannot be
// reached (that dominates it) closes one. Going by the order of the text instead would take the
// way back from code that a compiler has moved out of the way for a loop.
#include "isa/listing.h"

struct block {
    uint32_t first, end;        // instructions
    uint32_t number;            // in reverse postorder; NOWHERE: cannot be reached
    uint32_t dominator;         // a block
    uint32_t loop;              // the innermost one; NOWHERE: none
    uint32_t edges, edge_count; // where it may go on
    uint32_t froms, from_count; // where it may come from
};

struct loop {
    uint32_t header; // block
    uint32_t around; // loop; NOWHERE: none
    uint32_t depth;
    struct code_counts own; // of its blocks that are in no inner loop
    size_t first, last;     // lines
};

struct graph {
    const struct listing *listing;
    struct block *blocks;
    uint32_t block_count;
    uint32_t *block_at; // of each instruction
    uint32_t *edges, *froms;
    uint32_t edge_count;
    uint32_t *order; // blocks that can be reached, in reverse postorder
    uint32_t order_count;
    struct loop *loops;
    uint32_t loop_count;
    uint32_t *stack;
};

// ---- blocks ------------------------------------------------------------------------------------

static bool falls_through(const struct instruction *i)
{
    return i->guarded || i->flow == FLOW_NEXT || i->flow == FLOW_CALL;
}

static bool make_blocks(struct graph *g, struct arena *a)
{
    const struct listing *l = g->listing;
    unsigned char *leads = arena_alloc(a, l->count + 1u);
    g->block_at = arena_array(a, l->count + 1u, sizeof *g->block_at);
    if (!leads || !g->block_at)
        return false;
    leads[0] = 1;
    for (uint32_t i = 0; i < l->count; i++)
        leads[i + 1] |= l->instructions[i].flow != FLOW_NEXT;
    for (uint32_t i = 0; i < l->target_count; i++) {
        if (l->targets[i].at != NOWHERE)
            leads[l->targets[i].at] = 1;
    }
    for (uint32_t i = 0; i < l->count; i++)
        g->block_count += leads[i];
    g->blocks = arena_array(a, g->block_count + 1u, sizeof *g->blocks);
    if (!g->blocks)
        return false;
    uint32_t block = NOWHERE;
    for (uint32_t i = 0; i < l->count; i++) {
        if (leads[i])
            g->blocks[++block] = (struct block){
                .first = i, .number = NOWHERE, .dominator = NOWHERE, .loop = NOWHERE};
        g->blocks[block].end = i + 1;
        g->block_at[i] = block;
    }
    return true;
}

// Calls `each` for every way out of a block.
static void each_edge(struct graph *g, uint32_t block,
                      void (*each)(struct graph *g, uint32_t from, uint32_t to))
{
    const struct listing *l = g->listing;
    const struct instruction *last = &l->instructions[g->blocks[block].end - 1];
    if (falls_through(last) && block + 1 < g->block_count)
        each(g, block, block + 1);
    for (uint32_t i = 0; i < last->target_count; i++) {
        uint32_t at = l->targets[last->first_target + i].at;
        if (at != NOWHERE)
            each(g, block, g->block_at[at]);
    }
}

static void count_edge(struct graph *g, uint32_t from, uint32_t to)
{
    g->blocks[from].edge_count++;
    g->blocks[to].from_count++;
    g->edge_count++;
}

static void put_edge(struct graph *g, uint32_t from, uint32_t to)
{
    struct block *a = &g->blocks[from], *b = &g->blocks[to];
    g->edges[a->edges + a->edge_count++] = to;
    g->froms[b->froms + b->from_count++] = from;
}

static bool make_edges(struct graph *g, struct arena *a)
{
    uint32_t edges = 0, froms = 0;
    for (uint32_t i = 0; i < g->block_count; i++)
        each_edge(g, i, count_edge);
    g->edges = arena_array(a, g->edge_count + 1u, sizeof *g->edges);
    g->froms = arena_array(a, g->edge_count + 1u, sizeof *g->froms);
    if (!g->edges || !g->froms)
        return false;
    for (uint32_t i = 0; i < g->block_count; i++) {
        struct block *b = &g->blocks[i];
        b->edges = edges;
        b->froms = froms;
        edges += b->edge_count;
        froms += b->from_count;
        b->edge_count = b->from_count = 0;
    }
    for (uint32_t i = 0; i < g->block_count; i++)
        each_edge(g, i, put_edge);
    return true;
}

// ---- order and dominators ----------------------------------------------------------------------

static bool make_block_order(struct graph *g, struct arena *a)
{
    uint32_t *next = arena_array(a, g->block_count + 1u, sizeof *next), depth = 0;
    g->stack = arena_array(a, g->block_count + 1u, sizeof *g->stack);
    g->order = arena_array(a, g->block_count + 1u, sizeof *g->order);
    if (!next || !g->stack || !g->order)
        return false;
    g->stack[depth++] = 0;
    g->blocks[0].number = 0; // seen
    while (depth > 0) {
        uint32_t block = g->stack[depth - 1];
        const struct block *b = &g->blocks[block];
        if (next[block] < b->edge_count) {
            uint32_t to = g->edges[b->edges + next[block]++];
            if (g->blocks[to].number == NOWHERE) {
                g->blocks[to].number = 0;
                g->stack[depth++] = to;
            }
        } else {
            g->order[g->order_count++] = block;
            depth--;
        }
    }
    for (uint32_t i = 0; i < g->order_count / 2; i++) {
        uint32_t other = g->order[g->order_count - 1 - i];
        g->order[g->order_count - 1 - i] = g->order[i];
        g->order[i] = other;
    }
    for (uint32_t i = 0; i < g->order_count; i++)
        g->blocks[g->order[i]].number = i;
    return true;
}

static uint32_t common_dominator(const struct graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->blocks[a].number > g->blocks[b].number)
            a = g->blocks[a].dominator;
        while (g->blocks[b].number > g->blocks[a].number)
            b = g->blocks[b].dominator;
    }
    return a;
}

// The iteration of Cooper, Harvey and Kennedy.
static void find_dominators(struct graph *g)
{
    bool changed = true;
    g->blocks[0].dominator = 0;
    while (changed) {
        changed = false;
        for (uint32_t i = 1; i < g->order_count; i++) {
            struct block *b = &g->blocks[g->order[i]];
            uint32_t found = NOWHERE;
            for (uint32_t k = 0; k < b->from_count; k++) {
                uint32_t from = g->froms[b->froms + k];
                if (g->blocks[from].dominator == NOWHERE)
                    continue; // not reached, or not yet
                found = found == NOWHERE ? from : common_dominator(g, found, from);
            }
            changed |= found != b->dominator;
            b->dominator = found;
        }
    }
}

static bool dominates(const struct graph *g, uint32_t a, uint32_t b)
{
    while (g->blocks[b].number > g->blocks[a].number)
        b = g->blocks[b].dominator;
    return a == b;
}

// ---- loops -------------------------------------------------------------------------------------

// Takes a block into a loop, unless it is there; what it already belongs to becomes an inner loop.
// Then those before it (or before the header of that loop) are looked at.
static uint32_t take_block(struct graph *g, uint32_t loop, uint32_t block, uint32_t depth,
                           unsigned char *waits)
{
    struct block *b = &g->blocks[block];
    uint32_t before = block;
    if (b->loop == NOWHERE) {
        b->loop = loop;
    } else {
        uint32_t outermost = b->loop;
        while (g->loops[outermost].around != NOWHERE)
            outermost = g->loops[outermost].around;
        if (outermost == loop)
            return depth;
        g->loops[outermost].around = loop;
        before = g->loops[outermost].header;
    }
    if (before == g->loops[loop].header)
        return depth;
    b = &g->blocks[before];
    for (uint32_t i = 0; i < b->from_count; i++) {
        uint32_t from = g->froms[b->froms + i];
        if (g->blocks[from].number != NOWHERE && !waits[from]) {
            waits[from] = 1;
            g->stack[depth++] = from;
        }
    }
    return depth;
}

// Inner headers come first: they stand later in the order.
static bool find_loops(struct graph *g, struct arena *a)
{
    unsigned char *waits = arena_alloc(a, g->block_count + 1u);
    g->loops = arena_array(a, g->order_count + 1u, sizeof *g->loops);
    if (!waits || !g->loops)
        return false;
    for (uint32_t i = g->order_count; i-- > 0;) {
        uint32_t header = g->order[i], depth = 0, loop = g->loop_count;
        const struct block *b = &g->blocks[header];
        for (uint32_t k = 0; k < b->from_count; k++) {
            uint32_t from = g->froms[b->froms + k];
            if (g->blocks[from].number != NOWHERE && !waits[from] && dominates(g, header, from)) {
                waits[from] = 1;
                g->stack[depth++] = from;
            }
        }
        if (depth == 0)
            continue;
        g->loops[g->loop_count++] = (struct loop){.header = header, .around = NOWHERE};
        if (g->blocks[header].loop == NOWHERE)
            g->blocks[header].loop = loop;
        while (depth > 0) {
            uint32_t block = g->stack[--depth];
            waits[block] = 0;
            depth = take_block(g, loop, block, depth, waits);
        }
    }
    for (uint32_t i = g->loop_count; i-- > 0;) { // outer ones were found last
        uint32_t around = g->loops[i].around;
        g->loops[i].depth = around == NOWHERE ? 1 : g->loops[around].depth + 1;
    }
    return true;
}

// ---- counting ----------------------------------------------------------------------------------

static void count_instruction(struct code_counts *c, const struct instruction *i)
{
    if (i->class == CODE_CLASS_COUNT)
        return;
    c->instructions++;
    c->of[i->class]++;
    if (i->class < CODE_ACCESSES && i->width >= 0)
        c->wide[i->class][i->width]++;
    c->multiply_adds += i->multiply_adds;
}

// The measure by which loops are compared: 0 multiply-adds, 1 accesses to memory, 2 instructions.
static double work_of_kind(const struct code_counts *c, int kind)
{
    uint32_t accesses = 0;
    for (int i = 0; i < CODE_ACCESSES; i++)
        accesses += i == CODE_LOAD_CONSTANT ? 0 : c->of[i];
    return kind == 0 ? c->multiply_adds : kind == 1 ? accesses : c->instructions;
}

static const struct loop *hottest(const struct graph *g)
{
    const struct loop *best = NULL;
    for (int kind = 0; kind < 3 && !best; kind++) {
        double most = 0;
        for (uint32_t i = 0; i < g->loop_count; i++) {
            double work = work_of_kind(&g->loops[i].own, kind);
            for (uint32_t level = 0; level < g->loops[i].depth && level < 16; level++)
                work *= 10;
            if (work > most) {
                most = work;
                best = &g->loops[i];
            }
        }
    }
    return best;
}

bool loops_count(const struct listing *l, struct code_profile *p)
{
    struct arena arena;
    struct graph g = {.listing = l};
    arena_init(&arena);
    bool ok = make_blocks(&g, &arena);
    if (ok && g.block_count > 0) {
        ok = make_edges(&g, &arena) && make_block_order(&g, &arena);
        if (ok)
            find_dominators(&g);
        ok = ok && find_loops(&g, &arena);
    }
    for (uint32_t i = 0; ok && i < g.order_count; i++) {
        const struct block *b = &g.blocks[g.order[i]];
        struct loop *loop = b->loop == NOWHERE ? NULL : &g.loops[b->loop];
        for (uint32_t k = b->first; k < b->end; k++) {
            const struct instruction *at = &g.listing->instructions[k];
            count_instruction(&p->whole, at);
            if (!loop)
                continue;
            count_instruction(&loop->own, at);
            if (loop->first == 0 || at->line < loop->first)
                loop->first = at->line;
            if (at->line > loop->last)
                loop->last = at->line;
        }
    }
    const struct loop *best = ok ? hottest(&g) : NULL;
    p->loops = g.loop_count;
    if (best) {
        p->loop = best->own;
        p->loop_depth = best->depth;
        p->loop_first = best->first;
        p->loop_last = best->last;
    }
    arena_release(&arena);
    return ok;
}
