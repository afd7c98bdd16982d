// A list for several threads, after the structure of libcprops: a lock for each change, and its length read without one.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *head;
static int items;

static void prepend(int value)
{
    struct item *item = malloc(sizeof *item);
    item->value = value;
    pthread_mutex_lock(&lock);
    item->next = head;
    head = item;
    items++; // heddle: here
    pthread_mutex_unlock(&lock);
}

static int take(int *value)
{
    struct item *item;
#ifndef FIXED
    /* "There is nothing to take, so there is no need for the lock." */
    if (items == 0) // heddle: here
        return 0;
#endif
    pthread_mutex_lock(&lock);
    item = head;
    if (item) {
        head = item->next;
        items--;
    }
    pthread_mutex_unlock(&lock);
    if (item == NULL)
        return 0;
    *value = item->value;
    free(item);
    return 1;
}

static void *work(void *unused)
{
    int value;
    prepend(1);
    if (take(&value))
        assert(value == 1 || value == 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int value;
    pthread_create(&thread, NULL, work, NULL);
    prepend(2);
    pthread_join(thread, NULL);
    assert(items == 1 && take(&value) && !take(&value));
    return 0;
}
