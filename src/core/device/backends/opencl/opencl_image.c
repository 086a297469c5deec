// Images beside buffers, into which their contents are copied and out of which they are taken; and
// samplers.
#include "device/backends/opencl/opencl.h"

#include "base/text.h"

#include <stdlib.h>

struct opencl_image {
    cl_mem image;
    size_t size[3];
};

static const cl_channel_order orders[IMAGE_ORDER_COUNT] = {
    [IMAGE_R] = CL_R,
    [IMAGE_RG] = CL_RG,
    [IMAGE_RGBA] = CL_RGBA,
    [IMAGE_A] = CL_A,
    [IMAGE_RA] = CL_RA,
    [IMAGE_BGRA] = CL_BGRA,
    [IMAGE_ARGB] = CL_ARGB,
    [IMAGE_INTENSITY] = CL_INTENSITY,
    [IMAGE_LUMINANCE] = CL_LUMINANCE,
};

// The types of channels; 0 is none (CL_SNORM_INT8 is 0x10D0).
static const struct {
    cl_channel_type plain, normalized;
} types[SCALAR_COUNT] = {
    [SCALAR_I8] = {CL_SIGNED_INT8, CL_SNORM_INT8},
    [SCALAR_U8] = {CL_UNSIGNED_INT8, CL_UNORM_INT8},
    [SCALAR_I16] = {CL_SIGNED_INT16, CL_SNORM_INT16},
    [SCALAR_U16] = {CL_UNSIGNED_INT16, CL_UNORM_INT16},
    [SCALAR_I32] = {CL_SIGNED_INT32, 0},
    [SCALAR_U32] = {CL_UNSIGNED_INT32, 0},
    [SCALAR_HALF] = {CL_HALF_FLOAT, 0},
    [SCALAR_FLOAT] = {CL_FLOAT, 0},
};

// A size or format that the device does not have is the spec's doing.
static bool report_image(const struct job_buffer *b, cl_int code, struct error *e)
{
    static const char *const names[IMAGE_ORDER_COUNT] = {
#define X(name, text, width) [IMAGE_##name] = (text),
        IMAGE_ORDERS(X)
#undef X
    };
    char text[128], type[24], depth[24] = "";
    typedef unsigned long long ull;
    bool is_room = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
                   code == CL_OUT_OF_HOST_MEMORY;
    element_name(&b->element, type);
    if (b->image.dimensions == 3)
        str_format(depth, sizeof depth, " x %llu", (ull)b->image.size[2]);
    return error_set_driver(e, is_room ? ERROR_MEMORY : ERROR_INPUT, code,
                            "image of %llu x %llu%s (%s of %s%s): clCreateImage: %s",
                            (ull)b->image.size[0], (ull)b->image.size[1], depth,
                            names[b->image.order], type, b->image.normalized ? ", normalized" : "",
                            opencl_code_text(code, text));
}

bool opencl_image_new(void *own, struct memory *m, const struct job_buffer *b, struct error *e)
{
    struct opencl *o = own;
    const struct job_image *i = &b->image;
    cl_image_format format = {orders[i->order], i->normalized ? types[b->element.scalar].normalized
                                                              : types[b->element.scalar].plain};
    cl_image_desc desc = {.image_type =
                              i->dimensions == 3 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
                          .image_width = (size_t)i->size[0],
                          .image_height = (size_t)i->size[1],
                          .image_depth = (size_t)i->size[2]};
    cl_int code;
    struct opencl_image *image = calloc(1, sizeof *image);
    if (!image)
        return error_memory(e);
    for (int axis = 0; axis < 3; axis++)
        image->size[axis] = (size_t)i->size[axis];
    image->image =
        o->cl.clCreateImage(o->context, opencl_flags[b->access], &format, &desc, NULL, &code);
    if (!image->image) {
        free(image);
        return report_image(b, code, e);
    }
    m->image = image;
    return true;
}

void opencl_image_free(struct opencl *o, struct memory *m)
{
    struct opencl_image *image = m->image;
    if (image)
        o->cl.clReleaseMemObject(image->image);
    free(image);
    m->image = NULL;
}

cl_mem opencl_image_view(const struct memory *m)
{
    return ((const struct opencl_image *)m->image)->image;
}

bool opencl_image_put(void *own, struct memory *m, struct error *e)
{
    struct opencl *o = own;
    const struct opencl_image *i = m->image;
    const size_t origin[3] = {0, 0, 0};
    cl_int code =
        o->cl.clEnqueueCopyBufferToImage(o->queue, m->parent ? m->parent : m->view, i->image,
                                         (size_t)m->offset, origin, i->size, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueCopyBufferToImage", code);
}

bool opencl_image_take(void *own, struct memory *m, struct error *e)
{
    struct opencl *o = own;
    const struct opencl_image *i = m->image;
    const size_t origin[3] = {0, 0, 0};
    cl_int code =
        o->cl.clEnqueueCopyImageToBuffer(o->queue, i->image, m->parent ? m->parent : m->view,
                                         origin, i->size, (size_t)m->offset, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueCopyImageToBuffer", code);
}

// ---- samplers

cl_sampler opencl_sampler(struct opencl *o, const struct job_sampler *s, cl_int *code)
{
    static const cl_addressing_mode modes[ADDRESSING_COUNT] = {
        [ADDRESSING_CLAMP_TO_EDGE] = CL_ADDRESS_CLAMP_TO_EDGE,
        [ADDRESSING_CLAMP] = CL_ADDRESS_CLAMP,
        [ADDRESSING_REPEAT] = CL_ADDRESS_REPEAT,
        [ADDRESSING_MIRRORED_REPEAT] = CL_ADDRESS_MIRRORED_REPEAT,
        [ADDRESSING_NONE] = CL_ADDRESS_NONE,
    };
    cl_sampler *kept = &o->samplers[4 * s->addressing + 2 * s->linear + s->normalized];
    *code = CL_SUCCESS;
    if (!*kept)
        *kept = o->cl.clCreateSampler(o->context, s->normalized, modes[s->addressing],
                                      s->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, code);
    return *kept;
}

void opencl_samplers_release(struct opencl *o)
{
    for (size_t i = 0; i < sizeof o->samplers / sizeof *o->samplers; i++) {
        if (o->samplers[i])
            o->cl.clReleaseSampler(o->samplers[i]);
    }
}
