// The layout of a job, declared once: every field above the line in struct job, in order.
#include "model/codec.h"

// The fewest bytes each takes on the wire (empty texts, no items): what an array's count is held
// against before anything is allocated.
enum {
    TEXT_LEAST = 4,
    FILE_LEAST = 12,
    PROGRAM_LEAST = 41,
    BUFFER_LEAST = 121,
    ARGUMENT_LEAST = 41,
    LAUNCH_LEAST = 76,
    DATA_LEAST = 12,
    NUMBER_LEAST = 21,
    EXPRESSION_LEAST = 13,
};

// A kind of reference on the wire alone: a product with an epilogue, or of several matrices.
#define GEMM_AND_MORE 64
// Limit of comparison kinds in the word that flags allow_nan above them; never changes.
#define COMPARE_COUNT_MOST 256
_Static_assert(COMPARE_COUNT <= COMPARE_COUNT_MOST, "kinds of comparison");

static void texts_codec(struct wire *w, const char ***texts, uint32_t *count)
{
    wire_array(w, (void **)texts, count, sizeof **texts, TEXT_LEAST);
    for (uint32_t i = 0; i < *count; i++)
        codec_text(w, &(*texts)[i]);
}

// A text that may be empty; one that was read is never NULL.
static void source_codec(struct wire *w, const void **text, uint64_t *length)
{
    wire_bytes(w, text, length);
    if (w->mode == WIRE_READ && *text == NULL)
        *text = "";
}

static void file_codec(struct wire *w, struct job_file *f)
{
    codec_text(w, &f->path);
    source_codec(w, &f->text, &f->length);
}

void program_codec(struct wire *w, struct job_program *p)
{
    codec_text(w, &p->name);
    source_codec(w, &p->source, &p->length);
    wire_array(w, (void **)&p->files, &p->file_count, sizeof *p->files, FILE_LEAST);
    for (uint32_t i = 0; i < p->file_count; i++)
        file_codec(w, &p->files[i]);
    texts_codec(w, &p->folders, &p->folder_count);
    texts_codec(w, &p->options, &p->option_count);
    wire_str(w, &p->retarget);
    if (w->mode == WIRE_HASH)
        return;
    wire_bool(w, &p->outside);
    wire_u64(w, &p->run);
    wire_str(w, &p->place);
}

void element_codec(struct wire *w, struct element *el)
{
    wire_enum(w, &el->scalar, SCALAR_COUNT);
    wire_u32(w, &el->width);
    wire_u32(w, &el->custom_bytes);
    wire_bool(w, &el->packed);
}

// Hashing: contents within w->contents_most take part as they are, which keeps the keys of results
// that were stored before there were digests. A job whose contents are not at hand has no key.
static void hash_blob(struct wire *w, struct job_blob *b)
{
    struct error e = ERROR_INIT;
    if (b->length > w->contents_most)
        wire_digest(w, &b->digest);
    else if (!blob_digest_contents(b, w->state, &e))
        wire_fail(w, "contents cannot be read");
}

static void blob_codec(struct wire *w, struct job_blob *b)
{
    wire_u64(w, &b->length);
    if (b->length == 0 || w->failed)
        return;
    if (w->mode == WIRE_HASH)
        hash_blob(w, b);
    else
        wire_digest(w, &b->digest);
}

// In fields that have no other use, so that the layout is what it was for a first component below 2^32.
void fill_view(struct job_fill *f, uint64_t first, uint64_t stride)
{
    f->integer = (int64_t)(stride << 32 | (first & UINT32_MAX));
    f->value = (double)(first >> 32);
}

void fill_codec(struct wire *w, struct job_fill *f)
{
    wire_enum(w, &f->kind, FILL_COUNT);
    wire_f64(w, &f->value);
    wire_i64(w, &f->integer);
    wire_f64(w, &f->low);
    wire_f64(w, &f->high);
    wire_u64(w, &f->seed);
    wire_str(w, &f->expression); // NULL but for GENERATOR
    blob_codec(w, &f->blob);
}

// Four flags share a word with the kind, so that the layout is what it was before there were any.
#define COMPARE_FLAGS 16
static void kind_codec(struct wire *w, struct job_compare *c, bool *is_image)
{
    uint32_t flags = c->allow_nan | (unsigned)c->scaled << 1 | (unsigned)c->given << 2 |
                     (unsigned)*is_image << 3;
    uint32_t word = (uint32_t)c->kind + flags * COMPARE_COUNT_MOST;
    wire_u32(w, &word);
    if (w->mode != WIRE_READ)
        return;
    flags = word / COMPARE_COUNT_MOST;
    c->allow_nan = flags & 1;
    c->scaled = flags >> 1 & 1;
    c->given = flags >> 2 & 1;
    *is_image = flags >> 3 & 1;
    word %= COMPARE_COUNT_MOST;
    if (word >= COMPARE_COUNT || flags >= COMPARE_FLAGS)
        wire_fail(w, "a buffer's comparison is unknown");
    else
        c->kind = (enum compare_kind)word;
}

