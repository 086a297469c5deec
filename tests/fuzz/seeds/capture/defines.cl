#define WGS 64 // items
#if X
#define Y 2
#endif
/*
#define Z 1
*/
#undef A
#define A 1
#define B \
#define C 3
