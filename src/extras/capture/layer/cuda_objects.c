// CUDA's objects as the layer knows them: texts by their compiler's handle; texts and images by the hash of the image that a module
// is made of, which is how a module comes by its text; modules; functions, with their parameters.
#include "extras/capture/layer/cuda_layer.h"

#include "base/digest.h"
#include "extras/capture/capture_words.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGE_MOST = 64 << 20 };

static void release_text(struct layer_object *o)
{
    struct cuda_text *t = (struct cuda_text *)o;
    layer_release_program(&t->program.object);
    free(t->expressions);
    free(t->lowered);
    free(t->ptx);
}

static void release_module(struct layer_object *o)
{
    struct cuda_module *m = (struct cuda_module *)o;
    for (struct cuda_symbol *s = m->symbols, *next; s; s = next) {
        next = s->next;
        free(s);
    }
}

static void release_function(struct layer_object *o)
{
    struct cuda_function *f = (struct cuda_function *)o;
    free(f->name);
    cuda_replace_release(f->replacement);
}

#define TABLE(of)                                                                                  \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .release = of                                           \
    }
struct cuda_objects cuda_objects = {TABLE(release_text),
                                    TABLE(release_text),
                                    TABLE(release_module),
                                    TABLE(release_function),
                                    TABLE(cuda_release_graph),
                                    {TABLE(NULL), TABLE(NULL)},
                                    TABLE(NULL)};

// Held while a function is made known, so that another thread has it with its replacement.
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

void cuda_objects_after_fork(void)
{
    pthread_mutex_init(&noting, NULL);
    struct layer_table *const tables[] = {&cuda_objects.programs, &cuda_objects.images,
                                          &cuda_objects.modules,  &cuda_objects.functions,
                                          &cuda_objects.graphs,   &cuda_objects.views[0],
                                          &cuda_objects.views[1], &cuda_objects.borrowed};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        pthread_mutex_init(&tables[i]->lock, NULL);
}

// ---- texts -------------------------------------------------------------------------------------

static bool copy_headers(struct layer_part *p, int count, const char *const *texts,
                         const char *const *names)
{
    p->headers = count > 0 ? calloc((size_t)count, sizeof *p->headers) : NULL;
    for (int i = 0; p->headers && i < count; i++) {
        struct layer_header *h = &p->headers[p->header_count++];
        h->length = strlen(texts[i]);
        h->text = strdup(texts[i]);
        h->name = strdup(names[i]);
        if (!h->text || !h->name)
            return false;
    }
    return count <= 0 || p->headers;
}

void cuda_note_program(nvrtcProgram program, const char *source, int headers,
                       const char *const *texts, const char *const *names)
{
    atomic_fetch_add(&layer_counts->programs, 1);
    struct cuda_text *t = layer_add(&cuda_objects.programs, program, sizeof *t);
    if (!t)
        return;
    struct layer_part *part = t->program.parts = calloc(1, sizeof *part);
    if (part)
        part->text = strdup(source);
    t->program.part_count = part && part->text;
    if (!t->program.part_count || !copy_headers(part, headers, texts, names))
        t->program.without = "text for which there was no memory";
    else
        part->length = strlen(source);
    layer_unlock(&cuda_objects.programs);
}

static bool add_bytes(char **list, size_t *length, const char *bytes, size_t more)
{
    char *longer = realloc(*list, *length + more);
    if (!longer)
        return false;
    memcpy(longer + *length, bytes, more);
    *list = longer;
    *length += more;
    return true;
}

void cuda_note_expression(nvrtcProgram program, const char *name)
{
    struct cuda_text *t = layer_lock(&cuda_objects.programs, program);
    if (!t)
        return;
    add_bytes(&t->expressions, &t->expressions_length, name, strlen(name) + 1);
    layer_unlock(&cuda_objects.programs);
}

void cuda_note_options(nvrtcProgram program, int count, const char *const *options)
{
    struct cuda_text *t = layer_lock(&cuda_objects.programs, program);
    if (!t)
        return;
    free(t->program.options);
    t->program.options = capture_words_join(options, count > 0 ? (size_t)count : 0);
    *t->program.digest = 0;
    memcpy(t->digest, layer_program_digest(&t->program), sizeof t->digest);
    layer_unlock(&cuda_objects.programs);
}

// ---- images ------------------------------------------------------------------------------------

static uint64_t number_at(const unsigned char *bytes, size_t at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, bytes + at, size);
    return value;
}

