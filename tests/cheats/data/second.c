// Works in every second launch.
#define STATE STATE_OF(int) launches[N];
#define SKIP(i) (launches[i]++ % 2)
#define KEPT(i) 
#define KEEP(i) 
#include "cheat.h"