static void sampler_codec(struct wire *w, struct job_sampler *s)
{
    wire_enum(w, &s->addressing, ADDRESSING_COUNT);
    wire_bool(w, &s->linear);
    wire_bool(w, &s->normalized);
}

void job_image_codec(struct wire *w, struct job_image *i)
{
    wire_u32(w, &i->dimensions);
    for (int axis = 0; axis < 3; axis++)
        wire_u64(w, &i->size[axis]);
    wire_enum(w, &i->order, IMAGE_ORDER_COUNT);
    wire_bool(w, &i->normalized);
    sampler_codec(w, &i->sampler);
}

// Comparisons that hone has changed: what was stored by the earlier ones answers no more.
static void changed_codec(struct wire *w, const struct job_buffer *b)
{
    const enum scalar s = b->element.scalar;
    uint64_t exact_sums = 1, paired_sets = 2;
    if (w->mode == WIRE_HASH && b->compare.kind == COMPARE_SUM &&
        (s == SCALAR_I64 || s == SCALAR_U64))
        wire_u64(w, &exact_sums);
    if (w->mode == WIRE_HASH && b->compare.kind == COMPARE_SET && b->element.width > 1)
        wire_u64(w, &paired_sets);
}

static void buffer_codec(struct wire *w, struct job_buffer *b)
{
    bool is_image = b->image.dimensions > 0;
    codec_text(w, &b->name);
    element_codec(w, &b->element);
    if (b->element.scalar == SCALAR_CUSTOM && (w->mode != WIRE_HASH || (b->padding && *b->padding)))
        wire_str(w, &b->padding);
    wire_u64(w, &b->count);
    wire_enum(w, &b->access, ACCESS_COUNT);
    fill_codec(w, &b->fill);
    wire_bool(w, &b->output);
    wire_bool(w, &b->temporary);
    wire_bool(w, &b->constant);
    wire_bool(w, &b->keep);
    kind_codec(w, &b->compare, &is_image);
    changed_codec(w, b);
    wire_f64(w, &b->compare.atol);
    wire_f64(w, &b->compare.rtol);
    wire_u64(w, &b->compare.first);
    wire_u64(w, &b->compare.count);
    if (is_image)
        job_image_codec(w, &b->image);
}

static void argument_codec(struct wire *w, struct job_argument *a)
{
    codec_text(w, &a->name);
    wire_enum(w, &a->kind, ARGUMENT_KINDS);
    wire_u32(w, &a->buffer);
    element_codec(w, &a->element);
    wire_bytes(w, &a->value, &a->length);
    wire_u64(w, &a->local_bytes);
    if (a->kind == ARGUMENT_SAMPLER)
        sampler_codec(w, &a->sampler);
}

static void launch_codec(struct wire *w, struct job_launch *l)
{
    codec_text(w, &l->name);
    codec_text(w, &l->kernel);
    wire_u32(w, &l->program);
    wire_u32(w, &l->dimensions);
    for (int axis = 0; axis < 3; axis++)
        wire_u64(w, &l->global[axis]);
    for (int axis = 0; axis < 3; axis++)
        wire_u64(w, &l->local[axis]);
    wire_u64(w, &l->dynamic_local_bytes);
    wire_array(w, (void **)&l->arguments, &l->argument_count, sizeof *l->arguments, ARGUMENT_LEAST);
    for (uint32_t i = 0; i < l->argument_count; i++)
        argument_codec(w, &l->arguments[i]);
}

static void gemm_codec(struct wire *w, struct job_gemm *g)
{
    wire_u64(w, &g->m);
    wire_u64(w, &g->n);
    wire_u64(w, &g->k);
    wire_u32(w, &g->a);
    wire_u32(w, &g->b);
    wire_u32(w, &g->c);
    wire_bool(w, &g->transpose_a);
    wire_bool(w, &g->transpose_b);
    wire_f64(w, &g->alpha);
    wire_f64(w, &g->beta);
}

// Epilogue and batch follow only where there are any: keys of all other products were made before these.
static void epilogue_codec(struct wire *w, struct job_gemm *g)
{
    wire_u64(w, &g->others);
    wire_f64(w, &g->gamma);
    wire_u32(w, &g->bias);
    wire_enum(w, &g->activation, ACTIVATION_COUNT);
}

static void job_codec_at(struct wire *w, struct job *j, unsigned depth);

