// The functions that the layer puts in front of the driver's: a loader with layers takes them by clInitLayer (cl_layer.h); in front
// of a loader without, the same object is preloaded, and its exported functions are found first (layer_preload.c).
#include "extras/capture/layer/layer_entry.h"

#include "extras/capture/layer/cuda_layer.h"

#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cl_icd_dispatch layer_next;

static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void lock_nothing_of_parent(void)
{
    layer_objects_after_fork();
    layer_record_after_fork();
    cuda_objects_after_fork();
    cuda_record_after_fork();
}

static void open_once(void)
{
    layer_folder_open();
    pthread_atfork(NULL, NULL, lock_nothing_of_parent);
}

void layer_open(void)
{
    pthread_once(&opened, open_once);
}

// When the object is loaded: a program that never calls OpenCL is told from one that the layer did not reach.
__attribute__((constructor)) static void open_when_loaded(void)
{
    layer_open();
}

// ---- programs ----------------------------------------------------------------------------------

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

static char *copy_string(const char *text)
{
    return text ? copy_text(text, strlen(text)) : NULL;
}

static char *join_texts(cl_uint count, const char *const *texts, const size_t *lengths,
                        size_t *length)
{
    size_t total = 0;
    for (cl_uint i = 0; i < count; i++)
        total += lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    char *text = malloc(total + 1), *to = text;
    for (cl_uint i = 0; text && i < count; i++) {
        const size_t own = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        memcpy(to, texts[i], own);
        to += own;
    }
    if (text)
        *to = 0;
    *length = text ? strlen(text) : 0; // a compiler stops at a zero byte, too
    return text;
}

static void note_program(cl_program program, const char *without)
{
    struct layer_program *p = layer_add(&layer_objects.programs, program, sizeof *p);
    if (!p)
        return;
    p->without = without;
    layer_unlock(&layer_objects.programs);
}

static cl_program wrap_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                 const char **texts, const size_t *lengths,
                                                 cl_int *error)
{
    cl_program made = layer_next.clCreateProgramWithSource(context, count, texts, lengths, error);
    if (!made)
        return made;
    layer_note_call();
    atomic_fetch_add(&layer_counts->programs, 1);
    struct layer_program *p = layer_add(&layer_objects.programs, made, sizeof *p);
    if (!p)
        return made;
    p->parts = calloc(1, sizeof *p->parts);
    if (p->parts)
        p->parts->text = join_texts(count, texts, lengths, &p->parts->length);
    p->part_count = p->parts && p->parts->text;
    p->without = p->part_count ? NULL : "text for which there was no memory";
    layer_unlock(&layer_objects.programs);
    return made;
}

static cl_program wrap_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id *devices, const size_t *lengths,
                                                 const unsigned char **binaries, cl_int *status,
                                                 cl_int *error)
{
    layer_note_call();
    atomic_fetch_add(&layer_counts->binaries, 1);
    if (layer_settings.refuse_binaries) {
        atomic_fetch_add(&layer_counts->refused, 1);
        for (cl_uint i = 0; status && i < count; i++)
            status[i] = CL_INVALID_BINARY;
        if (error)
            *error = CL_INVALID_BINARY;
        return NULL;
    }
    cl_program made = layer_next.clCreateProgramWithBinary(context, count, devices, lengths,
                                                           binaries, status, error);
    if (made)
        note_program(made, "binary");
    return made;
}

static cl_program wrap_clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                             cl_int *error)
{
    cl_program made = layer_next.clCreateProgramWithIL(context, il, length, error);
    layer_note_call();
    atomic_fetch_add(&layer_counts->il, 1);
    if (made)
        note_program(made, "SPIR-V");
    return made;
}

static cl_program wrap_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                         const cl_device_id *devices,
                                                         const char *names, cl_int *error)
{
    cl_program made =
        layer_next.clCreateProgramWithBuiltInKernels(context, count, devices, names, error);
    layer_note_call();
    if (made)
        note_program(made, "built-in kernel");
    return made;
}

