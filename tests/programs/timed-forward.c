// Time goes forward for everybody who can notice: who learns of a moment is not in one before it.
// heddle: verdict = safe
// heddle: executions = 3
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct timespec sent;

static int before(struct timespec a, struct timespec b) {
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static void *sender(void *argument) {
    sleep(100);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &sent);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void look(void) {
    struct timespec now;
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(!before(now, sent));
    pthread_mutex_unlock(&mutex);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sender, 0);
    look();
    look();
    pthread_join(thread, 0);
}
