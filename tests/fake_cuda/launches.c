// Modules, functions, launches and their times. A launch runs when it is made; each command takes
// its time of a clock that only commands move.
#include "fake.h"

#include "extras/capture/capture_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CUDA_DRIVER_FUNCTIONS(FAKE_DECLARE)
CUDA_OPTIONAL_FUNCTIONS(FAKE_DECLARE)
CAPTURE_CUDA_FUNCTIONS(FAKE_DECLARE)

#define SHARED_MOST    (227 << 10)
#define SHARED_DEFAULT (48u << 10)
#define SYMBOL_BYTES   65536
#define FILE_MOST      (1 << 20)
#define WAIT           "hone_wait" // hone's own, in PTX: it takes as long as its argument says

// ---- the clock

static uint64_t now_ns;
static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t fake_now_ns(void)
{
    pthread_mutex_lock(&clock_lock);
    const uint64_t now = now_ns;
    pthread_mutex_unlock(&clock_lock);
    return now;
}

void fake_pass_ns(uint64_t ns)
{
    pthread_mutex_lock(&clock_lock);
    fake_clock_begin(&now_ns);
    now_ns += ns + 101; // so that not every time is a multiple of the same
    pthread_mutex_unlock(&clock_lock);
}

void fake_wait(void)
{
    pthread_mutex_lock(&clock_lock);
    fake_clock_wait(now_ns);
    pthread_mutex_unlock(&clock_lock);
}

uint64_t fake_command_ns(void)
{
    return fake_number("FAKE_CUDA_COMMAND_NS", 10000);
}

struct CUevent_st {
    bool is_recorded;
    uint64_t at_ns;
};

CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    CUresult code = fake_call(__func__);
    (void)flags;
    if (code == CUDA_SUCCESS)
        *out = fake_new(sizeof **out);
    return code;
}

CUresult cuEventDestroy(CUevent event)
{
    fake_free(event);
    return fake_call(__func__);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CUresult code = fake_call(__func__);
    uint64_t tick = fake_number("FAKE_CUDA_TICK_NS", 1);
    (void)stream;
    if (code != CUDA_SUCCESS)
        return code;
    pthread_mutex_lock(&clock_lock);
    fake_clock_begin(&now_ns);
    event->is_recorded = true;
    event->at_ns = now_ns / (tick ? tick : 1) * tick;
    pthread_mutex_unlock(&clock_lock);
    return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    CUresult code = fake_call(__func__);
    if (code == CUDA_SUCCESS && (!start->is_recorded || !end->is_recorded))
        code = CUDA_ERROR_INVALID_HANDLE;
    if (code != CUDA_SUCCESS)
        return code;
    int64_t ns = (int64_t)(end->at_ns - start->at_ns);
    *milliseconds = fake_is("FAKE_CUDA_LIE", "zero", "") ? 0 : (float)((double)ns / 1e6);
    return CUDA_SUCCESS;
}

// ---- modules

static bool is_ptx(const char *image)
{
    return strncmp(image, ".version", 8) == 0 || strstr(image, "\n.version") != NULL;
}

static CUresult load_image(const char *call, CUmodule *out, const void *image)
{
    CUresult code = fake_call(call);
    const char *text = image;
    size_t head = strlen(FAKE_CUBIN);
    if (strncmp(text, "\177ELF", 4) == 0)
        text += 4;
    if (code == CUDA_SUCCESS && fake_dead("load"))
        code = CUDA_ERROR_UNKNOWN;
    if (code == CUDA_SUCCESS && !is_ptx(text) && strncmp(text, FAKE_CUBIN, head) != 0)
        code = CUDA_ERROR_INVALID_IMAGE;
    if (code != CUDA_SUCCESS)
        return code;
    struct CUmod_st *m = fake_new(sizeof *m);
    const char *options = is_ptx(text) ? "" : text + head;
    size_t length = strcspn(options, "\n");
    m->options = strndup(options, length);
    m->source = strdup(is_ptx(text) ? text : options + length);
    *out = m;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    return load_image(__func__, out, image);
}

CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    char *image = calloc(1, FILE_MOST);
    FILE *f = fopen(path, "rb");
    const bool is_read = f && image && fread(image, 1, FILE_MOST - 1, f) > 0;
    if (f)
        fclose(f);
    const CUresult code = is_read ? load_image(__func__, out, image) : CUDA_ERROR_FILE_NOT_FOUND;
    free(image);
    return code;
}

CUresult cuModuleUnload(CUmodule m)
{
    while (m->functions) {
        struct CUfunc_st *f = m->functions;
        m->functions = f->next;
        free(f);
    }
    if (m->symbol)
        fake_give_back((uintptr_t)m->symbol);
    free(m->options);
    free(m->source);
    fake_free(m);
    return fake_call(__func__);
}

static bool declare(const struct CUmod_st *m, const char *name, struct declaration *out)
{
    if (!is_ptx(m->source) || strstr(m->source, "fake:"))
        return fake_parse_kernel(m->source, name, out);
    *out = (struct declaration){.count = 1};
    snprintf(out->name, sizeof out->name, "%s", name);
    out->parameters[0] = (struct parameter){.space = SPACE_PRIVATE, .type = "ulong"};
    return strstr(m->source, name) != NULL;
}

static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

// The function of a name, the same each time.
static CUresult find_function(CUfunction *out, CUmodule m, const char *name)
{
    for (*out = m->functions; *out; *out = (*out)->next) {
        if (strcmp((*out)->declared.name, name) == 0)
            return CUDA_SUCCESS;
    }
    struct CUfunc_st *f = calloc(1, sizeof *f);
    if (!f || !declare(m, name, &f->declared)) {
        free(f);
        return CUDA_ERROR_NOT_FOUND;
    }
    f->module = m;
    f->next = m->functions;
    m->functions = f;
    *out = f;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
    CUresult code = fake_call(__func__);
    pthread_mutex_lock(&naming);
    if (code == CUDA_SUCCESS)
        code = find_function(out, m, name);
    pthread_mutex_unlock(&naming);
    return code;
}

// One symbol a module, of whatever name stands behind "__constant__".
CUresult cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule m, const char *name)
{
    CUresult code = fake_call(__func__);
    CUdeviceptr at = 0;
    const char *symbol = strstr(m->source, "__constant__");
    if (code == CUDA_SUCCESS && !(symbol && strstr(symbol, name)))
        code = CUDA_ERROR_NOT_FOUND;
    if (code == CUDA_SUCCESS && !m->symbol)
        code = fake_allocate(&at, SYMBOL_BYTES);
    if (code != CUDA_SUCCESS)
        return code;
    if (!m->symbol)
        m->symbol = (uint8_t *)(uintptr_t)at;
    *out = (uintptr_t)m->symbol;
    if (bytes)
        *bytes = SYMBOL_BYTES;
    return CUDA_SUCCESS;
}

// ---- functions

size_t fake_parameter_bytes(const struct parameter *p)
{
    static const char *const wide[] = {"ulong", "long", "double", "size_t"};
    if (strcmp(p->type, "struct") == 0) // a pointer and two numbers
        return 16;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (p->space == SPACE_GLOBAL || strcmp(p->type, wide[i]) == 0)
            return 8;
    }
    return 4;
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction f)
{
    *out = f->module;
    return fake_call(__func__);
}

CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *bytes)
{
    CUresult code = fake_call(__func__);
    if (code == CUDA_SUCCESS && index >= f->declared.count)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    *offset = 8 * index;
    *bytes = fake_parameter_bytes(&f->declared.parameters[index]);
    return CUDA_SUCCESS;
}

static int registers_of(const struct CUfunc_st *f)
{
    const char *n = fake_define(f->module->options, "FAKE_REGISTERS");
    return n ? atoi(n) : 32;
}

CUresult cuFuncGetAttribute(int *out, CUfunction_attribute what, CUfunction f)
{
    CUresult code = fake_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    *out = what == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK           ? 1024
           : what == CU_FUNC_ATTRIBUTE_NUM_REGS                      ? registers_of(f)
           : what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? f->dynamic_bytes
                                                                     : 0;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute what, int value)
{
    CUresult code = fake_call(__func__);
    bool is_known = what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    if (code == CUDA_SUCCESS && (!is_known || value < 0 || value > SHARED_MOST))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        f->dynamic_bytes = value;
    return code;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int block,
                                                     size_t dynamic_bytes)
{
    CUresult code = fake_call(__func__);
    (void)f, (void)dynamic_bytes;
    if (code == CUDA_SUCCESS)
        *out = block > 0 ? 2048 / block : 0;
    return code;
}