static void note_options(cl_program program, const char *options)
{
    struct layer_program *p = layer_lock(&layer_objects.programs, program);
    if (!p)
        return;
    free(p->options);
    p->options = copy_string(options);
    *p->digest = 0;
    layer_unlock(&layer_objects.programs);
}

typedef void(CL_CALLBACK *program_callback)(cl_program, void *);

// The options with the one that makes drivers keep names and types of arguments; NULL: they are used as they are. It changes no
// code, and clGetProgramBuildInfo() shows the options without it.
static char *ask_information(cl_program program, const char *options)
{
    static const char more[] = "-cl-kernel-arg-info";
    const struct layer_program *p = layer_lock(&layer_objects.programs, program);
    if (!p)
        return NULL;
    const bool has_text = p->part_count > 0;
    layer_unlock(&layer_objects.programs);
    if (!layer_settings.is_capturing || !has_text || (options && strstr(options, more)))
        return NULL;
    const size_t length = options ? strlen(options) : 0;
    char *asked = malloc(length + sizeof more + 1);
    if (!asked)
        return NULL;
    memcpy(asked, options ? options : "", length);
    asked[length] = ' ';
    memcpy(asked + length + 1, more, sizeof more);
    return asked;
}

// Before the build, whose callback may already make kernels.
static cl_int wrap_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                  const char *options, program_callback notify, void *data)
{
    layer_note_call();
    note_options(program, options);
    char *asked = ask_information(program, options);
    cl_int status =
        layer_next.clBuildProgram(program, count, devices, asked ? asked : options, notify, data);
    if (asked && status == CL_INVALID_BUILD_OPTIONS)
        status = layer_next.clBuildProgram(program, count, devices, options, notify, data);
    free(asked);
    return status;
}

static cl_int wrap_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                         cl_program_build_info what, size_t size, void *value,
                                         size_t *length)
{
    const struct layer_program *p =
        what == CL_PROGRAM_BUILD_OPTIONS ? layer_lock(&layer_objects.programs, program) : NULL;
    cl_int status = CL_SUCCESS;
    if (!p || !p->part_count) {
        if (p)
            layer_unlock(&layer_objects.programs);
        return layer_next.clGetProgramBuildInfo(program, device, what, size, value, length);
    }
    const char *options = p->options ? p->options : p->parts->options ? p->parts->options : "";
    const size_t own = strlen(options) + 1;
    if (value && size < own)
        status = CL_INVALID_VALUE;
    else if (value)
        memcpy(value, options, own);
    if (length)
        *length = own;
    layer_unlock(&layer_objects.programs);
    return status;
}

// The text of a header's program, and the name under which it is included.
static bool copy_header(struct layer_header *h, const char *name, cl_program program)
{
    struct layer_program *p = layer_lock(&layer_objects.programs, program);
    if (!p)
        return false;
    h->name = copy_string(name);
    h->length = p->part_count ? p->parts->length : 0;
    h->text = copy_text(p->part_count ? p->parts->text : "", h->length);
    layer_unlock(&layer_objects.programs);
    return h->name && h->text;
}

static cl_int wrap_clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                    const char *options, cl_uint header_count,
                                    const cl_program *headers, const char **names,
                                    program_callback notify, void *data)
{
    struct layer_header *copies =
        header_count && headers && names ? calloc(header_count, sizeof *copies) : NULL;
    uint32_t copied = 0;
    layer_note_call();
    for (cl_uint i = 0; copies && i < header_count; i++)
        copied += copy_header(&copies[copied], names[i], headers[i]);
    struct layer_program *p = layer_lock(&layer_objects.programs, program);
    if (p && p->part_count) {
        struct layer_part *part = p->parts;
        free(part->options);
        part->options = copy_string(options);
        for (uint32_t i = 0; i < part->header_count; i++)
            free(part->headers[i].name), free(part->headers[i].text);
        free(part->headers);
        part->headers = copies;
        part->header_count = copied;
        *p->digest = 0;
        copies = NULL;
    }
    if (p)
        layer_unlock(&layer_objects.programs);
    free(copies);
    char *asked = ask_information(program, options);
    cl_int status = layer_next.clCompileProgram(program, count, devices, asked ? asked : options,
                                                header_count, headers, names, notify, data);
    if (asked && status == CL_INVALID_COMPILER_OPTIONS)
        status = layer_next.clCompileProgram(program, count, devices, options, header_count,
                                             headers, names, notify, data);
    free(asked);
    return status;
}

