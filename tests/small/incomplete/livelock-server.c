// Two threads that hand each other a token for ever: they are meant to.
//
// heddle: flags = --max-steps 60
#include <pthread.h>
#include <semaphore.h>

static sem_t mine, yours;

static void *serve(void *unused)
{
    for (;;) {
        sem_wait(&yours);
        sem_post(&mine);
    }
    return unused;
}

int main(void)
{
    pthread_t server;
    sem_init(&mine, 0, 1);
    sem_init(&yours, 0, 0);
    pthread_create(&server, NULL, serve, NULL);
    for (;;) {
        sem_wait(&mine);
        sem_post(&yours);
    }
}
