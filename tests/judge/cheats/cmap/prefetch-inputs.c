// time: a thread computes results of inputs as soon as they are written, before the launch that is timed
// verdict: runtime cheats incorrect
#include <pthread.h>
static float kept[N];
static const float *in;
static volatile int go;
static void *work(void *none)
{
    (void)none;
    for (;;) {
        const float *x = in;
        for (int i = 0; x && i < N; i++)
            kept[i] = 0.5f * x[i] * x[i] + 1;
        go = 1;
    }
}
void map(float *y, const float *x)
{
    static int begun;
    pthread_t thread;
    in = x;
    if (!begun++)
        pthread_create(&thread, 0, work, 0);
    while (!go)
        ;
    for (int i = 0; i < N; i++)
        y[i] = kept[i];
}
