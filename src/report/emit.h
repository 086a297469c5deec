// The writer of JSON stands in base.
#ifndef HONE_REPORT_EMIT_H
#define HONE_REPORT_EMIT_H

#include "base/emit.h"

#endif
