// Images: an array beside the buffer, into which its contents are copied and out of which they are
// taken, and the object by which kernels see it. That is a texture if the buffer is only read, else
// a surface.
#include "device/backends/cuda/cuda.h"

#include <stdlib.h>

struct cuda_image {
    CUarray array;
    bool is_texture;
    unsigned long long object; // a CUtexObject or a CUsurfObject; 0: none yet
    size_t row, rows, planes;  // bytes of a row; rows of a plane
};

// 0: no image has such components.
static const int formats[SCALAR_COUNT] = {
    [SCALAR_I8] = CU_AD_FORMAT_SIGNED_INT8,   [SCALAR_U8] = CU_AD_FORMAT_UNSIGNED_INT8,
    [SCALAR_I16] = CU_AD_FORMAT_SIGNED_INT16, [SCALAR_U16] = CU_AD_FORMAT_UNSIGNED_INT16,
    [SCALAR_I32] = CU_AD_FORMAT_SIGNED_INT32, [SCALAR_U32] = CU_AD_FORMAT_UNSIGNED_INT32,
    [SCALAR_HALF] = CU_AD_FORMAT_HALF,        [SCALAR_FLOAT] = CU_AD_FORMAT_FLOAT,
};

static const int modes[ADDRESSING_COUNT] = {
    [ADDRESSING_CLAMP_TO_EDGE] = CU_TR_ADDRESS_MODE_CLAMP,
    [ADDRESSING_CLAMP] = CU_TR_ADDRESS_MODE_BORDER,
    [ADDRESSING_REPEAT] = CU_TR_ADDRESS_MODE_WRAP,
    [ADDRESSING_MIRRORED_REPEAT] = CU_TR_ADDRESS_MODE_MIRROR,
    [ADDRESSING_NONE] = CU_TR_ADDRESS_MODE_CLAMP,
};

static CUresult make_array(struct cuda *o, const struct job_buffer *b, CUarray *out)
{
    const struct job_image *i = &b->image;
    const CUDA_ARRAY3D_DESCRIPTOR what = {
        .Width = (size_t)i->size[0],
        .Height = (size_t)i->size[1],
        .Depth = i->dimensions == 3 ? (size_t)i->size[2] : 0, // 0: a plane
        .Format = formats[b->element.scalar],
        .NumChannels = b->element.width,
        .Flags = b->access == ACCESS_READ ? 0 : CUDA_ARRAY3D_SURFACE_LDST,
    };
    return o->cu.cuArray3DCreate(out, &what);
}

static CUresult make_texture(struct cuda *o, const struct job_buffer *b,
                             const CUDA_RESOURCE_DESC *of, CUtexObject *out)
{
    const struct job_sampler *s = &b->image.sampler;
    bool is_integer = !scalar_is_float(b->element.scalar) && !b->image.normalized;
    CUDA_TEXTURE_DESC how = {
        .filterMode = s->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .flags = (is_integer ? CU_TRSF_READ_AS_INTEGER : 0u) |
                 (s->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u),
    };
    for (int axis = 0; axis < 3; axis++)
        how.addressMode[axis] = modes[s->addressing];
    return o->cu.cuTexObjectCreate(out, of, &how, NULL);
}

// An image that the card does not have, because of its size or of integers to be interpolated, is the
// spec's doing.
static bool report_image(struct cuda *o, const struct job_buffer *b, const char *call,
                         CUresult code, struct error *e)
{
    typedef unsigned long long ull;
    char text[256];
    return error_set_driver(e, code == CUDA_ERROR_OUT_OF_MEMORY ? ERROR_MEMORY : ERROR_INPUT, code,
                            "image of %llu x %llu x %llu: %s: %s", (ull)b->image.size[0],
                            (ull)b->image.size[1], (ull)b->image.size[2], call,
                            cuda_code_text(&o->cu, code, text, sizeof text));
}

bool cuda_image_new(void *own, struct memory *m, const struct job_buffer *b, struct error *e)
{
    struct cuda *o = own;
    const char *call = "cuArray3DCreate";
    if (b->image.order > IMAGE_RGBA)
        return error_set(e, ERROR_INPUT, "in CUDA an image has the order R, RG or RGBA");
    if (!o->runs)
        return true;
    struct cuda_image *i = calloc(1, sizeof *i);
    if (!i)
        return error_memory(e);
    m->image = i;
    i->is_texture = b->access == ACCESS_READ;
    i->row = (size_t)(b->image.size[0] * element_bytes(&b->element));
    i->rows = (size_t)b->image.size[1];
    i->planes = (size_t)b->image.size[2];
    CUDA_RESOURCE_DESC of = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUresult code = make_array(o, b, &i->array);
    of.res.array.hArray = i->array;
    if (code == CUDA_SUCCESS) {
        call = i->is_texture ? "cuTexObjectCreate" : "cuSurfObjectCreate";
        code = i->is_texture ? make_texture(o, b, &of, &i->object)
                             : o->cu.cuSurfObjectCreate(&i->object, &of);
    }
    if (code == CUDA_SUCCESS)
        return true;
    cuda_image_free(o, m);
    return report_image(o, b, call, code, e);
}

void cuda_image_free(struct cuda *o, struct memory *m)
{
    struct cuda_image *i = m->image;
    if (i && i->object && i->is_texture)
        o->cu.cuTexObjectDestroy(i->object);
    else if (i && i->object)
        o->cu.cuSurfObjectDestroy(i->object);
    if (i && i->array)
        o->cu.cuArrayDestroy(i->array);
    free(i);
    m->image = NULL;
}

unsigned long long cuda_image_object(const struct memory *m)
{
    return ((const struct cuda_image *)m->image)->object;
}

static bool copy_image(struct cuda *o, const CUDA_MEMCPY3D *copy, struct error *e)
{
    CUresult code = o->cu.cuMemcpy3DAsync(copy, o->stream);
    return code == CUDA_SUCCESS || cuda_error(&o->cu, e, "cuMemcpy3DAsync", code);
}

bool cuda_image_put(void *own, struct memory *m, struct error *e)
{
    const struct cuda_image *i = m->image;
    const CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = cuda_at(m, 0),
        .srcPitch = i->row,
        .srcHeight = i->rows,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = i->array,
        .WidthInBytes = i->row,
        .Height = i->rows,
        .Depth = i->planes,
    };
    return copy_image(own, &copy, e);
}

bool cuda_image_take(void *own, struct memory *m, struct error *e)
{
    const struct cuda_image *i = m->image;
    const CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
        .srcArray = i->array,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = cuda_at(m, 0),
        .dstPitch = i->row,
        .dstHeight = i->rows,
        .WidthInBytes = i->row,
        .Height = i->rows,
        .Depth = i->planes,
    };
    return copy_image(own, &copy, e);
}
