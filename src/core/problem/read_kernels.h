// The parts of reading KernelSpecification. Private to src/core/problem.
#pragma once

#include "problem/spec_kernels.h"
#include "problem/read_spec.h"

// Where a key may stand, the most specific place first. A foreign layer is written in the spec's
// own language while another one is read: its sources and options do not count.
struct block {
    struct {
        struct node object;
        bool foreign;
    } layers[4];
    unsigned count;
};

void block_add(struct block *b, struct node object, bool foreign);
// The first layer's node that is present; else an absent node with the last layer's path.
struct node block_get(const struct reader *r, const struct block *b, const char *key);

// Finds the language's own object in a Languages node; absent when there is none.
struct node language_node(const struct reader *r, struct node languages, enum language l);

// Derives the language from the file's ending; false if the ending does not tell.
bool language_of_file(const char *file, enum language *out);
// The file that KernelFile names for the language: its text, or the entry of an object by language.
struct node kernel_file_node(const struct reader *r, struct node layer, enum language l);

// Reads the expression of a size, which jobs of these languages (a set of 1u << language) need: if
// it cannot be read, those jobs cannot be made, but everything else can.
bool read_size(const struct reader *r, struct kernel_spec *k, unsigned languages, struct node n,
               struct formula *out);
bool read_arguments(struct reader *r, struct node kernel, struct kernel_spec *k);
// Index of the argument of this name; the error lists a near match.
bool find_argument(const struct reader *r, const struct kernel_spec *k, struct node n,
                   const char *name, uint32_t *out);
// FillType, FillValue, ... of an argument or reference argument.
bool read_fill(const struct reader *r, const struct kernel_spec *k, struct node item, uint64_t seed,
               struct fill_spec *out);
// Repeat and Swap of an object; `outer` (optional) are those of the launches around it.
bool read_repeat(const struct reader *r, struct kernel_spec *k, struct node object,
                 const struct repeat_spec *outer, struct repeat_spec *out);
// All launches of a language.
bool read_launches(struct reader *r, struct node kernel, struct kernel_spec *k, enum language l);
// The launch of a reference of kind kernel.
bool read_reference_launch(struct reader *r, struct node kernel, struct kernel_spec *k,
                           enum language l);
bool read_reference(struct reader *r, struct node kernel, struct kernel_spec *k);
// The argument that a reference gives contents for: one that is an output.
bool output_named(const struct reader *r, const struct kernel_spec *k, struct node n,
                  const char *name, uint32_t *out);
// Warns of outputs that nothing is given for.
void warn_uncompared(const struct reader *r, const struct kernel_spec *k, struct node n);
// Does an argument say what it is to hold (read_expect.c)?
bool has_expectations(const struct reader *r, struct node kernel);
bool read_expectations(const struct reader *r, struct node kernel, struct kernel_spec *k);

// read_images.c: Image, Format and Sampler of an argument whose memory is known.
bool read_image(const struct reader *r, struct kernel_spec *k, struct node item,
                struct argument_spec *a);
