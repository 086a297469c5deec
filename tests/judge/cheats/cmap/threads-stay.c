// time: threads that spin beside the baseline
// verdict: cheats incorrect runtime
#include <pthread.h>
static void *spin(void *none)
{
    (void)none;
    for (volatile int go = 1; go;)
        ;
    return 0;
}
void map(float *y, const float *x)
{
    static int began;
    pthread_t thread;
    for (; began < 4; began++)
        pthread_create(&thread, 0, spin, 0);
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
