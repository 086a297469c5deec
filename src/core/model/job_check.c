// Checks a job so that those who run it can trust its indices and sizes. Whether a device can run
// it (local memory, work-group sizes) is for the device to report.
#include "model/job.h"

#include <string.h>

// No memory holds a larger buffer, and sums of a few of these do not overflow.
#define MOST_BYTES (1ull << 48)

static bool width_known(uint32_t width)
{
    return width == 1 || width == 2 || width == 3 || width == 4 || width == 8 || width == 16;
}

// Unknown, or a character a byte.
static bool padding_known(const struct job_buffer *b)
{
    return !b->padding || !*b->padding ||
           (b->element.scalar == SCALAR_CUSTOM && strlen(b->padding) == b->element.custom_bytes);
}

static bool element_known(const struct element *el)
{
    if (el->scalar == SCALAR_CUSTOM)
        return el->width == 1 && el->custom_bytes > 0;
    return (unsigned)el->scalar < SCALAR_COUNT && width_known(el->width);
}

// The element is known and the count was checked.
static uint64_t buffer_bytes(const struct job_buffer *b)
{
    return b->count * element_bytes(&b->element);
}

// The path stays inside the tree it is laid out in: relative, and no step upwards.
static bool path_inside(const char *path)
{
    if (path[0] == '/')
        return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

static const char *program_wrong(const struct job_program *p)
{
    if (p->name == NULL)
        return "a program has no name";
    if (p->source == NULL && p->length > 0)
        return "a program has no source";
    for (uint32_t i = 0; i < p->file_count; i++) {
        const struct job_file *f = &p->files[i];
        if (f->path == NULL || f->path[0] == '\0' || !path_inside(f->path))
            return "an included file's path leads outside the program's folder";
        if (f->text == NULL && f->length > 0)
            return "an included file has no text";
    }
    for (uint32_t i = 0; i < p->folder_count; i++)
        if (p->folders[i] == NULL || !path_inside(p->folders[i]))
            return "an include folder leads outside the program's folder";
    for (uint32_t i = 0; i < p->option_count; i++)
        if (p->options[i] == NULL)
            return "an option is missing";
    return NULL;
}

uint32_t image_order_width(enum image_order o)
{
    static const uint8_t widths[IMAGE_ORDER_COUNT] = {
#define X(name, text, width) [IMAGE_##name] = (width),
        IMAGE_ORDERS(X)
#undef X
    };
    return widths[o];
}

static bool sampler_known(const struct job_sampler *s)
{
    return (unsigned)s->addressing < ADDRESSING_COUNT;
}

// The buffer's count was checked.
static const char *image_wrong(const struct job_buffer *b)
{
    const struct job_image *i = &b->image;
    uint64_t room = b->count;
    if (i->dimensions == 0)
        return NULL;
    if (i->dimensions < 2 || i->dimensions > 3)
        return "an image has two or three dimensions";
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (i->size[axis] == 0 || room % i->size[axis] ||
            (axis >= i->dimensions && i->size[axis] != 1))
            return "an image's size is not its buffer's";
        room /= i->size[axis];
    }
    if (room != 1)
        return "an image's size is not its buffer's";
    if ((unsigned)i->order >= IMAGE_ORDER_COUNT || !sampler_known(&i->sampler))
        return "an image's format is unknown";
    enum scalar s = b->element.scalar;
    bool is_channel =
        s != SCALAR_CUSTOM && s != SCALAR_BOOL && s != SCALAR_BFLOAT16 && scalar_bytes(s) < 8;
    if (!is_channel || b->element.width != image_order_width(i->order))
        return "an image's elements are 1, 2 or 4 components of an integer of 8 to 32 bits, half "
               "or float, as its channel order has them";
    if (i->normalized && (scalar_is_float(s) || scalar_bytes(s) > 2))
        return "an image that is normalized has integers of 8 or 16 bits";
    return b->constant ? "an image is not constant memory" : NULL;
}

static const char *buffer_wrong(const struct job_buffer *b)
{
    if (b->name == NULL)
        return "a buffer has no name";
    if (!element_known(&b->element) || !padding_known(b))
        return "a buffer's element type is unknown";
    if (b->count > MOST_BYTES / element_bytes(&b->element))
        return "a buffer is implausibly large";
    if ((unsigned)b->access >= ACCESS_COUNT || (unsigned)b->compare.kind >= COMPARE_COUNT)
        return "a buffer's access or comparison is unknown";
    if (b->compare.first > b->count || b->compare.count > b->count - b->compare.first)
        return "a compared region lies outside its buffer";
    if ((unsigned)b->fill.kind >= FILL_COUNT)
        return "a buffer's fill is unknown";
    if (b->fill.kind == FILL_GENERATOR && b->fill.expression == NULL)
        return "a generated buffer has no expression";
    if (b->fill.blob.length != (b->fill.kind == FILL_DATA ? buffer_bytes(b) : 0))
        return "a buffer's data has not the buffer's size";
    return image_wrong(b);
}

