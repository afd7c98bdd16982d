// A semaphore for two, as a primitive of the program's own: three threads, at most two inside. Results come back.
// heddle: verdict = safe
#include <assert.h>
#include <heddle.h>
#include <pthread.h>

struct semaphore { int left; };
static int some(const void *state) { return ((const struct semaphore *)state)->left > 0; }
static int down(void *state) { return --((struct semaphore *)state)->left; }
static int up(void *state) { return ++((struct semaphore *)state)->left; }
static const struct heddle_operation operations[] = {{"down", some, down}, {"up", 0, up}};
static const struct heddle_primitive semaphores = {"semaphore", sizeof(struct semaphore), 2, operations};

static struct semaphore semaphore = {2};

static void *worker(void *argument) {
    int left = heddle_do(&semaphores, &semaphore, 0);
    assert(left == 0 || left == 1);
    assert(heddle_do(&semaphores, &semaphore, 1) <= 2);
    return argument;
}

int main(void) {
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
}
