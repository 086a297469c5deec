// Numbers, sizes, spans and counts in the words in which all reports show them.
#include "report/units.h"

#include <math.h>
#include <stdio.h>

void number_to_str(double value, char *out)
{
    double size = fabs(value);
    if (!isfinite(value) || (size != 0 && size < 1e-3) || size >= 1e7) {
        snprintf(out, UNITS_SIZE, "%.4g", value);
        return;
    }
    int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    snprintf(out, UNITS_SIZE, "%.*f", decimals, value);
}

void bytes_to_str(uint64_t bytes, char *out)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double value = (double)bytes;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    int decimals = value < 100 && value != floor(value) ? 1 : 0;
    snprintf(out, UNITS_SIZE, "%.*f %s", decimals, value, units[unit]);
}

void span_to_str(uint64_t ns, char *out)
{
    unsigned long long s = ns / 1000000000 + (ns % 1000000000 >= 500000000);
    if (s < 60)
        snprintf(out, UNITS_SIZE, "%llu s", s);
    else if (s < 3600)
        snprintf(out, UNITS_SIZE, s % 60 ? "%llu min %llu s" : "%llu min", s / 60, s % 60);
    else
        snprintf(out, UNITS_SIZE, "%llu h %llu min", s / 3600, s % 3600 / 60);
}

void put_count(uint64_t count, const char *noun, struct text *out)
{
    text_addf(out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void put_share(uint64_t part, uint64_t whole, const char *noun, struct text *out)
{
    text_addf(out, "%llu of ", (unsigned long long)part);
    put_count(whole, noun, out);
}

void put_range(double low, double high, int decimals, bool is_interval, struct text *out)
{
    text_addf(out, "%c%.*f .. %.*f%c", is_interval ? '[' : '(', decimals, low, decimals, high,
              is_interval ? ']' : ')');
}

size_t columns(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

size_t bytes_in_columns(const char *line, size_t length, size_t width)
{
    size_t at = 0;
    for (size_t column = 0; at < length; at++) {
        bool starts = ((unsigned char)line[at] & 0xc0) != 0x80;
        if (starts && column++ == width)
            break;
    }
    return at;
}