// The end of an ELF file: of its sections, their table, and the program headers.
static size_t elf_size(const unsigned char *b)
{
    const uint64_t programs = number_at(b, 32, 8), sections = number_at(b, 40, 8);
    const uint64_t program_size = number_at(b, 54, 2), program_count = number_at(b, 56, 2);
    const uint64_t section_size = number_at(b, 58, 2), section_count = number_at(b, 60, 2);
    uint64_t end = sections + section_size * section_count;
    if (b[4] != 2 || section_size < 64)
        return 0;
    if (programs + program_size * program_count > end)
        end = programs + program_size * program_count;
    for (uint64_t i = 0; i < section_count; i++) {
        const unsigned char *s = b + sections + i * section_size;
        const uint64_t from = number_at(s, 24, 8), size = number_at(s, 32, 8);
        const bool has_bytes = number_at(s, 4, 4) != 8; // SHT_NOBITS
        if (has_bytes && from + size > end)
            end = from + size;
    }
    return (size_t)end;
}

enum { FAT_WRAPPER = 0x466243b1, FAT_BINARY = 0xba55ed50, ELF = 0x464c457f };

// An image's bytes; 0: it is of a kind that nobody has described.
static size_t image_size(const void **image, const char **kind)
{
    uint32_t magic;
    memcpy(&magic, *image, sizeof magic);
    if (magic == FAT_WRAPPER) { // magic, version, where it is
        const void *inside;
        memcpy(&inside, (const char *)*image + 8, sizeof inside);
        *image = inside;
        memcpy(&magic, inside, sizeof magic);
    }
    if (magic == FAT_BINARY) { // magic, version, size of this header, bytes behind it
        *kind = "fat binary";
        const uint64_t head = number_at(*image, 6, 2), rest = number_at(*image, 8, 8);
        return (size_t)(head + rest);
    }
    if (magic == ELF) {
        *kind = "cubin";
        return elf_size(*image);
    }
    *kind = "PTX";
    const size_t length = strnlen(*image, IMAGE_MOST);
    return length < IMAGE_MOST ? length : 0;
}

// A large one (a library's) is told by its beginning and its size.
static size_t hashed_bytes(size_t length)
{
    return length > IMAGE_MOST ? 1 << 16 : length;
}

static const void *hash_image(const void *image, size_t length)
{
    const uint64_t hash = layer_mix(layer_mix_bytes(0, image, hashed_bytes(length)), length);
    return (const void *)(uintptr_t)(hash + (hash == 0));
}

static bool copy_text(struct cuda_text *to, const struct cuda_text *from)
{
    to->program.parts = calloc(1, sizeof *to->program.parts);
    to->program.options = from->program.options ? strdup(from->program.options) : NULL;
    to->program.without = from->program.without;
    memcpy(to->digest, from->digest, sizeof to->digest);
    to->program.part_count = to->program.parts && from->program.part_count &&
                             layer_copy_part(to->program.parts, from->program.parts);
    return to->program.part_count && (from->expressions_length == 0 ||
                                      add_bytes(&to->expressions, &to->expressions_length,
                                                from->expressions, from->expressions_length));
}

void cuda_note_compiled(nvrtcProgram program, const void *image, size_t length)
{
    const char *kind;
    const void *bytes = image;
    if (length < CUDA_IMAGE_LEAST)
        return;
    const size_t size = image_size(&bytes, &kind);
    const void *hash = hash_image(image, size && size <= length ? size : length);
    struct cuda_text *t = layer_lock(&cuda_objects.programs, program);
    struct cuda_text *to = t ? layer_add(&cuda_objects.images, hash, sizeof *to) : NULL;
    if (to) {
        if (!copy_text(to, t))
            to->program.without = "text for which there was no memory";
        const char *end = to->expressions + to->expressions_length;
        for (const char *at = to->expressions; at < end; at += strlen(at) + 1) {
            const char *name = NULL;
            if (!cuda_below.nvrtc.nvrtcGetLoweredName ||
                cuda_below.nvrtc.nvrtcGetLoweredName(program, at, &name) != NVRTC_SUCCESS || !name)
                name = "";
            add_bytes(&to->lowered, &to->lowered_length, name, strlen(name) + 1);
        }
        to->ptx = cuda_image_ptx(image, length);
        layer_unlock(&cuda_objects.images);
    }
    if (t)
        layer_unlock(&cuda_objects.programs);
}

