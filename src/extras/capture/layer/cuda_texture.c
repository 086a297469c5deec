// Textures and surfaces of CUDA. To a kernel they are numbers: the layer knows them from when the program makes them, takes a
// parameter of such a number for one, and keeps the texels that it shows.
#include "extras/capture/layer/cuda_layer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_LAYERED = 1, ARRAY_CUBEMAP = 4 };
enum { ORDER_R = 0x10B0, ORDER_RG = 0x10B2, ORDER_RGBA = 0x10B5 }; // CL_R, ...
enum { TYPE_2D = 0x10F1, TYPE_3D = 0x10F2, TYPE_1D = 0x10F4, TYPE_1D_BUFFER = 0x10F6 };

// A texture or a surface as the program made it.
struct cuda_view {
    struct layer_object object;
    struct cuda_image image;
};

static _Atomic uint64_t views_made;

static bool read_image(const CUDA_RESOURCE_DESC *of, const CUDA_TEXTURE_DESC *how,
                       struct cuda_image *out);

static bool is_borrowed(const CUDA_RESOURCE_DESC *of)
{
    const void *found = of->resType == CU_RESOURCE_TYPE_ARRAY
                            ? layer_lock(&cuda_objects.borrowed, of->res.array.hArray)
                            : NULL;
    if (found)
        layer_unlock(&cuda_objects.borrowed);
    return found;
}

void cuda_note_view(unsigned long long made, const CUDA_RESOURCE_DESC *of,
                    const CUDA_TEXTURE_DESC *how, bool has_more)
{
    struct layer_table *t = &cuda_objects.views[how == NULL];
    struct cuda_image image;
    if (has_more || is_borrowed(of) || !read_image(of, how, &image))
        image = (struct cuda_image){.is_surface = how == NULL};
    struct cuda_view *v = layer_add(t, (const void *)(uintptr_t)made, sizeof *v);
    if (!v)
        return;
    v->image = image;
    layer_unlock(t);
    atomic_fetch_add(&views_made, 1);
}

void cuda_drop_view(unsigned long long made, bool is_surface)
{
    layer_drop(&cuda_objects.views[is_surface], (const void *)(uintptr_t)made);
}

// Its views are of no kind from here on: the driver is not asked about what is no more.
void cuda_drop_array(CUarray array)
{
    for (int k = 0; k < 2; k++) {
        struct layer_table *t = &cuda_objects.views[k];
        pthread_mutex_lock(&t->lock);
        for (size_t i = 0; i < t->bucket_count; i++) {
            for (struct layer_object *o = t->buckets[i]; o; o = o->next) {
                struct cuda_view *v = (struct cuda_view *)o;
                if (v->image.array == array)
                    v->image = (struct cuda_image){.is_surface = k};
            }
        }
        pthread_mutex_unlock(&t->lock);
    }
    layer_drop(&cuda_objects.borrowed, array);
    atomic_fetch_add(&views_made, 1);
}

void cuda_note_borrowed(CUarray array)
{
    if (layer_add(&cuda_objects.borrowed, array, sizeof(struct layer_object)))
        layer_unlock(&cuda_objects.borrowed);
}

uint64_t cuda_views_made(void)
{
    return atomic_load_explicit(&views_made, memory_order_relaxed);
}

static bool read_view(const unsigned char *word, bool is_surface, struct cuda_image *out)
{
    struct layer_table *t = &cuda_objects.views[is_surface];
    uint64_t made;
    memcpy(&made, word, sizeof made);
    const struct cuda_view *v =
        cuda_views_made() ? layer_lock(t, (const void *)(uintptr_t)made) : NULL;
    if (!v)
        return false;
    *out = v->image;
    layer_unlock(t);
    return true;
}

const char *cuda_view_name(const unsigned char *word)
{
    struct cuda_image image;
    return read_view(word, false, &image)  ? "texture"
           : read_view(word, true, &image) ? "surface"
                                           : NULL;
}

bool cuda_find_image(const struct cuda_function *f, uint32_t argument, const unsigned char *word,
                     struct cuda_image *out)
{
    const unsigned takes = f->takes[argument];
    struct cuda_image surface;
    const bool is_texture = (takes & CUDA_TAKES_TEXTURE) && read_view(word, false, out);
    const bool is_surface = (takes & CUDA_TAKES_SURFACE) && read_view(word, true, &surface);
    if (is_texture && is_surface) // PTX does not tell which
        surface = (struct cuda_image){.is_surface = true};
    if (is_surface)
        *out = surface;
    return is_texture || is_surface;
}

uint64_t cuda_image_key(uint64_t key, const struct cuda_image *image)
{
    key = layer_mix(key, 2 + image->is_surface);
    key = layer_mix(layer_mix(layer_mix(key, image->type), image->order), image->channel);
    key = layer_mix(layer_mix(key, image->addressing), image->filter);
    key = layer_mix(key, image->has_normalized_coordinates);
    for (int a = 0; a < 3; a++)
        key = layer_mix(key, image->size[a]);
    return key;
}

