// A program's options and source as one driver call takes them: pure text.
#pragma once

#include "base/digest.h"
#include "base/text.h"
#include "model/job.h"

// Drivers split the one option string at blanks, each by rules of its own (PoCL 3.1 knows no quotes
// around a word, only around a value; NVIDIA's differ again). A macro whose value has blanks,
// quotes or backslashes is therefore not passed as an option but written as a #define in front of
// the source, followed by #line 1; and so is one whose name is a word of the compiler's headers.
//
// `folder` is where the program's files lie, or NULL; its include folders become -I. False when an
// option cannot be passed at all (a line break).
bool build_options(enum language l, const struct job_program *p, const char *folder,
                   const char *extra, struct text *out, struct error *e);
bool build_source(enum language l, const struct job_program *p, struct text *out, struct error *e);

// "-DF(x)=x+1" as the line "#define F(x) x+1"; "-DNAME" is 1, as compilers have it. False, nothing
// added, for an option that defines no macro.
bool build_define(const char *option, struct text *out);
// False when an option holds a line break, which no compiler can be passed.
bool build_check_option(const struct job_program *p, const char *option, struct error *e);

// Digest of what decides a program's code without asking a compiler: source, files, target, and the
// options except macros whose name occurs nowhere in them. Two programs with the same digest
// compile to the same code; the converse need not hold.
void build_digest(const struct job_program *p, struct digest_state *s);