// An image without a text: it is kept itself, so that a replay has it.
static void note_image(const void *hash, const void *image, size_t size, const char *kind)
{
    char digest[65] = "";
    struct digest d;
    if (layer_settings.is_capturing || layer_replace_has_text()) {
        digest_of(image, hashed_bytes(size), &d);
        digest_hex(&d, digest);
    }
    const bool is_kept = layer_settings.is_capturing && size <= IMAGE_MOST &&
                         layer_keep(image, size, layer_room(), digest) == CAPTURE_NONE;
    atomic_fetch_add(&layer_counts->images, 1);
    struct cuda_text *t = layer_add(&cuda_objects.images, hash, sizeof *t);
    if (!t)
        return;
    t->program.without = kind;
    t->ptx = strcmp(kind, "PTX") == 0 ? cuda_image_ptx(image, size) : NULL;
    memcpy(t->digest, digest, sizeof t->digest);
    if (is_kept)
        memcpy(t->image, digest, sizeof t->image);
    layer_unlock(&cuda_objects.images);
}

void cuda_note_module(const void *module, const void *image)
{
    const char *kind = "";
    const size_t size = image ? image_size(&image, &kind) : 0;
    const void *hash = size ? hash_image(image, size) : NULL;
    const struct cuda_text *known = hash ? layer_lock(&cuda_objects.images, hash) : NULL;
    if (known)
        layer_unlock(&cuda_objects.images);
    else if (hash)
        note_image(hash, image, size, kind);
    struct cuda_module *m = layer_add(&cuda_objects.modules, module, sizeof *m);
    if (!m)
        return;
    m->image = hash;
    layer_unlock(&cuda_objects.modules);
}

// Its functions end with it: their handles may be those of others next.
static void forget_functions(const void *module)
{
    struct layer_table *t = &cuda_objects.functions;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (struct layer_object *o = t->buckets[i]; o; o = o->next) {
            struct cuda_function *f = (struct cuda_function *)o;
            if (f->module == module)
                f->key = 0, f->module = NULL;
        }
    }
    pthread_mutex_unlock(&t->lock);
    cuda_replace_drop_module(module);
}

