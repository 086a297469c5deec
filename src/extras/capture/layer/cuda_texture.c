// Textures and surfaces of CUDA. To a kernel they are numbers: the layer knows them from when the program makes them, takes a
// parameter of such a number for one, and keeps the texels that it shows.
#include "extras/capture/layer/cuda_layer.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAY_LAYERED = 1, ARRAY_CUBEMAP = 4 };
enum { ORDER_R = 0x10B0, ORDER_RG = 0x10B2, ORDER_RGBA = 0x10B5 }; // CL_R, ...
enum { TYPE_2D = 0x10F1, TYPE_3D = 0x10F2, TYPE_1D = 0x10F4, TYPE_1D_BUFFER = 0x10F6 };

// A texture or a surface as the program made it.
struct cuda_view {
    struct layer_object object;
    bool is_surface, has_more; // has_more: a view of part of a resource
    CUDA_RESOURCE_DESC of;
    CUDA_TEXTURE_DESC how;
};

static _Atomic uint64_t views_made;

void cuda_note_view(unsigned long long made, const CUDA_RESOURCE_DESC *of,
                    const CUDA_TEXTURE_DESC *how, bool has_more)
{
    struct cuda_view *v = layer_add(&cuda_objects.views, (const void *)(uintptr_t)made, sizeof *v);
    if (!v)
        return;
    v->of = *of;
    v->is_surface = how == NULL;
    v->has_more = has_more;
    if (how)
        v->how = *how;
    layer_unlock(&cuda_objects.views);
    atomic_fetch_add(&views_made, 1);
}

static bool read_view(const unsigned char *word, struct cuda_view *out)
{
    uint64_t made;
    memcpy(&made, word, sizeof made);
    const struct cuda_view *v = atomic_load_explicit(&views_made, memory_order_relaxed)
                                    ? layer_lock(&cuda_objects.views, (const void *)(uintptr_t)made)
                                    : NULL;
    if (!v)
        return false;
    *out = *v;
    layer_unlock(&cuda_objects.views);
    return true;
}

// A text without a word for it makes no use of textures: the number is one by chance.
static bool speaks_of_images(const struct cuda_function *f)
{
    const struct cuda_module *m = layer_lock(&cuda_objects.modules, f->module);
    const void *image = m ? m->image : NULL;
    if (m)
        layer_unlock(&cuda_objects.modules);
    const struct cuda_text *t = image ? layer_lock(&cuda_objects.images, image) : NULL;
    const struct layer_part *p = t && t->program.part_count ? t->program.parts : NULL;
    bool speaks = !p || strstr(p->text, "tex") || strstr(p->text, "surf");
    for (size_t i = 0; p && !speaks && i < p->header_count; i++)
        speaks = strstr(p->headers[i].text, "tex") || strstr(p->headers[i].text, "surf");
    if (t)
        layer_unlock(&cuda_objects.images);
    return speaks;
}

bool cuda_is_image(const struct cuda_function *f, uint32_t argument, const unsigned char *word,
                   bool *is_surface)
{
    struct cuda_view v;
    if (f->sizes[argument] != sizeof(uint64_t) || !read_view(word, &v) || !speaks_of_images(f))
        return false;
    *is_surface = v.is_surface;
    return true;
}

// ---- what it shows -----------------------------------------------------------------------------

// The channel as OpenCL numbers it (CL_SNORM_INT8 and those that follow), and its bytes; 0: it has no number.
static uint32_t channel_of(int format, bool is_normalized, size_t *bytes)
{
    static const struct {
        int format;
        uint32_t channel, normalized;
        size_t bytes;
    } known[] = {{CU_AD_FORMAT_SIGNED_INT8, 0x10D7, 0x10D0, 1},
                 {CU_AD_FORMAT_SIGNED_INT16, 0x10D8, 0x10D1, 2},
                 {CU_AD_FORMAT_SIGNED_INT32, 0x10D9, 0x10D9, 4},
                 {CU_AD_FORMAT_UNSIGNED_INT8, 0x10DA, 0x10D2, 1},
                 {CU_AD_FORMAT_UNSIGNED_INT16, 0x10DB, 0x10D3, 2},
                 {CU_AD_FORMAT_UNSIGNED_INT32, 0x10DC, 0x10DC, 4},
                 {CU_AD_FORMAT_HALF, 0x10DD, 0x10DD, 2},
                 {CU_AD_FORMAT_FLOAT, 0x10DE, 0x10DE, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].format != format)
            continue;
        *bytes = known[i].bytes;
        return is_normalized ? known[i].normalized : known[i].channel;
    }
    return 0;
}

// The same for all axes, and without a colour of the border.
static bool read_sampler(const CUDA_TEXTURE_DESC *how, struct cuda_image *out)
{
    static const uint32_t modes[] = {0x1133, 0x1131, 0x1134, 0x1132}; // CL_ADDRESS_REPEAT, ...
    const int mode = how->addressMode[0];
    const uint32_t axes = out->type == TYPE_3D ? 3 : out->type == TYPE_2D ? 2 : 1;
    bool ok = mode >= 0 && mode < 4;
    for (uint32_t i = 1; i < axes; i++)
        ok = ok && how->addressMode[i] == mode;
    for (uint32_t i = 0; i < 4; i++)
        ok = ok && (mode != CU_TR_ADDRESS_MODE_BORDER || how->borderColor[i] == 0);
    if (!ok || (how->flags & CUDA_TEXTURE_SRGB))
        return false;
    out->addressing = modes[mode];
    out->filter = how->filterMode == CU_TR_FILTER_MODE_LINEAR ? 0x1141 : 0x1140;
    out->has_normalized_coordinates = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    return true;
}

