// A race between two threads, which cmake/test.sh --tsan has ThreadSanitizer find before it is
// believed.
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *count(void *unused)
{
    (void)unused;
    counter++;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, NULL) != 0)
        return 1;
    count(NULL);
    return pthread_join(thread, NULL) == 0 ? 0 : 1;
}