static const char *argument_wrong(const struct job *j, const struct job_argument *a)
{
    if (a->name == NULL)
        return "an argument has no name";
    if (a->kind == ARGUMENT_BUFFER && a->buffer >= j->buffer_count)
        return "an argument refers to a buffer that is not there";
    if (a->kind == ARGUMENT_LOCAL && a->local_bytes > MOST_BYTES)
        return "a local argument is implausibly large";
    if (a->kind == ARGUMENT_SAMPLER && !sampler_known(&a->sampler))
        return "a sampler is unknown";
    if (a->kind != ARGUMENT_SCALAR)
        return NULL;
    if (!element_known(&a->element))
        return "a scalar argument's type is unknown";
    if (a->value == NULL || a->length != element_bytes(&a->element))
        return "a scalar argument's value has not its type's size";
    return NULL;
}

static const char *launch_wrong(const struct job *j, const struct job_launch *l)
{
    if (l->name == NULL || l->kernel == NULL)
        return "a launch has no name or no kernel";
    if (l->program >= j->program_count)
        return "a launch refers to a program that is not there";
    if (l->dimensions < 1 || l->dimensions > 3)
        return "a launch has not one to three dimensions";
    for (uint32_t i = 0; i < l->argument_count; i++) {
        const char *why = argument_wrong(j, &l->arguments[i]);
        if (why != NULL)
            return why;
    }
    return NULL;
}

// Does the buffer hold a matrix of this size?
static bool holds_matrix(const struct job *j, uint32_t buffer, uint64_t rows, uint64_t columns)
{
    if (buffer >= j->buffer_count || j->buffers[buffer].element.scalar == SCALAR_CUSTOM)
        return false;
    uint64_t components = j->buffers[buffer].count * j->buffers[buffer].element.width;
    return rows == 0 || columns <= components / rows;
}

bool gemm_has_epilogue(const struct job_gemm *g)
{
    return g->gamma != 0 || g->activation != ACTIVATION_NONE;
}

bool activation_parse(const char *text, enum activation *out)
{
    static const char *const names[] = {
#define X(name, text) text,
        ACTIVATIONS(X)
#undef X
    };
    for (int i = 0; i < ACTIVATION_COUNT; i++) {
        if (strcmp(names[i], text) == 0) {
            *out = (enum activation)i;
            return true;
        }
    }
    return false;
}

static const char *gemm_wrong(const struct job *j, const struct job_gemm *g)
{
    uint64_t rows[3]; // of all matrices of A, B and C, as if they were one
    bool fits = g->others < UINT64_MAX;
    const uint64_t heights[3] = {g->m, g->k, g->m};
    for (int i = 0; i < 3; i++)
        fits = fits && !__builtin_mul_overflow(heights[i], g->others + 1, &rows[i]);
    fits = fits && holds_matrix(j, g->a, rows[0], g->k) && holds_matrix(j, g->b, rows[1], g->n) &&
           holds_matrix(j, g->c, rows[2], g->n) &&
           (g->gamma == 0 || holds_matrix(j, g->bias, 1, g->n)) &&
           (unsigned)g->activation < ACTIVATION_COUNT;
    return fits ? NULL : "a matrix of the gemm reference does not fit its buffer";
}

static const char *data_wrong(const struct job *j, const struct job_data *d)
{
    if (d->buffer >= j->buffer_count)
        return "a reference refers to a buffer that is not there";
    if (d->blob.length != buffer_bytes(&j->buffers[d->buffer]))
        return "a reference's data has not its buffer's size";
    return NULL;
}

static const char *expression_wrong(const struct job *j, const struct job_expression *x)
{
    if (x->buffer >= j->buffer_count)
        return "a reference refers to a buffer that is not there";
    if (j->buffers[x->buffer].element.scalar == SCALAR_CUSTOM)
        return "an expression gives no structs";
    if (x->text == NULL)
        return "an expression is missing";
    if (x->total && j->buffers[x->buffer].compare.kind != COMPARE_SUM)
        return "an expression is the total of an output that is not compared by its sum";
    for (uint32_t i = 0; i < x->number_count; i++)
        if (x->numbers[i].name == NULL)
            return "a number of an expression has no name";
    return NULL;
}

static const struct job_buffer *find_buffer(const struct job *j, const char *name)
{
    for (uint32_t i = 0; i < j->buffer_count; i++)
        if (strcmp(j->buffers[i].name, name) == 0)
            return &j->buffers[i];
    return NULL;
}

static bool same_element(const struct element *a, const struct element *b)
{
    return a->scalar == b->scalar && a->width == b->width && a->packed == b->packed &&
           element_bytes(a) == element_bytes(b);
}

// The other job has what this output is compared with: as many elements, or a whole of its own.
static bool answers_output(const struct job *other, const struct job_buffer *output)
{
    const struct job_buffer *b = find_buffer(other, output->name);
    if (b == NULL || !same_element(&b->element, &output->element))
        return false;
    return compare_is_whole(output->compare.kind) ||
           buffer_region(output).count == reference_region(output, b).count;
}

