// The text of known/known_core.h, which stands in every generated header; made by the build (CMakeLists.txt).
#ifndef HONE_DEPLOY_KNOWN_CORE_TEXT_H
#define HONE_DEPLOY_KNOWN_CORE_TEXT_H

#include <stddef.h>

extern const char known_core_text[];
extern const size_t known_core_length;

#endif