// ---- launches

static void take_operand(const struct parameter *p, const void *value, struct operand *out)
{
    CUdeviceptr at;
    *out = (struct operand){.constant = p->constant, .value = value};
    if (p->space != SPACE_GLOBAL && strcmp(p->type, "struct") != 0)
        return;
    memcpy(&at, value, sizeof at);
    const CUdeviceptr shown = fake_object_memory(at, strstr(p->type, "Surf") != NULL);
    at = shown ? shown : at;
    out->data = (uint8_t *)(uintptr_t)at;
    out->size = fake_memory_left(at) ? fake_memory_left(at) : fake_host_left(at);
}

static void operate(const struct CUfunc_st *f, void **arguments, size_t work_items)
{
    struct operand operands[ARGUMENTS_MOST + 1]; // and the module's symbol
    for (unsigned i = 0; i < f->declared.count; i++)
        take_operand(&f->declared.parameters[i], arguments[i], &operands[i]);
    operands[f->declared.count] = (struct operand){.data = f->module->symbol, .size = SYMBOL_BYTES};
    fake_operate(&f->declared, operands, work_items, fake_text("FAKE_CUDA_LIE", ""));
}

static uint64_t launch_ns(const struct CUfunc_st *f, void **arguments)
{
    uint64_t ns;
    const char *define = fake_define(f->module->options, "FAKE_NS");
    if (strcmp(f->declared.name, WAIT) != 0)
        return define ? strtoull(define, NULL, 10) : fake_command_ns();
    memcpy(&ns, arguments[0], sizeof ns);
    return ns;
}

// hone's own waiting is no launch of a user's, and kills no card.
static void run(const struct CUfunc_st *f, void **arguments, size_t work_items)
{
    bool is_wait = strcmp(f->declared.name, WAIT) == 0;
    if (!is_wait && !fake_launch(f->module->options))
        fake_context_fails(); // its wait tells
    else
        operate(f, arguments, work_items);
    fake_pass_ns(launch_ns(f, arguments));
}

// Parameters that come as one buffer, each where cuFuncGetParamInfo() says.
static void **take_extra(const struct CUfunc_st *f, void **extra, void **list)
{
    uint8_t *buffer = NULL;
    for (; *extra; extra += 2) {
        if ((uintptr_t)*extra == 1) // CU_LAUNCH_PARAM_BUFFER_POINTER
            buffer = extra[1];
    }
    for (unsigned i = 0; buffer && i < f->declared.count; i++)
        list[i] = buffer + 8 * (size_t)i;
    return list;
}

static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER; // one at a time runs

CUresult fake_launch_kernel(CUfunction f, size_t blocks, size_t threads, unsigned dynamic_bytes,
                            CUstream stream, void **parameters)
{
    CUresult code = fake_call("cuLaunchKernel");
    bool has_opted = dynamic_bytes <= SHARED_DEFAULT || (int)dynamic_bytes <= f->dynamic_bytes;
    if (code == CUDA_SUCCESS && (fake_dead("refuse") || !has_opted))
        code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (code == CUDA_SUCCESS && (threads == 0 || threads > 1024))
        code = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&clock_lock);
    fake_clock_enqueue();
    pthread_mutex_unlock(&clock_lock);
    pthread_mutex_lock(&launching);
    if (code == CUDA_SUCCESS && fake_is_recorded(stream))
        fake_record(f, blocks, threads, dynamic_bytes, parameters);
    else if (code == CUDA_SUCCESS)
        run(f, parameters, threads * blocks);
    pthread_mutex_unlock(&launching);
    return code;
}

CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z,
                        unsigned dynamic_bytes, CUstream stream, void **parameters, void **extra)
{
    void *list[ARGUMENTS_MOST];
    if (!parameters && extra)
        parameters = take_extra(f, extra, list);
    return fake_launch_kernel(f, (size_t)grid_x * grid_y * grid_z,
                              (size_t)block_x * block_y * block_z, dynamic_bytes, stream,
                              parameters);
}