static const char *reference_wrong(const struct job *j)
{
    const struct job_reference *r = &j->reference;
    if (r->kind == REFERENCE_NONE)
        return NULL;
    if ((unsigned)r->kind >= REFERENCE_COUNT || r->name == NULL)
        return "the reference is unknown or has no name";
    if (r->kind == REFERENCE_GEMM)
        return gemm_wrong(j, &r->gemm);
    if (r->kind == REFERENCE_JOB) {
        if (r->job == NULL)
            return "the reference's job is missing";
        const char *why = job_wrong(r->job);
        if (why != NULL)
            return why;
        for (uint32_t i = 0; i < j->buffer_count; i++)
            if (j->buffers[i].output && !answers_output(r->job, &j->buffers[i]))
                return "the reference's job lacks one of the outputs, or has it in another type or "
                       "size";
        return NULL;
    }
    for (uint32_t i = 0; i < r->data_count; i++) {
        const char *why = data_wrong(j, &r->data[i]);
        if (why != NULL)
            return why;
    }
    for (uint32_t i = 0; i < r->expression_count; i++) {
        const char *why = expression_wrong(j, &r->expressions[i]);
        if (why != NULL)
            return why;
    }
    return NULL;
}

// Rows follow each other without a gap: so the routines are called.
static bool is_plain(const struct job *j, uint32_t buffer)
{
    const struct element *el = &j->buffers[buffer].element;
    return el->width != 3 || el->packed;
}

static bool is_eight_bits(enum scalar s)
{
    return scalar_narrow(s) && scalar_bytes(s) == 1;
}

// Operands of 8 bits have a product that is wider than they are.
static const char *types_wrong(const struct job *j)
{
    const struct job_gemm *g = &j->reference.gemm;
    const enum scalar a = j->buffers[g->a].element.scalar, b = j->buffers[g->b].element.scalar,
                      c = j->buffers[g->c].element.scalar;
    const bool is_cublas = j->routine == ROUTINE_CUBLAS;
    bool eight = is_eight_bits(a) && is_eight_bits(b) && scalar_is_float(c) && !is_eight_bits(c) &&
                 c != SCALAR_DOUBLE;
    bool plain = is_plain(j, g->a) && is_plain(j, g->b) && is_plain(j, g->c);
    if (j->routine == ROUTINE_CUBLAS_FAST)
        return plain && eight ? NULL
                              : "cublas-fast multiplies matrices of 8-bit floats, and C is of "
                                "bfloat16, half or float";
    if (plain && is_cublas && eight)
        return NULL;
    bool known = a == SCALAR_FLOAT || (is_cublas && scalar_is_float(a) && !is_eight_bits(a));
    return plain && known && a == b && b == c
               ? NULL
               : "a routine multiplies matrices of float, cublas also those of double, half and "
                 "bfloat16, all of one type, and 8-bit floats with C of bfloat16, half or float";
}

// The job's reference was checked.
static const char *routine_wrong(const struct job *j)
{
    const struct job_gemm *g = &j->reference.gemm;
    if (j->routine == ROUTINE_NONE)
        return !j->routine_library && !j->routine_about
                   ? NULL
                   : "a library is named, and no routine of it";
    if ((unsigned)j->routine >= ROUTINE_COUNT)
        return "the routine is unknown";
    if (j->program_count > 0 || j->launch_count > 0)
        return "a job is a routine and has programs or launches of its own";
    if (j->reference.kind != REFERENCE_GEMM)
        return "a routine computes its reference, and that is not a gemm";
    const char *why = types_wrong(j);
    if (why)
        return why;
    if (g->c == g->a || g->c == g->b || j->buffers[g->c].access == ACCESS_READ)
        return "a routine would write its result into an input";
    if (gemm_has_epilogue(g))
        return "a routine computes a product alone, without bias or activation";
    enum scalar s = j->buffers[g->a].element.scalar;
    bool one_matrix = (j->routine != ROUTINE_CUBLAS && j->routine != ROUTINE_CUBLAS_TF32) ||
                      is_eight_bits(s) || s == SCALAR_DOUBLE;
    if (g->others > 0 && one_matrix)
        return "of several matrices cublas and cublas-tf32 alone compute the products, and not of "
               "double or 8-bit floats";
    return NULL;
}

const char *job_wrong(const struct job *j)
{
    const char *why = NULL;
    for (uint32_t i = 0; i < j->program_count && why == NULL; i++)
        why = program_wrong(&j->programs[i]);
    for (uint32_t i = 0; i < j->buffer_count && why == NULL; i++)
        why = buffer_wrong(&j->buffers[i]);
    for (uint32_t i = 0; i < j->launch_count && why == NULL; i++)
        why = launch_wrong(j, &j->launches[i]);
    if (why == NULL)
        why = reference_wrong(j);
    return why != NULL ? why : routine_wrong(j);
}
