// Defaults for builds with the address sanitizer, which asks for them by these names. A kernel's
// crash must look as it does without the sanitizer, and what drivers leak is not for us to mend.
#if defined(__SANITIZE_ADDRESS__)

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *__asan_default_options(void);
EXPORTED const char *__lsan_default_suppressions(void);

const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0";
}

const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\nleak:libnvidia\n";
}

#else

// A file of C may not be empty.
typedef int nothing_to_say;

#endif
