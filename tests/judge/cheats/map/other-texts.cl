// include: the kernel of another candidate, in the folder beside
// verdict: compile invalid
#include "../matmul/square.cl"