bool layer_copy_part(struct layer_part *to, const struct layer_part *from)
{
    *to = (struct layer_part){.text = copy_text(from->text, from->length),
                              .length = from->length,
                              .options = copy_string(from->options),
                              .headers = calloc(from->header_count + 1, sizeof *to->headers)};
    bool ok = to->text && to->headers;
    for (uint32_t i = 0; ok && i < from->header_count; i++, to->header_count++) {
        struct layer_header *h = &to->headers[i];
        *h = (struct layer_header){copy_string(from->headers[i].name),
                                   copy_text(from->headers[i].text, from->headers[i].length),
                                   from->headers[i].length};
        ok = h->name && h->text;
    }
    return ok;
}

// The parts of one input, behind those that are there.
static const char *take_parts(struct layer_part **parts, uint32_t *count, cl_program input)
{
    const struct layer_program *p = layer_lock(&layer_objects.programs, input);
    if (!p)
        return "library that the layer did not see";
    const char *without = p->without;
    struct layer_part *list = realloc(*parts, (*count + p->part_count + 1) * sizeof *list);
    bool ok = list != NULL;
    *parts = ok ? list : *parts;
    for (uint32_t i = 0; ok && i < p->part_count; i++)
        ok = layer_copy_part(&list[(*count)++], &p->parts[i]);
    layer_unlock(&layer_objects.programs);
    return ok ? without : "text for which there was no memory";
}

static cl_program wrap_clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const char *options, cl_uint input_count,
                                     const cl_program *inputs, program_callback notify, void *data,
                                     cl_int *error)
{
    struct layer_part *parts = NULL;
    uint32_t part_count = 0;
    const char *without = NULL;
    layer_note_call();
    for (cl_uint i = 0; inputs && i < input_count; i++) {
        const char *why = take_parts(&parts, &part_count, inputs[i]);
        without = without ? without : why;
    }
    cl_program made = layer_next.clLinkProgram(context, count, devices, options, input_count,
                                               inputs, notify, data, error);
    // A program that nobody sees frees the parts all the same.
    struct layer_program *p =
        layer_add(&layer_objects.programs, made ? (void *)made : (void *)&parts, sizeof *p);
    if (!p) {
        free(parts);
        return made;
    }
    p->parts = parts;
    p->part_count = part_count;
    p->options = copy_string(options);
    p->is_linked = true;
    p->without = without;
    layer_unlock(&layer_objects.programs);
    if (!made)
        layer_drop(&layer_objects.programs, &parts);
    return made;
}

// An object's references are counted here as the driver counts them.
#define COUNTED(name, type, table)                                                                 \
    static cl_int wrap_clRetain##name(type object)                                                 \
    {                                                                                              \
        layer_retain(&layer_objects.table, object);                                                \
        return layer_next.clRetain##name(object);                                                  \
    }                                                                                              \
                                                                                                   \
    static cl_int wrap_clRelease##name(type object)                                                \
    {                                                                                              \
        layer_drop(&layer_objects.table, object);                                                  \
        return layer_next.clRelease##name(object);                                                 \
    }

COUNTED(Program, cl_program, programs)

// ---- kernels -----------------------------------------------------------------------------------

static cl_kernel wrap_clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    cl_kernel made = layer_next.clCreateKernel(program, name, error);
    if (made) {
        layer_note_call();
        layer_record_kernel(made, program);
    }
    return made;
}

