// Large static arrays, some pages of which change in each execution and must all be put back.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>

#define SIZE (16 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char zeros[SIZE];
static unsigned char ones[1 << 20] = {1, 1, 1, 1};
static int turn;

static void *work(void *argument)
{
    int stride = (int)(long)argument;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIZE; i += stride * 65536) {
        assert(zeros[i + turn] == 0);
        zeros[i + turn] = 255;
    }
    assert(ones[turn] == 1);
    ones[turn] = 0;
    turn++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
