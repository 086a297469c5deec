// Names that -D may give, as the directives of a text use them.
#pragma once

#include "kernel_text/preprocess.h"

#define COMPARED_MOST 16

// A name as the directives of the whole text use it, in branches taken or not.
struct surveyed_name {
    const char *name;
    const char *initial; // (or NULL) of `#ifndef NAME #define NAME value #endif`
    const char *defined; // (or NULL) of a plain #define of the text's own
    bool is_defined;     // by any #define of its own
    bool is_own_number;  // by one of a number that gives way to the spec's value
    bool in_condition;   // #if has it
    bool has_chain_end;  // of a #if that compares it there is an #else
    bool compared_order; // by < and the like: its values are not those it is compared with
    bool is_bare;        // `#if NAME`: a switch
    bool is_unroll;      // `#pragma unroll NAME`
    bool is_length;      // a struct's array has it in its brackets: `uchar v[NAME + 1];`
    bool is_declared; // the language declares it: an enumerator, a variable, a template's parameter
    bool is_demanded; // without it an #error stands
    // A chain `#ifdef A ... #elif B ... #endif` defines the same macro in its branches and has no
    // #else: A has to be given, the others need not.
    bool is_first, is_later;
    int64_t compared[COMPARED_MOST];
    uint32_t compared_count;
};

struct survey_of_names {
    struct surveyed_name *list;
    size_t count;
};

// False without memory.
bool survey_read(struct lone_text *text, struct arena *a, struct survey_of_names *out);
const struct surveyed_name *survey_find(const struct survey_of_names *s, const char *name);