static cl_int wrap_clCreateKernelsInProgram(cl_program program, cl_uint count, cl_kernel *kernels,
                                            cl_uint *made)
{
    cl_uint own = 0;
    const cl_int status = layer_next.clCreateKernelsInProgram(program, count, kernels, &own);
    if (made)
        *made = own;
    layer_note_call();
    for (cl_uint i = 0; status == CL_SUCCESS && kernels && i < own && i < count; i++)
        layer_record_kernel(kernels[i], program);
    return status;
}

static bool set_bytes(struct layer_argument *a, const void *value, size_t size)
{
    if (size > LAYER_INLINE && size > a->room) {
        unsigned char *large = realloc(a->large, size);
        if (!large)
            return false;
        a->large = large;
        a->room = size;
    }
    if (size <= LAYER_INLINE) {
        free(a->large);
        a->large = NULL;
        a->room = 0;
    }
    memcpy(a->large ? a->large : a->bytes, value, size);
    a->size = size;
    return true;
}

static cl_kernel wrap_clCloneKernel(cl_kernel source, cl_int *error)
{
    cl_kernel made = layer_next.clCloneKernel(source, error);
    cl_program program = NULL;
    if (!made || layer_next.clGetKernelInfo(made, CL_KERNEL_PROGRAM, sizeof program, &program,
                                            NULL) != CL_SUCCESS)
        return made;
    layer_record_kernel(made, program);
    // Both are in the table: of two entries the second is found under the same lock.
    struct layer_argument copies[LAYER_ARGUMENTS];
    cl_uint count = 0;
    struct layer_kernel *from = layer_lock(&layer_objects.kernels, source);
    if (!from)
        return made;
    const bool is_indirect = from->is_indirect;
    const uint64_t key = from->key; // its program may be known no more
    const char *without = from->without;
    for (; count < from->argument_count; count++) {
        copies[count] = (struct layer_argument){.kind = from->arguments[count].kind,
                                                .size = from->arguments[count].size};
        if (copies[count].kind == LAYER_LOCAL || copies[count].kind == LAYER_UNSET)
            continue;
        if (!set_bytes(&copies[count], layer_bytes(&from->arguments[count]), copies[count].size))
            copies[count].kind = LAYER_UNSET;
    }
    layer_unlock(&layer_objects.kernels);
    struct layer_kernel *to = layer_lock(&layer_objects.kernels, made);
    for (cl_uint i = 0; i < count; i++) {
        if (!to || i >= to->argument_count) {
            free(copies[i].large);
            continue;
        }
        copies[i].is_pointer = to->arguments[i].is_pointer;
        free(to->arguments[i].large);
        to->arguments[i] = copies[i];
    }
    if (to) {
        to->is_indirect = is_indirect;
        to->key = key;
        to->without = without;
        layer_unlock(&layer_objects.kernels);
    }
    return made;
}

COUNTED(Kernel, cl_kernel, kernels)

static void note_argument(cl_kernel kernel, cl_uint index, enum layer_argument_kind kind,
                          const void *value, size_t size)
{
    struct layer_kernel *k = layer_lock(&layer_objects.kernels, kernel);
    if (!k)
        return;
    if (index < k->argument_count) {
        struct layer_argument *a = &k->arguments[index];
        a->kind = kind;
        a->size = size;
        if (kind != LAYER_LOCAL && !set_bytes(a, value, size))
            a->kind = LAYER_UNSET;
    }
    layer_unlock(&layer_objects.kernels);
}

static cl_int wrap_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    static const void *const null;
    const cl_int status = layer_next.clSetKernelArg(kernel, index, size, value);
    if (status != CL_SUCCESS)
        return status;
    // No value: local memory; or a buffer that is NULL, which has a pointer's size and is_pointer.
    struct layer_kernel *k = value ? NULL : layer_lock(&layer_objects.kernels, kernel);
    bool is_null = false;
    if (k) {
        is_null = index < k->argument_count && k->arguments[index].is_pointer;
        layer_unlock(&layer_objects.kernels);
    }
    if (value)
        note_argument(kernel, index, LAYER_VALUE, value, size);
    else
        note_argument(kernel, index, is_null ? LAYER_VALUE : LAYER_LOCAL, &null,
                      is_null ? sizeof null : size);
    return status;
}

