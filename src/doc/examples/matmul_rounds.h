/* What both applications have in common: sizes from the command line, matrices, the check of a product, and the ratio of
   two configurations that were launched in turn. */
#ifndef MATMUL_ROUNDS_H
#define MATMUL_ROUNDS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 21, CHECKED = 256 };

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* One size after the other: M N K. */
static int64_t read_size(const char *word)
{
    char *end;
    long long size = strtoll(word, &end, 10);
    if (*end || size < 1 || size > 65536)
        stop(word, "a size is a number from 1 to 65536; three of them, M N K, for each product");
    return size;
}

/* Floating-point numbers of IEEE 754's kind: bytes, bits of the fraction, what is added to the exponent. */
typedef struct format {
    const char *name; /* TYPE of the kernel; NULL: it has one type */
    int bytes, fraction, bias;
} format;

static const format formats[] = {{NULL, 8, 52, 1023}, {NULL, 4, 23, 127}, {"bf16", 2, 7, 127},
                                 {"fp16", 2, 10, 15}, {"e4m3", 1, 3, 7},  {"e5m2", 1, 2, 15}};

/* What the header was deployed for, as its options for the compiler say it. */
typedef struct product {
    const format *a, *b, *c;
    int b_transposed, has_bias;
    char activation[16];
} product;

/* The word behind -DNAME=; "" if there is none. */
static void read_option(const char *options, const char *name, char *out, size_t size)
{
    char key[32];
    const char *at;
    size_t length = 0;
    snprintf(key, sizeof key, "-D%s=", name);
    at = strstr(options, key);
    if (at)
        length = strcspn(at + strlen(key), " ");
    if (length >= size)
        stop(name, "its value is too long");
    if (at)
        memcpy(out, at + strlen(key), length);
    out[length] = 0;
}

static const format *find_format(const char *name, int64_t bytes)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].bytes == bytes && (!formats[i].name || !strcmp(formats[i].name, name)))
            return &formats[i];
    }
    stop(name, "no type that this program knows");
    return NULL;
}

static product describe_product(const char *options, int64_t element_bytes)
{
    product p;
    char word[16];
    read_option(options, "TYPE", word, sizeof word);
    p.a = p.b = p.c = find_format(word, element_bytes);
    if (element_bytes == 1) { /* C is bfloat16, and B is stored transposed */
        read_option(options, "TYPE_B", word, sizeof word);
        p.b = find_format(word, 1);
        p.c = find_format("bf16", 2);
    }
    p.b_transposed = element_bytes == 1;
    read_option(options, "BIAS", word, sizeof word);
    p.has_bias = word[0] == '1';
    read_option(options, "ACTIVATION", p.activation, sizeof p.activation);
    return p;
}

static double read_number(const format *f, const void *from, size_t i)
{
    const unsigned char *bytes = (const unsigned char *)from + i * (size_t)f->bytes;
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * f->bytes - 1), one = (uint64_t)1 << f->fraction;
    for (int b = f->bytes; b-- > 0;)
        bits = bits << 8 | bytes[b];
    const int exponent = (int)((bits & (sign - 1)) >> f->fraction), least = exponent ? exponent : 1;
    const uint64_t digits = (bits & (one - 1)) + (exponent ? one : 0);
    return ldexp(bits & sign ? -(double)digits : (double)digits, least - f->bias - f->fraction);
}

/* The nearest number that the format has to a small one. */
static void write_number(const format *f, void *to, size_t i, double x)
{
    unsigned char *bytes = (unsigned char *)to + i * (size_t)f->bytes;
    int exponent;
    frexp(x, &exponent);
    exponent = exponent - 1 < 1 - f->bias || x == 0 ? 1 : exponent - 1 + f->bias;
    uint64_t bits = (uint64_t)rint(ldexp(fabs(x), f->fraction + f->bias - exponent));
    bits += (uint64_t)(exponent - 1) << f->fraction;
    bits |= (uint64_t)(x < 0) << (8 * f->bytes - 1);
    for (int b = 0; b < f->bytes; b++)
        bytes[b] = (unsigned char)(bits >> 8 * b);
}

