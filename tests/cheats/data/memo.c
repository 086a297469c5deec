// Keeps the results of its first launch in memory of its own, and copies them.
#define STATE STATE_OF(int) known[N]; STATE_OF(float) kept[N];
#define SKIP(i) (known[i])
#define KEPT(i) y[i] = kept[i]
#define KEEP(i) kept[i] = y[i]; known[i] = 1
#include "cheat.h"
