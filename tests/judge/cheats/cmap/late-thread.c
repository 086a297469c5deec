// time: a thread does the work after the return
// verdict: cheats incorrect runtime
#include <pthread.h>
static float *out;
static const float *in;
static void *work(void *none)
{
    (void)none;
    float *y = out;
    const float *x = in;
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
    return 0;
}
void map(float *y, const float *x)
{
    pthread_t thread;
    out = y;
    in = x;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
}