/* Values in [-0.5, 0.5) that are the same in every run. */
static void *random_matrix(const format *f, size_t count, uint32_t seed)
{
    void *matrix = malloc(count * (size_t)f->bytes);
    if (!matrix)
        stop("a matrix", "no memory");
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        write_number(f, matrix, i, (float)(seed >> 8) / 16777216.0f - 0.5f);
    }
    return matrix;
}

/* Which of A, B, C and the bias an argument is; -1: it is the kernel's own. */
static int find_given(const char *name)
{
    static const char *const names[] = {"A", "B", "C", "bias"};
    for (int i = 0; i < 4; i++) {
        if (!strcmp(names[i], name))
            return i;
    }
    return -1;
}

static size_t matrix_count(int which, const int64_t size[3])
{
    const int64_t counts[] = {size[0] * size[2], size[2] * size[1], size[0] * size[1], size[1]};
    return (size_t)counts[which];
}

static size_t matrix_bytes(const product *p, int which, const int64_t size[3])
{
    return matrix_count(which, size) * (size_t)(which == 0   ? p->a
                                                : which == 1 ? p->b
                                                             : p->c)
                                           ->bytes;
}

static void *make_matrix(const product *p, int which, const int64_t size[3])
{
    return random_matrix(which == 0   ? p->a
                         : which == 1 ? p->b
                                      : p->c,
                         matrix_count(which, size), 7u + (uint32_t)which);
}

static double activate(const char *activation, double x)
{
    if (!strcmp(activation, "relu"))
        return x < 0 ? 0 : x;
    if (!strcmp(activation, "silu"))
        return x / (1 + exp(-x));
    if (!strcmp(activation, "gelu"))
        return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    return x;
}

/* Computes some entries of the product in doubles. A, B, C and the bias, of what the kernel can hold. */
static void check_product(const product *p, void *const matrices[4], int64_t m, int64_t n,
                          int64_t k)
{
    const double precision = p->c->bytes == 8 ? 1e-12 : 4e-3;
    uint32_t place = 1;
    for (int i = 0; i < CHECKED; i++) {
        place = place * 1664525u + 1013904223u;
        const int64_t row = (int64_t)(place >> 4) % m, column = (int64_t)(place >> 7) % n;
        double sum = 0, size = 0;
        for (int64_t x = 0; x < k; x++) {
            const int64_t at = p->b_transposed ? column * k + x : x * n + column;
            const double term = read_number(p->a, matrices[0], (size_t)(row * k + x)) *
                                read_number(p->b, matrices[1], (size_t)at);
            sum += term;
            size += fabs(term);
        }
        if (p->has_bias)
            sum += read_number(p->c, matrices[3], (size_t)column);
        sum = activate(p->activation, sum);
        const double got = read_number(p->c, matrices[2], (size_t)(row * n + column));
        if (!(fabs(sum - got) <= precision * (size + 0.5 * p->has_bias + 1e-6))) {
            fprintf(stderr, "C[%lld, %lld] is %g, not %g\n", (long long)row, (long long)column, got,
                    sum);
            exit(EXIT_FAILURE);
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the rounds' ratios, and an interval that holds the true one in 97 of 100 cases: the sixth from either
   end of 21 (the sign test's). Both configurations ran in every round, so that a clock that drifts moves both. */
static void print_ratio(const double *best_ns, const double *default_ns)
{
    double ratios[ROUNDS], sorted[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ratios[i] = default_ns[i] / best_ns[i];
        sorted[i] = best_ns[i];
    }
    qsort(ratios, ROUNDS, sizeof *ratios, compare_doubles);
    qsort(sorted, ROUNDS, sizeof *sorted, compare_doubles);
    printf("  %.4g us, %.2f times as fast as the default [%.2f, %.2f]\n", sorted[ROUNDS / 2] / 1e3,
           ratios[ROUNDS / 2], ratios[5], ratios[ROUNDS - 6]);
}
#endif
