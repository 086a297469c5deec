// A locale whose decimal point is a comma, as a program of another's that uses libhone may have set it.
#ifndef HONE_TESTS_BASE_COMMA_LOCALE_H
#define HONE_TESTS_BASE_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

// False, and said: none is installed.
static inline bool use_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i]))
            return true;
    }
    puts("skipped: no locale with a decimal comma is installed");
    return false;
}

#endif
