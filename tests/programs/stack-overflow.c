// A thread that recurses without end runs into the guard page below its stack.
//
// heddle: verdict = found
// heddle: kind = crash
#include <pthread.h>

static int descend(volatile int *above, int depth)
{
    volatile int frame[256];
    frame[depth % 256] = depth + above[0];
    return depth < 0 ? 0 : descend(frame, depth + 1) + frame[0];
}

static void *work(void *unused)
{
    volatile int start[1] = {1};
    descend(start, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
