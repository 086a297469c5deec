typedef float real;
;
#error "unfinished"
