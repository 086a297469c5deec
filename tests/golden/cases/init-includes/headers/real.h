typedef double real;
#ifndef GROUP
#define GROUP 64
#endif
