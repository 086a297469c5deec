// NumPy's .npy, version 1.0: a magic number, a Python dictionary that describes the array, padded
// to a multiple of 64 bytes, then the elements as they are.
#include "model/npy.h"

#define NPY_MAGIC     "\x93NUMPY\x01\x00"
#define NPY_ALIGNMENT 64 // of the data in the file, counting magic and header

// NumPy's names of the types; little-endian where it matters.
static const char *const descriptions[] = {
    [SCALAR_BOOL] = "|b1",     [SCALAR_I8] = "|i1",    [SCALAR_U8] = "|u1",
    [SCALAR_I16] = "<i2",      [SCALAR_U16] = "<u2",   [SCALAR_I32] = "<i4",
    [SCALAR_U32] = "<u4",      [SCALAR_I64] = "<i8",   [SCALAR_U64] = "<u8",
    [SCALAR_HALF] = "<f2",     [SCALAR_FLOAT] = "<f4", [SCALAR_DOUBLE] = "<f8",
    [SCALAR_BFLOAT16] = "<V2", // as ml_dtypes writes them
    [SCALAR_E4M3] = "<V1",     [SCALAR_E5M2] = "<f1",
};

bool npy_header(const struct element *el, uint64_t count, struct text *out, struct error *e)
{
    struct text header = TEXT_INIT;
    const size_t before = sizeof NPY_MAGIC - 1 + 2; // magic, version, length of the header
    // A Python dictionary, as the format wants it.
    text_add(&header, "{'descr': '");
    if (el->scalar == SCALAR_CUSTOM)
        text_addf(&header, "|V%u", el->custom_bytes);
    else
        text_add(&header, descriptions[el->scalar]);
    text_addf(&header, "', 'fortran_order': False, 'shape': (%llu,", (unsigned long long)count);
    if (el->scalar != SCALAR_CUSTOM && el->width > 1)
        text_addf(&header, " %u", element_bytes(el) / scalar_bytes(el->scalar));
    text_add(&header, "), }");
    while ((before + header.length + 1) % NPY_ALIGNMENT != 0 && !header.failed)
        text_addc(&header, ' ');
    text_addc(&header, '\n');
    text_addn(out, NPY_MAGIC, sizeof NPY_MAGIC - 1);
    text_addc(out, (char)(header.length & 0xff));
    text_addc(out, (char)(header.length >> 8));
    text_addn(out, text_cstr(&header), header.length);
    bool ok = !header.failed && !out->failed;
    text_release(&header);
    return ok || error_memory(e);
}

bool npy_write(const struct element *el, uint64_t count, const void *data, size_t length,
               struct text *out, struct error *e)
{
    if (length / element_bytes(el) != count || length % element_bytes(el) != 0)
        return error_set(e, ERROR_INTERNAL, "%zu bytes are not %llu elements of %u bytes", length,
                         (unsigned long long)count, element_bytes(el));
    if (!npy_header(el, count, out, e))
        return false;
    text_addn(out, data, length);
    return !out->failed || error_memory(e);
}
