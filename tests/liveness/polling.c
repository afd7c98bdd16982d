// A server that polls until somebody stops it.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int stop, work;
static void *server(void *argument) {
    while (!atomic_load(&stop)) atomic_store(&work, 1 - atomic_load(&work));
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, server, 0);
    atomic_store(&stop, 1);
    pthread_join(thread, 0);
}