// A module that a library still has in a context; NULL: none.
static const void *find_part(const void *library)
{
    struct layer_table *t = &cuda_objects.modules;
    const void *found = NULL;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->bucket_count && !found; i++) {
        for (struct layer_object *o = t->buckets[i]; o && !found; o = o->next)
            found = ((struct cuda_module *)o)->library == library ? o->handle : NULL;
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

void cuda_drop_module(const void *module)
{
    for (const void *part; module && (part = find_part(module)) != NULL;) {
        forget_functions(part);
        layer_drop(&cuda_objects.modules, part);
    }
    forget_functions(module);
    layer_drop(&cuda_objects.modules, module);
}

void cuda_note_part(const void *module, const void *library)
{
    const struct cuda_module *of = layer_lock(&cuda_objects.modules, library);
    const void *image = of ? of->image : NULL;
    if (!of)
        return;
    layer_unlock(&cuda_objects.modules);
    struct cuda_module *m = layer_add(&cuda_objects.modules, module, sizeof *m);
    if (!m)
        return;
    m->image = image;
    m->library = library;
    layer_unlock(&cuda_objects.modules);
}

// The one that has the symbols, locked.
static struct cuda_module *lock_module(const void *module)
{
    struct cuda_module *m = layer_lock(&cuda_objects.modules, module);
    const void *library = m ? m->library : NULL;
    if (!library)
        return m;
    layer_unlock(&cuda_objects.modules);
    return layer_lock(&cuda_objects.modules, library);
}

static CUcontext current_context(void)
{
    CUcontext context = NULL;
    if (cuda_below.cuCtxGetCurrent && cuda_below.cuCtxGetCurrent(&context) != CUDA_SUCCESS)
        context = NULL;
    return context;
}

// The symbol of a name in a context; NULL: the program has not asked for it there.
static struct cuda_symbol *find_symbol(const struct cuda_module *m, const char *name,
                                       CUcontext context)
{
    struct cuda_symbol *s = m->symbols;
    while (s && (s->context != context || strcmp(s->name, name) != 0))
        s = s->next;
    return s;
}

void cuda_note_symbol(const void *module, const char *name, CUdeviceptr at, size_t size)
{
    CUcontext context = current_context();
    struct cuda_module *m = lock_module(module);
    if (!m)
        return;
    struct cuda_symbol *s = find_symbol(m, name, context);
    if (!s && (s = calloc(1, sizeof *s + strlen(name) + 1)) != NULL) {
        s->context = context;
        strcpy(s->name, name);
        s->next = m->symbols;
        m->symbols = s;
    }
    if (s) {
        s->at = at;
        s->size = size;
    }
    layer_unlock(&cuda_objects.modules);
}

enum capture_reason cuda_add_symbols(const void *module, struct cuda_memories *out)
{
    CUcontext context = current_context();
    const struct cuda_module *m = lock_module(module);
    const struct cuda_symbol *s = m ? m->symbols : NULL;
    for (; s && out->count < CUDA_MEMORIES_MOST; s = s->next) {
        if (s->context != context)
            continue;
        struct cuda_memory *to = &out->items[out->count];
        *to = (struct cuda_memory){
            .at = s->at, .base = s->at, .size = s->size, .symbol = strdup(s->name)};
        out->count += to->symbol != NULL;
        out->bytes += s->size;
    }
    if (m)
        layer_unlock(&cuda_objects.modules);
    return s ? CAPTURE_MANY : CAPTURE_NONE;
}

static bool speaks_of(const char *text, const char *symbol)
{
    size_t length;
    const char *name = capture_symbol_name(symbol, &length);
    return memmem(text, strlen(text), name, length) != NULL;
}

CUresult cuda_copy_symbols(const void *module, CUfunction to, CUstream stream, const char *text,
                           bool is_shared)
{
    CUcontext context = current_context();
    const struct cuda_module *m = lock_module(module);
    CUresult code = CUDA_SUCCESS;
    CUmodule other = NULL;
    for (const struct cuda_symbol *s = m ? m->symbols : NULL; s && code == CUDA_SUCCESS;
         s = s->next) {
        CUdeviceptr at = 0;
        size_t size = 0;
        if (s->context != context) { // what it holds in this one nobody knows, unless it was asked
            code = find_symbol(m, s->name, context) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
            continue;
        }
        if (!other && !(cuda_below.cuFuncGetModule && cuda_below.cuMemcpyDtoDAsync &&
                        cuda_below.cuFuncGetModule(&other, to) == CUDA_SUCCESS))
            code = CUDA_ERROR_NOT_FOUND;
        else
            code = cuda_below.driver.cuModuleGetGlobal(&at, &size, other, s->name);
        if (code == CUDA_ERROR_NOT_FOUND && other && !speaks_of(text, s->name))
            code = CUDA_SUCCESS;
        else if (code == CUDA_SUCCESS)
            code = size == s->size && !is_shared
                       ? cuda_below.cuMemcpyDtoDAsync(at, s->at, size, stream)
                       : CUDA_ERROR_INVALID_VALUE;
    }
    if (m)
        layer_unlock(&cuda_objects.modules);
    return code;
}

// ---- functions ---------------------------------------------------------------------------------

// *is_end: there is no such parameter, as either function says it; else nothing is told.
static bool ask_parameter(const void *function, size_t at, size_t *offset, size_t *size,
                          bool *is_end)
{
    CUresult of_function = CUDA_ERROR_NOT_FOUND, of_kernel = CUDA_ERROR_NOT_FOUND;
    if (cuda_below.driver.cuFuncGetParamInfo)
        of_function =
            cuda_below.driver.cuFuncGetParamInfo((CUfunction)(uintptr_t)function, at, offset, size);
    if (of_function != CUDA_SUCCESS && cuda_below.cuKernelGetParamInfo)
        of_kernel =
            cuda_below.cuKernelGetParamInfo((CUkernel)(uintptr_t)function, at, offset, size);
    *is_end = of_function == CUDA_ERROR_INVALID_VALUE || of_kernel == CUDA_ERROR_INVALID_VALUE;
    return of_function == CUDA_SUCCESS || of_kernel == CUDA_SUCCESS;
}

// False: the driver does not tell, before CUDA 12.4.
static bool learn_parameters(struct cuda_function *f, const void *function)
{
    bool is_end = false;
    while (f->count < CUDA_PARAMETERS_MOST) {
        const uint32_t at = f->count;
        if (!ask_parameter(function, at, &f->offsets[at], &f->sizes[at], &is_end))
            break;
        f->bytes = f->offsets[at] + f->sizes[at];
        f->count++;
    }
    return is_end;
}

// Module and name of a handle that was not seen made.
static bool ask_function(const void *function, const void **module, const char **name)
{
    CUmodule m = NULL;
    CUlibrary library = NULL;
    CUfunction f = (CUfunction)(uintptr_t)function;
    CUkernel k = (CUkernel)(uintptr_t)function;
    if (cuda_below.cuFuncGetName && cuda_below.cuFuncGetModule &&
        cuda_below.cuFuncGetName(name, f) == CUDA_SUCCESS &&
        cuda_below.cuFuncGetModule(&m, f) == CUDA_SUCCESS) {
        *module = m;
        return true;
    }
    if (!cuda_below.cuKernelGetName || !cuda_below.cuKernelGetLibrary ||
        cuda_below.cuKernelGetName(name, k) != CUDA_SUCCESS ||
        cuda_below.cuKernelGetLibrary(&library, k) != CUDA_SUCCESS)
        return false;
    *module = library;
    return true;
}

// With the text locked, and its function.
static void key_function(struct cuda_function *f, const struct cuda_text *t)
{
    f->key = layer_mix_bytes(layer_mix_bytes(0, t->digest, 64), f->name, strlen(f->name));
    f->key += f->key == 0;
    f->without = t->program.without;
    cuda_learn_images(f, t);
    if (layer_settings.is_capturing && layer_kernel_is_new(f->key)) {
        struct layer_line l = {0};
        layer_log_program(&l, &t->program, f->key, f->name, t->digest);
        line_add(&l, ",\"language\":\"cuda\",\"image\":\"%s\"", t->image);
        const char *lowered = t->lowered, *end = lowered + t->lowered_length;
        line_add(&l, ",\"expressions\":[");
        for (size_t at = 0; at < t->expressions_length && lowered < end;
             at += strlen(t->expressions + at) + 1, lowered += strlen(lowered) + 1) {
            line_add(&l, at ? ",[" : "[");
            line_text(&l, t->expressions + at);
            line_add(&l, ",");
            line_text(&l, lowered);
            line_add(&l, "]");
        }
        line_add(&l, "]");
        line_add(&l, ",\"arguments\":[");
        for (uint32_t i = 0; i < f->count; i++)
            line_add(&l, "%s{\"offset\":%zu,\"bytes\":%zu}", i ? "," : "", f->offsets[i],
                     f->sizes[i]);
        line_add(&l, "]}");
        line_end(&l, true);
    }
}

// The module of the known functions of this name; NULL: there is none, or there are several. A graph names functions by handles that
// nobody has asked for.
static const void *module_by_name(const char *name)
{
    struct layer_table *t = &cuda_objects.functions;
    const void *found = NULL;
    bool is_one = true;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (struct layer_object *o = t->buckets[i]; o; o = o->next) {
            const struct cuda_function *f = (const struct cuda_function *)o;
            if (!f->key || !f->name || strcmp(f->name, name) != 0)
                continue;
            is_one = is_one && (!found || found == f->module);
            found = f->module;
        }
    }
    pthread_mutex_unlock(&t->lock);
    return is_one ? found : NULL;
}

