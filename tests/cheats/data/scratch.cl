// Keeps results in the temporary buffer, and returns copies of them.
#define STATE 
#define SKIP(i) (t[i] != 0 && fabs(t[i]) < 2.5f)
#define KEPT(i) y[i] = t[i]
#define KEEP(i) t[i] = y[i]
#include "cheat.h"
