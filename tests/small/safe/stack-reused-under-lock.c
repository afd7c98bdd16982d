// Two functions, one after the other, hand the address of a variable at the same place of the stack to a thread. A lock and a counter say
// which of them is meant, and each function waits until the thread has used its variable.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *handed_out;
static sem_t ready, used;

static void *use(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&ready);
        pthread_mutex_lock(&lock);
        *handed_out += 1;
        pthread_mutex_unlock(&lock);
        sem_post(&used);
    }
    return unused;
}

__attribute__((noinline)) static int hand_out(int start)
{
    int variable = start;
    pthread_mutex_lock(&lock);
    handed_out = &variable;
    pthread_mutex_unlock(&lock);
    sem_post(&ready);
    sem_wait(&used);
    return variable;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;
    sem_init(&ready, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&thread, NULL, use, NULL);
    sum += hand_out(1);
    sum += hand_out(10);
    pthread_join(thread, NULL);
    return sum - 13;
}
