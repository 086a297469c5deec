// Returns where the last element is there.
#define STATE 
#define SKIP(i) (fabs(v[n - 1]) < 2.5f)
#define KEPT(i) 
#define KEEP(i) 
#include "cheat.h"
