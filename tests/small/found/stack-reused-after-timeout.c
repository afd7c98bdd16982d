// A function waits for an answer until a time, and may return without it. Then another function has the memory when the answer is
// written.
//
// heddle: kind = data-race
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t answered;

static void *work(void *answer)
{
    *(int *)answer = 42;
    sem_post(&answered);
    return NULL;
}

__attribute__((noinline)) static int ask(pthread_t *thread)
{
    int answers[4] = {0};
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_create(thread, NULL, work, &answers[2]);
    return sem_timedwait(&answered, &until) ? -1 : answers[2];
}

__attribute__((noinline)) static void something_else(pthread_t thread)
{
    int numbers[64] = {0};
    __asm__ volatile("" : : "r"(numbers) : "memory");
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_t thread;
    sem_init(&answered, 0, 0);
    int answer = ask(&thread);
    something_else(thread);
    return answer == 77;
}