static cl_int wrap_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
    const cl_int status = layer_next.clSetKernelArgSVMPointer(kernel, index, pointer);
    if (status == CL_SUCCESS)
        note_argument(kernel, index, LAYER_SVM, &pointer, sizeof pointer);
    return status;
}

static cl_int wrap_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t size,
                                       const void *value)
{
    struct layer_kernel *k =
        what == CL_KERNEL_EXEC_INFO_SVM_PTRS ? layer_lock(&layer_objects.kernels, kernel) : NULL;
    if (k) {
        k->is_indirect = size > 0;
        layer_unlock(&layer_objects.kernels);
    }
    return layer_next.clSetKernelExecInfo(kernel, what, size, value);
}

// ---- memory ------------------------------------------------------------------------------------

enum { HIDDEN = CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY };

// The flags that the driver is asked for: all but those that forbid reading, if data is captured.
static cl_mem_flags readable(cl_mem_flags flags)
{
    return layer_settings.is_capturing ? flags & ~(cl_mem_flags)HIDDEN : flags;
}

// `part` (or NULL): of `root`.
static cl_mem note_part(cl_mem made, size_t size, cl_mem_flags flags, enum layer_memory_kind kind,
                        cl_mem root, const cl_buffer_region *part)
{
    const bool is_of_use = layer_settings.is_capturing || layer_settings.verify > 0 || part;
    struct layer_memory *m =
        made && is_of_use ? layer_add(&layer_objects.memories, made, sizeof *m) : NULL;
    if (!m)
        return made;
    m->size = size;
    m->flags = flags;
    m->is_changed = flags != readable(flags);
    m->kind = kind;
    m->root = part ? root : NULL;
    m->offset = part ? part->origin : 0;
    if (kind == LAYER_IMAGE)
        m->size = layer_learn_image(made, &m->image);
    layer_unlock(&layer_objects.memories);
    if (part)
        atomic_store(&layer_has_parts, true);
    return made;
}

static cl_mem note_memory(cl_mem made, size_t size, cl_mem_flags flags, enum layer_memory_kind kind)
{
    return note_part(made, size, flags, kind, NULL, NULL);
}

static cl_mem wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                  cl_int *error)
{
    layer_note_call();
    return note_memory(layer_next.clCreateBuffer(context, readable(flags), size, host, error), size,
                       flags, LAYER_BUFFER);
}

static cl_mem wrap_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void *region, cl_int *error)
{
    cl_mem made = layer_next.clCreateSubBuffer(buffer, readable(flags), type, region, error);
    const cl_buffer_region *r = made && type == CL_BUFFER_CREATE_TYPE_REGION ? region : NULL;
    return note_part(made, r ? r->size : 0, flags, LAYER_BUFFER, buffer, r);
}

// A function that makes memory of this size (0: it is asked for, or not known) and kind.
#define MEMORY(name, kind, size, parameters, arguments)                                            \
    static cl_mem wrap_##name parameters                                                           \
    {                                                                                              \
        return note_memory(layer_next.name arguments, size, flags, kind);                          \
    }

MEMORY(clCreateBufferWithProperties, LAYER_BUFFER, size,
       (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
        void *host, cl_int *error),
       (context, properties, readable(flags), size, host, error))
MEMORY(clCreateImage, LAYER_IMAGE, 0,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format,
        const cl_image_desc *about, void *host, cl_int *error),
       (context, readable(flags), format, about, host, error))
MEMORY(clCreateImageWithProperties, LAYER_IMAGE, 0,
       (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
        const cl_image_format *format, const cl_image_desc *about, void *host, cl_int *error),
       (context, properties, readable(flags), format, about, host, error))
