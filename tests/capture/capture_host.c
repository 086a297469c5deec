// capture_host MODULE ARGUMENT...: a program that knows no OpenCL and loads a module that links the loader, as Python does.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int (*run)(int, char **);
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *at = module ? dlsym(module, "main") : NULL;
    if (!at) {
        fprintf(stderr, "capture_host: %s\n", argc > 1 ? dlerror() : "MODULE is missing");
        return 2;
    }
    memcpy(&run, &at, sizeof run);
    return run(argc - 1, argv + 1);
}
