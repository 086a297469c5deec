// The parts of generated headers, as texts; made by the build (CMakeLists.txt).
#pragma once

extern const char
    known_core_text[]; // known/known_core.h: stands in every one, and is the same in all

// Templates (format_header.c says what is replaced in them): header_NAME.in.
extern const char header_functions[]; // typed for the table
extern const char header_source[];    // --with source
extern const char header_binaries[];  // --with binaries