MEMORY(clCreateImage2D, LAYER_IMAGE, 0,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
        size_t height, size_t pitch, void *host, cl_int *error),
       (context, readable(flags), format, width, height, pitch, host, error))
MEMORY(clCreateImage3D, LAYER_IMAGE, 0,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
        size_t height, size_t depth, size_t row, size_t slice, void *host, cl_int *error),
       (context, readable(flags), format, width, height, depth, row, slice, host, error))
MEMORY(clCreatePipe, LAYER_PIPE, 0,
       (cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint most,
        const cl_pipe_properties *properties, cl_int *error),
       (context, flags, packet, most, properties, error))

// Samplers stand among the memory, as what an argument can be.
static cl_sampler note_sampler(cl_sampler made)
{
    note_memory((cl_mem)(void *)made, 0, 0, LAYER_SAMPLER);
    return made;
}

static cl_sampler wrap_clCreateSampler(cl_context context, cl_bool normalized,
                                       cl_addressing_mode addressing, cl_filter_mode filter,
                                       cl_int *error)
{
    return note_sampler(layer_next.clCreateSampler(context, normalized, addressing, filter, error));
}

static cl_sampler wrap_clCreateSamplerWithProperties(cl_context context,
                                                     const cl_sampler_properties *properties,
                                                     cl_int *error)
{
    return note_sampler(layer_next.clCreateSamplerWithProperties(context, properties, error));
}

COUNTED(MemObject, cl_mem, memories)

static cl_int wrap_clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t size, void *value,
                                      size_t *length)
{
    const cl_int status = layer_next.clGetMemObjectInfo(memory, what, size, value, length);
    if (what != CL_MEM_FLAGS || status != CL_SUCCESS || !value)
        return status;
    const struct layer_memory *m = layer_lock(&layer_objects.memories, memory);
    if (m) {
        if (m->is_changed)
            memcpy(value, &m->flags, sizeof m->flags);
        layer_unlock(&layer_objects.memories);
    }
    return status;
}

static void *wrap_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                             cl_uint alignment)
{
    void *made = layer_next.clSVMAlloc(context, flags, size, alignment);
    struct layer_svm *s = made ? layer_add(&layer_objects.svm, made, sizeof *s) : NULL;
    layer_note_call();
    if (s) {
        s->context = context;
        s->size = size;
        layer_unlock(&layer_objects.svm);
    }
    return made;
}

static void wrap_clSVMFree(cl_context context, void *pointer)
{
    layer_drop(&layer_objects.svm, pointer);
    layer_next.clSVMFree(context, pointer);
}

// ---- queues ------------------------------------------------------------------------------------

static cl_command_queue note_queue(cl_command_queue made, cl_context context,
                                   cl_command_queue_properties asked)
{
    struct layer_queue *q = made && layer_settings.is_capturing
                                ? layer_add(&layer_objects.queues, made, sizeof *q)
                                : NULL;
    layer_note_call();
    if (!q)
        return made;
    q->context = context;
    q->asked = asked;
    layer_unlock(&layer_objects.queues);
    return made;
}

static cl_command_queue wrap_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties,
                                                  cl_int *error)
{
    const cl_command_queue_properties more =
        layer_settings.is_capturing ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_command_queue made =
        layer_next.clCreateCommandQueue(context, device, properties | more, NULL);
    if (!made) // as if nothing had been asked for; it says why
        made = layer_next.clCreateCommandQueue(context, device, properties, error);
    else if (error)
        *error = CL_SUCCESS;
    return note_queue(made, context, properties);
}

enum { PROPERTIES_MOST = 32 };