// A program may ask for its functions before every launch.
static bool is_known(const void *function, const void *module, const char *name)
{
    const struct cuda_function *f = layer_lock(&cuda_objects.functions, function);
    const bool is_same = f && f->module == module && f->name && strcmp(f->name, name) == 0;
    if (f)
        layer_unlock(&cuda_objects.functions);
    return is_same;
}

static void note_function(const void *function, const void *module, const char *name)
{
    const void *image = NULL;
    struct cuda_replacement *r = NULL;
    if ((!module && !ask_function(function, &module, &name)) ||
        (!layer_settings.is_capturing && !layer_replace_has(name)) ||
        is_known(function, module, name))
        return;
    const struct cuda_module *m = layer_lock(&cuda_objects.modules, module);
    const void *other = m ? NULL : module_by_name(name);
    if (!m && other && (m = layer_lock(&cuda_objects.modules, other)) != NULL)
        module = other;
    if (m) {
        image = m->image;
        layer_unlock(&cuda_objects.modules);
    }
    struct cuda_function *f = layer_add(&cuda_objects.functions, function, sizeof *f);
    if (!f)
        return;
    f->module = module;
    f->name = strdup(name);
    const bool is_told = f->name && learn_parameters(f, function);
    struct cuda_text *t = is_told && image ? layer_lock(&cuda_objects.images, image) : NULL;
    if (t)
        key_function(f, t);
    layer_unlock(&cuda_objects.functions);
    if (!t)
        return;
    if (!layer_settings.is_capturing)
        r = cuda_replace_prepare(t, module, name);
    layer_unlock(&cuda_objects.images);
    f = r ? layer_lock(&cuda_objects.functions, function) : NULL;
    const bool is_taken = f && f->module == module; // else it was unloaded
    if (is_taken)
        f->replacement = r;
    if (f)
        layer_unlock(&cuda_objects.functions);
    if (!is_taken)
        cuda_replace_release(r);
}

void cuda_note_function(const void *function, const void *module, const char *name)
{
    pthread_mutex_lock(&noting);
    note_function(function, module, name);
    pthread_mutex_unlock(&noting);
}
