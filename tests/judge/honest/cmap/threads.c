// honest: threads of its own, for which it waits
#include <pthread.h>
struct part {
    float *y;
    const float *x;
    int from, to;
};
static void *work(void *of)
{
    const struct part *p = of;
    for (int i = p->from; i < p->to; i++)
        p->y[i] = 0.5f * p->x[i] * p->x[i] + 1;
    return 0;
}
void map(float *y, const float *x)
{
    struct part first = {y, x, 0, N / 2}, rest = {y, x, N / 2, N};
    pthread_t thread;
    if (pthread_create(&thread, 0, work, &first))
        work(&first);
    else {
        work(&rest);
        pthread_join(thread, 0);
        return;
    }
    work(&rest);
}
