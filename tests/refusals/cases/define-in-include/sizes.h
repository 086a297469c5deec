#undef block
#define block 4
