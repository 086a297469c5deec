// The expression language: parse, bind, evaluate. The input is the expression, and behind its first
// zero byte pairs of bytes (slot, value) that change the environment. Beyond not crashing: the fast
// path of restrictions agrees with the tree, and a value that is printed reads back as itself.
#include "../expr/environment.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

enum { SLOTS = sizeof environment_slots / sizeof *environment_slots, PRINTED_ITEMS = 1000 };

static const struct value odd_items[] = {
    {.kind = VALUE_STRING, .s = "a"},
    {.kind = VALUE_FLOAT, .f = NAN},
    {.kind = VALUE_LIST, .count = 3, .items = environment_list},
};

// What a slot may hold instead.
static const struct value odd_values[] = {
    {.kind = VALUE_INT, .i = 0},          {.kind = VALUE_INT, .i = 1},
    {.kind = VALUE_INT, .i = -1},         {.kind = VALUE_INT, .i = INT64_MIN},
    {.kind = VALUE_INT, .i = INT64_MAX},  {.kind = VALUE_INT, .i = INT64_C(1) << 53},
    {.kind = VALUE_INT, .i = 63},         {.kind = VALUE_FLOAT, .f = NAN},
    {.kind = VALUE_FLOAT, .f = INFINITY}, {.kind = VALUE_FLOAT, .f = -0.0},
    {.kind = VALUE_FLOAT, .f = 0x1p63},   {.kind = VALUE_FLOAT, .f = 5e-324},
    {.kind = VALUE_BOOL, .i = 1},         {.kind = VALUE_NONE},
    {.kind = VALUE_STRING, .s = ""},      {.kind = VALUE_STRING, .s = "\xc3\xa9\xff\xe2\x82"},
    {.kind = VALUE_LIST, .count = 0},     {.kind = VALUE_LIST, .count = 3, .items = odd_items},
};

static void change_slots(struct value *slots, const uint8_t *pairs, size_t size)
{
    memcpy(slots, environment_slots, sizeof environment_slots);
    for (size_t i = 0; i + 1 < size; i += 2)
        slots[pairs[i] % SLOTS] =
            odd_values[pairs[i + 1] % (sizeof odd_values / sizeof *odd_values)];
}

// Can it be printed and read back? Takes what it holds from *left. A string may hold bytes that are
// no characters, NaN is not equal to itself, and infinity is spelled as a name.
static bool reads_back(const struct value *v, size_t *left)
{
    if ((*left)-- == 0 || v->kind == VALUE_STRING)
        return false;
    if (v->kind == VALUE_FLOAT)
        return isfinite(v->f);
    for (uint32_t i = 0; v->kind == VALUE_LIST && i < v->count; i++) {
        if (!reads_back(&v->items[i], left))
            return false;
    }
    return true;
}

static void check_printed(struct arena *a, const struct value *v)
{
    struct text text = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct value again;
    size_t left = PRINTED_ITEMS;
    if (!reads_back(v, &left))
        return;
    value_print(v, &text);
    struct expr *x = expr_parse(a, text_cstr(&text), &environment, &e);
    REQUIRE(x || strstr(e.text, "nested deeper") || strstr(e.text, "too many"));
    if (x) {
        REQUIRE(expr_eval(x, environment_slots, a, &again) == EXPR_FAULT_NONE);
        REQUIRE(value_equal(v, &again));
    }
    text_release(&text);
}

// The truth as expr_test() has it is that of the value, and so is the fault; but a value too large
// to be handed out has a truth.
static void evaluate(struct arena *a, const struct expr *x, const struct value *slots)
{
    struct value value;
    bool truth = false;
    enum expr_fault fault = expr_eval(x, slots, a, &value);
    enum expr_fault tested = expr_test(x, slots, a, &truth);
    REQUIRE(fault == tested || (fault == EXPR_FAULT_LIMIT && !tested));
    if (fault)
        return;
    REQUIRE(truth == value_truth(&value));
    check_printed(a, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    struct value slots[SLOTS];
    arena_init(&arena);
    char *text = arena_strndup(&arena, (const char *)data, size);
    REQUIRE(text);
    size_t length = strlen(text);
    size_t rest = length < size ? length + 1 : size;
    struct expr *x = expr_parse(&arena, text, &environment, &e);
    REQUIRE((x != NULL) == (e.code == ERROR_NONE));
    if (x) {
        change_slots(slots, data + rest, size - rest);
        evaluate(&arena, x, slots);
    }
    arena_release(&arena);
    return 0;
}