// ---- which parameters --------------------------------------------------------------------------

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

// The next place from `at` where the word stands alone, before `end`.
static const char *find_word(const char *at, const char *end, const char *word, size_t length)
{
    for (; at + length <= end; at++) {
        const bool is_begun = is_of_word(at[0]);
        if (strncmp(at, word, length) == 0 && (at + length == end || !is_of_word(at[length])))
            return at;
        while (is_begun && at < end && is_of_word(at[1]))
            at++;
    }
    return NULL;
}

static unsigned takes_of(const char *word, size_t length)
{
    static const struct {
        const char *type;
        unsigned takes;
    } types[] = {{"cudaTextureObject_t", CUDA_TAKES_TEXTURE},
                 {"CUtexObject", CUDA_TAKES_TEXTURE},
                 {"cudaSurfaceObject_t", CUDA_TAKES_SURFACE},
                 {"CUsurfObject", CUDA_TAKES_SURFACE}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].type) == length && strncmp(word, types[i].type, length) == 0)
            return types[i].takes;
    }
    return 0;
}

static const char *skip_comment(const char *at)
{
    const char *end = at[0] != '/'   ? at
                      : at[1] == '/' ? at + strcspn(at, "\n")
                      : at[1] == '*' ? strstr(at + 2, "*/")
                                     : at;
    return end ? end : at + strlen(at);
}

// Reads what the list takes that begins behind a parenthesis. The number of its parameters, or 0: it does not end.
static uint32_t read_list(const char *at, unsigned char takes[CUDA_PARAMETERS_MOST])
{
    uint32_t count = 0;
    int depth = 0;
    for (; *at && count < CUDA_PARAMETERS_MOST; at++) {
        size_t length = 0;
        at = skip_comment(at);
        while (is_of_word(at[length]))
            length++;
        if (length) {
            takes[count] |= (unsigned char)takes_of(at, length);
            at += length - 1;
        } else if (depth == 0 && *at == ')')
            return count + 1;
        else if (depth == 0 && *at == ',')
            count++;
        else if (*at && strchr("(<[{", *at))
            depth++;
        else if (*at && strchr(")>]}", *at))
            depth--;
        if (!*at)
            break;
    }
    return 0;
}

// A kernel is what returns nothing and is no function of the device's.
static bool begins_kernel(const char *text, const char *name)
{
    const char *from = name;
    while (from > text && !strchr(";{}", from[-1]))
        from--;
    return find_word(from, name, "void", 4) && !find_word(from, name, "__device__", 10);
}

// The declarations of a name with as many parameters; false: there is none.
static bool read_declarations(struct cuda_function *f, const char *text, const char *name,
                              size_t length)
{
    bool is_found = false;
    const char *end = text + strlen(text), *at = text;
    while ((at = find_word(at, end, name, length)) != NULL) {
        unsigned char takes[CUDA_PARAMETERS_MOST] = {0};
        const char *word = at;
        at += length;
        const char *list = at + strspn(at, " \t\r\n");
        if (*list != '(' || !begins_kernel(text, word) || read_list(list + 1, takes) != f->count)
            continue;
        is_found = true;
        for (uint32_t i = 0; i < f->count; i++)
            f->takes[i] |= takes[i];
    }
    return is_found;
}

// The function's own name in one that a compiler wrote.
static const char *plain_name(const char *name, size_t *length)
{
    const char *at = name + 2, *found = name;
    *length = strlen(name);
    if (strncmp(name, "_Z", 2) != 0)
        return found;
    at += strspn(at, "NL");
    while (isdigit((unsigned char)*at)) {
        char *end;
        const unsigned long n = strtoul(at, &end, 10);
        if (n > strlen(end))
            return name;
        found = end;
        *length = n;
        at = end + n;
    }
    return found;
}

static unsigned instructions_of(const char *from, const char *end)
{
    static const struct {
        const char *name;
        unsigned takes;
    } words[] = {{"tex", CUDA_TAKES_TEXTURE},    {"tld4", CUDA_TAKES_TEXTURE},
                 {"txq", CUDA_TAKES_TEXTURE},    {"texref", CUDA_TAKES_TEXTURE},
                 {"suld", CUDA_TAKES_SURFACE},   {"sust", CUDA_TAKES_SURFACE},
                 {"sured", CUDA_TAKES_SURFACE},  {"suq", CUDA_TAKES_SURFACE},
                 {"surfref", CUDA_TAKES_SURFACE}};
    unsigned takes = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i].name);
        const bool is_type = words[i].name[length - 1] == 'f'; // ".texref", else "tex."
        for (const char *at = from; (at = find_word(at, end, words[i].name, length)) != NULL;
             at += length)
            takes |= is_type ? (at > from && at[-1] == '.' ? words[i].takes : 0)
                             : (at[length] == '.' && (at == from || isspace((unsigned char)at[-1]))
                                    ? words[i].takes
                                    : 0);
    }
    return takes;
}

