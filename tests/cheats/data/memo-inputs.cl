// The same, but only where its input is what it was.
#define STATE STATE_OF(float) seen[N]; STATE_OF(float) kept[N];
#define SKIP(i) (seen[i] == x[i])
#define KEPT(i) y[i] = kept[i]
#define KEEP(i) kept[i] = y[i]; seen[i] = x[i]
#include "cheat.h"