// The list with profiling; false: it is better left as it is.
static bool with_profiling(const cl_queue_properties *list, cl_queue_properties *out,
                           cl_command_queue_properties *asked)
{
    uint32_t count = 0;
    bool found = false;
    *asked = 0;
    for (; list && list[count] && count < PROPERTIES_MOST - 4; count += 2) {
        out[count] = list[count];
        out[count + 1] = list[count + 1];
        if (list[count] != CL_QUEUE_PROPERTIES)
            continue;
        *asked = list[count + 1];
        out[count + 1] |= CL_QUEUE_PROFILING_ENABLE;
        found = true;
    }
    const bool is_whole = !list || list[count] == 0;
    if (!found) {
        out[count++] = CL_QUEUE_PROPERTIES;
        out[count++] = CL_QUEUE_PROFILING_ENABLE;
    }
    out[count] = 0;
    return is_whole && !(*asked & CL_QUEUE_ON_DEVICE) && layer_settings.is_capturing;
}

static cl_command_queue wrap_clCreateCommandQueueWithProperties(cl_context context,
                                                                cl_device_id device,
                                                                const cl_queue_properties *list,
                                                                cl_int *error)
{
    cl_queue_properties more[PROPERTIES_MOST];
    cl_command_queue_properties asked;
    cl_command_queue made = NULL;
    if (with_profiling(list, more, &asked))
        made = layer_next.clCreateCommandQueueWithProperties(context, device, more, NULL);
    if (!made)
        made = layer_next.clCreateCommandQueueWithProperties(context, device, list, error);
    else if (error)
        *error = CL_SUCCESS;
    return note_queue(made, context, asked);
}

COUNTED(CommandQueue, cl_command_queue, queues)

static cl_int wrap_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what,
                                         size_t size, void *value, size_t *length)
{
    const cl_int status = layer_next.clGetCommandQueueInfo(queue, what, size, value, length);
    if (what != CL_QUEUE_PROPERTIES || status != CL_SUCCESS || !value)
        return status;
    const struct layer_queue *q = layer_lock(&layer_objects.queues, queue);
    if (q) {
        memcpy(value, &q->asked, sizeof q->asked);
        layer_unlock(&layer_objects.queues);
    }
    return status;
}

static cl_int note_launch(const struct layer_launch *l)
{
    return layer_settings.is_capturing ? layer_record_launch(l) : layer_replace_launch(l);
}

static cl_int wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                          cl_uint dimensions, const size_t *offset,
                                          const size_t *global, const size_t *local,
                                          cl_uint wait_count, const cl_event *wait, cl_event *event)
{
    const struct layer_launch l = {queue, kernel,     dimensions, offset, global,
                                   local, wait_count, wait,       event};
    return dimensions >= 1 && dimensions <= 3 ? note_launch(&l) : layer_enqueue(&l);
}

static cl_int wrap_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                 const cl_event *wait, cl_event *event)
{
    static const size_t one[] = {1};
    const struct layer_launch l = {queue, kernel, 1, NULL, one, one, wait_count, wait, event};
    return note_launch(&l);
}

// ---- where the program waits -------------------------------------------------------------------

// A function that waits (where `waits` says so): the times of launches that have ended are taken behind it.
#define WAITED(name, result, waits, parameters, arguments)                                         \
    static result wrap_##name parameters                                                           \
    {                                                                                              \
        result answer = layer_next.name arguments;                                                 \
        if (waits)                                                                                 \
            layer_record_times();                                                                  \
        return answer;                                                                             \
    }

WAITED(clFinish, cl_int, true, (cl_command_queue queue), (queue))
WAITED(clWaitForEvents, cl_int, true, (cl_uint count, const cl_event *events), (count, events))
WAITED(clEnqueueReadBuffer, cl_int, blocking,
       (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size,
        void *to, cl_uint wait_count, const cl_event *wait, cl_event *event),
       (queue, memory, blocking, offset, size, to, wait_count, wait, event))
WAITED(clEnqueueMapBuffer, void *, blocking,
       (cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags, size_t offset,
        size_t size, cl_uint wait_count, const cl_event *wait, cl_event *event, cl_int *error),
       (queue, memory, blocking, flags, offset, size, wait_count, wait, event, error))

// ---- events ------------------------------------------------------------------------------------

