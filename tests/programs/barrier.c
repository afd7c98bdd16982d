// Two threads meet twice. What each did before a meeting the other sees after it, and one of them is the serial thread.
//
// heddle: verdict = safe
// heddle: executions = 4
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int data[2];
static int serial[2][2];

static void *work(void *argument)
{
    int me = (int)(long)argument, other = 1 - me;
    for (int round = 0; round < 2; round++) {
        data[me]++;
        int result = pthread_barrier_wait(&barrier);
        assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        serial[round][me] = result == PTHREAD_BARRIER_SERIAL_THREAD;
        assert(data[other] == round + 1);
        if (round == 0)
            break;
    }
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(serial[0][0] + serial[0][1] == 1);
    return pthread_barrier_destroy(&barrier);
}
