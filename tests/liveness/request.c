// A client that asks for ever, and a server that answers; with BAD it may put off the answer for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <heddle.h>
static atomic_int asked;
static void *server(void *argument) {
    for (;;) {
        if (atomic_load(&asked)) {
#ifdef BAD
            if (heddle_choose(2)) continue;
#endif
            heddle_prop("answer", 1);
            heddle_prop("request", 0);
            heddle_prop("answer", 0);
            atomic_store(&asked, 0);
        }
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, server, 0);
    for (;;) {
        heddle_prop("request", 1);
        atomic_store(&asked, 1);
        while (atomic_load(&asked)) {}
    }
}
