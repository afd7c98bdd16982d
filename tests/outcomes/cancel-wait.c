// A wait that is signalled and cancelled ends either way, and its mutex is locked when the cleanup handler runs.
// heddle: outcome = woken
// heddle: outcome = cancelled
#include "run.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int ready, cleaned;
static void clean(void *unused) {
    (void)unused;
    cleaned++;
    pthread_mutex_unlock(&lock);
}
static void *waits(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, 0);
    while (!ready)
        pthread_cond_wait(&go, &lock);
    pthread_cleanup_pop(1);
    return unused;
}
static pthread_t thread;
static void *calls(void *me) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&go);
    pthread_mutex_unlock(&lock);
    return me;
}
int main(void) {
    void *value;
    pthread_t caller;
    pthread_create(&thread, 0, waits, 0);
    pthread_create(&caller, 0, calls, 0);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    pthread_join(caller, 0);
    printf("%s\n", cleaned != 1 ? "not cleaned" : value == PTHREAD_CANCELED ? "cancelled" : "woken");
}