char *cuda_image_ptx(const void *image, size_t length)
{
    const char *text = image;
    const size_t size = strnlen(text, length);
    return instructions_of(text, text + size) ? strndup(text, size) : NULL;
}

// By the entry's instructions, or all of them where it calls others.
static unsigned takes_in_ptx(const char *ptx, const char *name)
{
    const char *end = ptx + strlen(ptx), *at = ptx;
    while ((at = find_word(at, end, name, strlen(name))) != NULL) {
        const char *before = at;
        at += strlen(name);
        while (before > ptx && isspace((unsigned char)before[-1]))
            before--;
        if (before - ptx < 6 || strncmp(before - 6, ".entry", 6) != 0)
            continue;
        const char *next = strstr(at, ".entry");
        const unsigned takes = instructions_of(at, next ? next : end);
        return takes || !find_word(at, next ? next : end, "call", 4) ? takes
                                                                     : instructions_of(ptx, end);
    }
    return 0;
}

void cuda_learn_images(struct cuda_function *f, const struct cuda_text *t)
{
    const struct layer_part *p = t->program.part_count ? t->program.parts : NULL;
    size_t length;
    const char *name = plain_name(f->name, &length);
    bool is_declared = p && read_declarations(f, p->text, name, length);
    for (uint32_t i = 0; p && !is_declared && i < p->header_count; i++)
        is_declared = read_declarations(f, p->headers[i].text, name, length);
    const unsigned takes = !is_declared && t->ptx ? takes_in_ptx(t->ptx, f->name) : 0;
    for (uint32_t i = 0; i < f->count; i++) {
        f->takes[i] = f->sizes[i] == sizeof(uint64_t) ? (unsigned char)(f->takes[i] | takes) : 0;
        f->takes_any = f->takes_any || f->takes[i];
    }
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
static bool read_resource(const CUDA_RESOURCE_DESC *of, struct cuda_image *out, int *format,
                          unsigned *channels)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};
    struct cuda_plane p;
    memcpy(&p, &of->res, sizeof p);
    if (of->resType == CU_RESOURCE_TYPE_ARRAY) {
        out->array = of->res.array.hArray;
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
    out->type = of->resType == CUDA_RESOURCE_PITCH ? TYPE_2D : TYPE_1D_BUFFER;
    memcpy(out->size, (size_t[]){p.width, p.height, 1}, sizeof out->size);
    if (of->resType == CUDA_RESOURCE_LINEAR)
        out->size[1] = 1; // and width in bytes
    *format = p.format;
    *channels = p.channels;
    return of->resType == CUDA_RESOURCE_PITCH || of->resType == CUDA_RESOURCE_LINEAR;
}

static bool read_image(const CUDA_RESOURCE_DESC *of, const CUDA_TEXTURE_DESC *how,
                       struct cuda_image *out)
{
    int format = 0;
    unsigned channels = 0;
    size_t bytes = 0;
    *out = (struct cuda_image){.is_surface = how == NULL};
    if (!read_resource(of, out, &format, &channels) || (how && !read_sampler(how, out)))
        return false;
    const bool is_normalized = how && !(how->flags & CU_TRSF_READ_AS_INTEGER);
    out->channel = channel_of(format, is_normalized, &bytes);
    out->order = channels == 1 ? ORDER_R : channels == 2 ? ORDER_RG : ORDER_RGBA;
    if (!out->channel || (channels != 1 && channels != 2 && channels != 4))
        return false;
    if (out->type == TYPE_1D_BUFFER)
        out->size[0] /= bytes * channels;
    out->row = out->size[0] * bytes * channels;
    return out->row > 0 && out->size[1] > 0;
}

// Memory may have been freed behind its texture.
static bool is_there(const struct cuda_image *image)
{
    CUdeviceptr at, base;
    size_t size, rows = image->size[1];
    unsigned char word[sizeof image->plane];
    memcpy(word, &image->plane, sizeof word);
    return image->array || (image->plane && cuda_find_range(word, &at, &base, &size) &&
                            (rows - 1) * image->pitch + image->row <= size - (size_t)(at - base));
}

enum capture_reason cuda_add_images(const struct cuda_launch *l, const struct cuda_function *f,
                                    struct cuda_memories *out)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const unsigned char *word = cuda_parameter(l, f, i);
        struct cuda_image found;
        if (!word || !cuda_find_image(f, i, word, &found))
            continue;
        if (!found.type || !is_there(&found))
            return CAPTURE_PIPE;
        if (out->count >= CUDA_MEMORIES_MOST)
            return CAPTURE_MANY;
        struct cuda_image *image = malloc(sizeof *image);
        if (!image)
            return CAPTURE_MEMORY;
        *image = found;
        struct cuda_memory *m = &out->items[out->count++];
        *m = (struct cuda_memory){.argument = i, .image = image};
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