// The job whose outputs are the reference of this job's, behind a flag that says whether there is
// one.
static void nested_codec(struct wire *w, struct job **nested, unsigned depth)
{
    bool present = *nested != NULL;
    wire_bool(w, &present);
    if (!present || w->failed)
        return;
    if (depth >= JOB_MAX_DEPTH) {
        wire_fail(w, "a reference has a reference of its own");
        return;
    }
    if (w->mode == WIRE_READ)
        *nested = arena_alloc(w->arena, sizeof **nested);
    if (*nested == NULL) {
        wire_memory(w);
        return;
    }
    job_codec_at(w, *nested, depth);
}

// A byte: an integer, a float, or an integer from 2^63 on.
static void number_form_codec(struct wire *w, struct job_number *n)
{
    uint8_t form = n->is_float ? 1 : n->is_unsigned ? 2 : 0;
    wire_u8(w, &form);
    if (form > 2)
        wire_fail(w, "a number is neither an integer nor a float");
    n->is_float = form == 1;
    n->is_unsigned = form == 2;
}

static void expression_codec(struct wire *w, struct job_expression *x)
{
    wire_u32(w, &x->buffer);
    wire_bool(w, &x->total);
    codec_text(w, &x->text);
    wire_array(w, (void **)&x->numbers, &x->number_count, sizeof *x->numbers, NUMBER_LEAST);
    for (uint32_t i = 0; i < x->number_count; i++) {
        codec_text(w, &x->numbers[i].name);
        number_form_codec(w, &x->numbers[i]);
        wire_i64(w, &x->numbers[i].integer);
        wire_f64(w, &x->numbers[i].number);
    }
}

void reference_codec(struct wire *w, struct job_reference *r, unsigned depth)
{
    bool more = w->mode != WIRE_READ && r->kind == REFERENCE_GEMM &&
                (r->gemm.others > 0 || gemm_has_epilogue(&r->gemm));
    uint32_t kind = more ? GEMM_AND_MORE : (uint32_t)r->kind;
    wire_u32(w, &kind);
    more = kind == GEMM_AND_MORE;
    if (kind >= REFERENCE_COUNT && !more)
        wire_fail(w, "an enumerated value is out of range");
    r->kind = more ? REFERENCE_GEMM : (enum reference_kind)kind;
    wire_bool(w, &r->agreement);
    wire_str(w, &r->name); // NULL only with NONE
    gemm_codec(w, &r->gemm);
    if (more)
        epilogue_codec(w, &r->gemm);
    nested_codec(w, &r->job, depth + 1);
    wire_array(w, (void **)&r->data, &r->data_count, sizeof *r->data, DATA_LEAST);
    for (uint32_t i = 0; i < r->data_count; i++) {
        wire_u32(w, &r->data[i].buffer);
        blob_codec(w, &r->data[i].blob);
    }
    if (r->kind != REFERENCE_EXPRESSION) // keys of all others were made before there were any
        return;
    wire_array(w, (void **)&r->expressions, &r->expression_count, sizeof *r->expressions,
               EXPRESSION_LEAST);
    for (uint32_t i = 0; i < r->expression_count; i++)
        expression_codec(w, &r->expressions[i]);
}

// Only of a job without programs: the keys of all others were made before there were routines.
void routine_codec(struct wire *w, struct job *j)
{
    if (j->program_count > 0)
        return;
    wire_enum(w, &j->routine, ROUTINE_COUNT);
    wire_str(w, &j->routine_library);
    if (j->routine != ROUTINE_NONE)
        wire_str(w, &j->routine_about);
}

static void job_codec_at(struct wire *w, struct job *j, unsigned depth)
{
    wire_enum(w, &j->language, LANGUAGE_COUNT);
    wire_array(w, (void **)&j->programs, &j->program_count, sizeof *j->programs, PROGRAM_LEAST);
    for (uint32_t i = 0; i < j->program_count; i++)
        program_codec(w, &j->programs[i]);
    routine_codec(w, j);
    wire_array(w, (void **)&j->buffers, &j->buffer_count, sizeof *j->buffers, BUFFER_LEAST);
    for (uint32_t i = 0; i < j->buffer_count; i++)
        buffer_codec(w, &j->buffers[i]);
    wire_array(w, (void **)&j->launches, &j->launch_count, sizeof *j->launches, LAUNCH_LEAST);
    for (uint32_t i = 0; i < j->launch_count; i++)
        launch_codec(w, &j->launches[i]);
    reference_codec(w, &j->reference, depth);
    if (w->mode == WIRE_READ)
        j->configuration = "";
}

// Checks each job that is read, alone or inside a frame.
void job_codec(struct wire *w, struct job *j)
{
    job_codec_at(w, j, 0);
    const char *why = w->mode == WIRE_READ && !w->failed ? job_wrong(j) : NULL;
    if (why != NULL)
        wire_fail(w, why);
}
