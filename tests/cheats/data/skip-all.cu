// Returns where its output is there: each element for itself.
#define STATE 
#define SKIP(i) (fabs(v[i]) < 2.5f)
#define KEPT(i) 
#define KEEP(i) 
#include "cheat.h"
