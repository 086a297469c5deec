// Images and samplers: the size of an image, its format where the type does not say it, and how it is
// sampled. Format and Sampler are texts of words, in any order.
#include "problem/read_kernels.h"

#include "base/text.h"

#include <string.h>

#define NORMALIZED_WORD "normalized"

static const char *const format_words[] = {
#define X(name, text, width) text,
    IMAGE_ORDERS(X)
#undef X
        NORMALIZED_WORD};

static const char *const sampler_words[] = {ADDRESSINGS(LIST_TEXT) "nearest", "linear",
                                            NORMALIZED_WORD};

// The words as a set, of which the first `choices` exclude each other; UINT32_MAX in *choice: none of these.
static bool read_image_words(const struct reader *r, struct node n, const char *const *words,
                             size_t count, size_t choices, uint32_t *set, uint32_t *choice)
{
    const char *at;
    *set = 0;
    *choice = UINT32_MAX;
    if (!read_text(r, n, &at))
        return false;
    for (at += strspn(at, " ,"); *at; at += strspn(at, " ,")) {
        size_t length = strcspn(at, " ,"), i = 0;
        while (i < count && (strlen(words[i]) != length || strncmp(words[i], at, length) != 0))
            i++;
        struct text known = TEXT_INIT;
        for (size_t k = 0; i == count && k < count; k++)
            text_addf(&known, "%s%s", k ? ", " : "", words[k]);
        if (i == count)
            node_error(r, n, "'%.*s' is none of its words: %s", (int)length, at, text_cstr(&known));
        text_release(&known);
        if (i == count)
            return false;
        if (i < choices && *choice != UINT32_MAX && *choice != i)
            return node_error(r, n, "is both %s and %s", words[*choice], words[i]);
        *choice = i < choices ? (uint32_t)i : *choice;
        *set |= 1u << i;
        at += length;
    }
    return true;
}

static bool read_format(const struct reader *r, struct node n, struct image_spec *out)
{
    uint32_t set, order;
    if (!read_image_words(r, n, format_words, IMAGE_ORDER_COUNT + 1, IMAGE_ORDER_COUNT, &set,
                          &order))
        return false;
    out->order = order == UINT32_MAX ? IMAGE_ORDER_COUNT : (enum image_order)order;
    out->normalized = set >> IMAGE_ORDER_COUNT & 1;
    return true;
}

static bool read_sampler(const struct reader *r, struct node n, struct job_sampler *out)
{
    uint32_t set, addressing;
    if (!read_image_words(r, n, sampler_words, ADDRESSING_COUNT + 3, ADDRESSING_COUNT, &set,
                          &addressing))
        return false;
    out->addressing =
        addressing == UINT32_MAX ? ADDRESSING_CLAMP_TO_EDGE : (enum addressing)addressing;
    out->linear = set >> (ADDRESSING_COUNT + 1) & 1;
    out->normalized = set >> (ADDRESSING_COUNT + 2) & 1;
    if (out->linear && set >> ADDRESSING_COUNT & 1)
        return node_error(r, n, "is both nearest and linear");
    bool wraps =
        out->addressing == ADDRESSING_REPEAT || out->addressing == ADDRESSING_MIRRORED_REPEAT;
    return !wraps || out->normalized ||
           node_error(r, n, "%s needs coordinates that are " NORMALIZED_WORD,
                      sampler_words[out->addressing]);
}

bool read_image(const struct reader *r, struct kernel_spec *k, struct node item,
                struct argument_spec *a)
{
    struct node size = node_get(r, item, "Image"), format = node_get(r, item, "Format");
    struct node sampler = node_get(r, item, "Sampler");
    bool is_image = node_present(size), is_sampler = a->memory == MEMORY_SAMPLER;
    a->image.order = IMAGE_ORDER_COUNT;
    if (is_image && a->memory != MEMORY_VECTOR)
        return node_error(r, size, "only an argument of MemoryType Vector is an image");
    if (node_present(sampler) && !is_image && !is_sampler)
        return node_error(r, sampler, "is for a Sampler, or in CUDA an Image");
    if (node_present(format) && !is_image)
        return node_error(r, format, "is an image's: say \"Image\": [WIDTH, HEIGHT]");
    if (is_sampler && !node_present(sampler))
        return node_error(r, sampler, "is missing: say \"clamp_to_edge nearest\" or the like");
    if (node_present(sampler) && !read_sampler(r, sampler, &a->image.sampler))
        return false;
    if (!is_image)
        return true;
    a->image.axes = (uint32_t)node_count(size);
    if (a->image.axes < 2 || a->image.axes > 3)
        return node_error(r, size, "must be a list of two or three: [WIDTH, HEIGHT]");
    if (node_present(node_get(r, item, "Size")))
        return node_error(r, size, "an image has as many elements as this says: leave out Size");
    for (uint32_t i = 0; i < a->image.axes; i++) {
        if (!read_size(r, k, ALL_LANGUAGES, node_item(r, size, i), &a->image.size[i]))
            return false;
    }
    return !node_present(format) || read_format(r, format, &a->image);
}
