// A search through files, after the structure of pfscan: the main thread puts names into a queue, threads take them out, look into the
// files and count what they find. The condition variable of the queue is never initialised.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: more = yes
#ifndef BUG
#define BUG 1
#endif
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef FILES
#define SCANNERS 2
#define FILES 2
#endif

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int names[FILES];
    int first, last, closed;
};

static const char *const files[] = { "a needle in here", "nothing" };
static struct queue *queue;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int scanned, matches;

static void queue_put(int name)
{
    pthread_mutex_lock(&queue->lock);
    queue->names[queue->last++] = name;
    pthread_cond_signal(&queue->more); // heddle: here
    pthread_mutex_unlock(&queue->lock);
}

static void queue_close(void)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
}

static int queue_get(int *name)
{
    int got = 0;
    pthread_mutex_lock(&queue->lock);
    while (queue->first == queue->last && !queue->closed)
        pthread_cond_wait(&queue->more, &queue->lock); // heddle: here
    if (queue->first != queue->last) {
        *name = queue->names[queue->first++];
        got = 1;
    }
    pthread_mutex_unlock(&queue->lock);
    return got;
}

static void *scan(void *unused)
{
    int name;
    while (queue_get(&name)) {
        int found = strstr(files[name], "needle") != NULL;
#if BUG != 3
        pthread_mutex_lock(&total_lock);
#endif
        scanned++;
        matches += found;
#if BUG != 3
        pthread_mutex_unlock(&total_lock);
#endif
    }
    return unused;
}

#if BUG == 2
static void all_were_scanned(void)
{
    assert(scanned == FILES);
}
#endif

int main(void)
{
    pthread_t threads[SCANNERS];
    queue = malloc(sizeof *queue);
    memset(queue, 0x5a, sizeof *queue); /* Whatever was there before. */
    pthread_mutex_init(&queue->lock, NULL);
#if BUG != 1
    pthread_cond_init(&queue->more, NULL);
#endif
    queue->first = queue->last = queue->closed = 0;
    for (int i = 0; i < SCANNERS; i++)
        pthread_create(&threads[i], NULL, scan, NULL);
    for (int i = 0; i < FILES; i++)
        queue_put(i);
    queue_close();
#if BUG == 2
    atexit(all_were_scanned);
    return 0;
#else
    for (int i = 0; i < SCANNERS; i++)
        pthread_join(threads[i], NULL);
    assert(scanned == FILES && matches == 1);
    pthread_cond_destroy(&queue->more);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
    return 0;
#endif
}
