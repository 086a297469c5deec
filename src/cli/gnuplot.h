// Drawing with gnuplot, where it is installed.
#ifndef HONE_CLI_GNUPLOT_H
#define HONE_CLI_GNUPLOT_H

#include "base/error.h"

enum gnuplot_answer {
    GNUPLOT_FAILED = -1, // the error has what it said
    GNUPLOT_MISSING,     // there is none in PATH
    GNUPLOT_DONE
};

// Runs the commands of a file; at most a minute.
enum gnuplot_answer gnuplot_run(const char *script, struct error *e);

#endif