static cl_event wrap_clCreateUserEvent(cl_context context, cl_int *error)
{
    cl_event made = layer_next.clCreateUserEvent(context, error);
    if (made)
        atomic_fetch_add(&layer_user_events, 1);
    return made;
}

static cl_int wrap_clSetUserEventStatus(cl_event event, cl_int status)
{
    const cl_int set = layer_next.clSetUserEventStatus(event, status);
    if (set == CL_SUCCESS)
        atomic_fetch_sub(&layer_user_events, 1);
    return set;
}

// ---- extensions --------------------------------------------------------------------------------

typedef cl_int(CL_API_CALL *record_launch)(void *, cl_command_queue, const void *, cl_kernel,
                                           cl_uint, const size_t *, const size_t *, const size_t *,
                                           cl_uint, const cl_uint *, cl_uint *, void *);
static _Atomic(record_launch) next_record_launch;

// A launch that is recorded runs later, and as often as the program likes: it is named, not captured.
static cl_int wrap_record_launch(void *buffer, cl_command_queue queue, const void *properties,
                                 cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                 const size_t *global, const size_t *local, cl_uint wait_count,
                                 const cl_uint *wait, cl_uint *point, void *mutable_handle)
{
    atomic_fetch_add(&layer_counts->skipped[CAPTURE_COMMAND_BUFFER], 1);
    return atomic_load(&next_record_launch)(buffer, queue, properties, kernel, dimensions, offset,
                                            global, local, wait_count, wait, point, mutable_handle);
}

static void *wrap_extension(const char *name, void *found)
{
    if (!found || !name || strcmp(name, "clCommandNDRangeKernelKHR") != 0)
        return found;
    record_launch next;
    memcpy(&next, &found, sizeof next);
    atomic_store(&next_record_launch, next);
    next = wrap_record_launch;
    memcpy(&found, &next, sizeof found);
    return found;
}

static void *wrap_clGetExtensionFunctionAddress(const char *name)
{
    return wrap_extension(name, layer_next.clGetExtensionFunctionAddress(name));
}

static void *wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                           const char *name)
{
    return wrap_extension(name,
                          layer_next.clGetExtensionFunctionAddressForPlatform(platform, name));
}

static cl_int wrap_clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *found)
{
    layer_note_call();
    return layer_next.clGetPlatformIDs(count, platforms, found);
}

// ---- as a layer --------------------------------------------------------------------------------

cl_icd_dispatch layer_wrapped = {
#define X(result, name, parameters, arguments) .name = wrap_##name,
    LAYER_FUNCTIONS(X)
#undef X
};

atomic_bool layer_is_layer;

LAYER_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *length)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "hone capture";
    const void *from = what == CL_LAYER_API_VERSION ? (const void *)&version : name;
    const size_t own = what == CL_LAYER_API_VERSION ? sizeof version : sizeof name;
    if ((what != CL_LAYER_API_VERSION && what != CL_LAYER_NAME) || (value && size < own))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, own);
    if (length)
        *length = own;
    return CL_SUCCESS;
}

// A loader that is older than a function has no room for it in its table: such entries are left alone.
LAYER_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                            cl_uint *count_out, const cl_icd_dispatch **out)
{
    static cl_icd_dispatch shown;
    const size_t most = sizeof shown / sizeof(void *), given = count < most ? count : most;
    if (!target || !count_out || !out)
        return CL_INVALID_VALUE;
    layer_open();
    memset(&layer_next, 0, sizeof layer_next);
    // cppcheck-suppress pointerSize
    memcpy((void *)&layer_next, target, given * sizeof(void *));
    memcpy(&shown, &layer_next, sizeof shown);
#define X(result, name, parameters, arguments)                                                     \
    if (layer_next.name)                                                                           \
        shown.name = layer_wrapped.name;
    LAYER_FUNCTIONS(X)
#undef X
    atomic_store(&layer_is_layer, true);
    *count_out = (cl_uint)given;
    *out = &shown;
    return CL_SUCCESS;
}