// The size of an array, or of memory that is read as one; `format` and channels.
static bool read_resource(const struct cuda_view *v, struct cuda_image *out, int *format,
                          unsigned *channels)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};
    struct cuda_plane p;
    memcpy(&p, &v->of.res, sizeof p);
    if (v->of.resType == CU_RESOURCE_TYPE_ARRAY) {
        out->array = v->of.res.array.hArray;
        if (!cuda_below.cuArray3DGetDescriptor ||
            cuda_below.cuArray3DGetDescriptor(&d, out->array) != CUDA_SUCCESS ||
            (d.Flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)))
            return false;
        out->type = d.Depth ? TYPE_3D : d.Height ? TYPE_2D : TYPE_1D;
        memcpy(out->size, (size_t[]){d.Width, d.Height ? d.Height : 1, d.Depth ? d.Depth : 1},
               sizeof out->size);
        *format = (int)d.Format;
        *channels = d.NumChannels;
        return true;
    }
    out->plane = p.at;
    out->pitch = p.pitch;
    out->type = v->of.resType == CUDA_RESOURCE_PITCH ? TYPE_2D : TYPE_1D_BUFFER;
    memcpy(out->size, (size_t[]){p.width, p.height, 1}, sizeof out->size);
    if (v->of.resType == CUDA_RESOURCE_LINEAR)
        out->size[1] = 1; // and width in bytes
    *format = p.format;
    *channels = p.channels;
    return v->of.resType == CUDA_RESOURCE_PITCH || v->of.resType == CUDA_RESOURCE_LINEAR;
}

static bool read_image(const struct cuda_view *v, struct cuda_image *out)
{
    int format = 0;
    unsigned channels = 0;
    size_t bytes = 0;
    *out = (struct cuda_image){.is_surface = v->is_surface};
    if (v->has_more || !read_resource(v, out, &format, &channels) ||
        (!v->is_surface && !read_sampler(&v->how, out)))
        return false;
    const bool is_normalized = !v->is_surface && !(v->how.flags & CU_TRSF_READ_AS_INTEGER);
    out->channel = channel_of(format, is_normalized, &bytes);
    out->order = channels == 1 ? ORDER_R : channels == 2 ? ORDER_RG : ORDER_RGBA;
    if (!out->channel || (channels != 1 && channels != 2 && channels != 4))
        return false;
    if (out->type == TYPE_1D_BUFFER)
        out->size[0] /= bytes * channels;
    out->row = out->size[0] * bytes * channels;
    return out->row > 0 && out->size[1] > 0;
}

enum capture_reason cuda_add_images(const struct cuda_launch *l, const struct cuda_function *f,
                                    struct cuda_memories *out)
{
    for (uint32_t i = 0; i < f->count && out->count < CUDA_MEMORIES_MOST; i++) {
        const unsigned char *word = cuda_parameter(l, f, i);
        struct cuda_view v;
        bool is_surface;
        if (!word || !cuda_is_image(f, i, word, &is_surface) || !read_view(word, &v))
            continue;
        struct cuda_image *image = malloc(sizeof *image);
        if (!image)
            return CAPTURE_MEMORY;
        struct cuda_memory *m = &out->items[out->count++];
        *m = (struct cuda_memory){.argument = i, .image = image};
        if (!read_image(&v, image))
            return CAPTURE_PIPE;
        m->size = image->row * image->size[1] * image->size[2];
        out->bytes += m->size;
    }
    return CAPTURE_NONE;
}

bool cuda_image_read(const struct cuda_image *image, void *to)
{
    const CUDA_MEMCPY3D copy = {
        .srcMemoryType = image->array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE,
        .srcArray = image->array,
        .srcDevice = image->plane,
        .srcPitch = image->pitch,
        .srcHeight = image->size[1],
        .dstMemoryType = CUDA_MEMORY_HOST,
        .dstHost = to,
        .dstPitch = image->row,
        .dstHeight = image->size[1],
        .WidthInBytes = image->row,
        .Height = image->size[1],
        .Depth = image->size[2],
    };
    if (image->type == TYPE_1D_BUFFER)
        return cuda_below.cuMemcpyDtoH(to, image->plane, image->row) == CUDA_SUCCESS;
    return cuda_below.driver.cuMemcpy3DAsync(&copy, NULL) == CUDA_SUCCESS &&
           cuda_below.cuCtxSynchronize() == CUDA_SUCCESS;
}

void cuda_image_log(struct layer_line *l, const struct cuda_image *image)
{
    line_add(l,
             ",\"image\":{\"type\":%u,\"order\":%u,\"channel\":%u,\"size\":[%zu,%zu,%zu],"
             "\"layers\":0%s}",
             image->type, image->order, image->channel, image->size[0], image->size[1],
             image->size[2], image->is_surface ? ",\"surface\":true" : "");
    if (!image->is_surface)
        line_add(l, ",\"addressing\":%u,\"filter\":%u,\"normalized\":%d", image->addressing,
                 image->filter, image->has_normalized_coordinates);
}
