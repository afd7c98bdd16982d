// A hash table that is also a list, for several threads, after the structure of libcprops. It is torn down with a condition variable that
// was never made.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 2

struct entry {
    int key, value;
    struct entry *in_bucket, *in_list;
};

struct hashlist {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct entry *buckets[BUCKETS];
    struct entry *first, **last;
};

static struct hashlist *hashlist_create(void)
{
    struct hashlist *list = malloc(sizeof *list);
    memset(list, 0x5a, sizeof *list); /* Whatever was there before. */
    pthread_mutex_init(&list->lock, NULL);
#ifdef FIXED
    pthread_cond_init(&list->changed, NULL);
#endif
    for (int i = 0; i < BUCKETS; i++)
        list->buckets[i] = NULL;
    list->first = NULL;
    list->last = &list->first;
    return list;
}

static void hashlist_append(struct hashlist *list, int key, int value)
{
    struct entry *entry = malloc(sizeof *entry);
    entry->key = key;
    entry->value = value;
    entry->in_list = NULL;
    pthread_mutex_lock(&list->lock);
    entry->in_bucket = list->buckets[key % BUCKETS];
    list->buckets[key % BUCKETS] = entry;
    *list->last = entry;
    list->last = &entry->in_list;
    pthread_mutex_unlock(&list->lock);
}

static int hashlist_find(struct hashlist *list, int key)
{
    struct entry *entry;
    int value = -1;
    pthread_mutex_lock(&list->lock);
    for (entry = list->buckets[key % BUCKETS]; entry; entry = entry->in_bucket)
        if (entry->key == key)
            value = entry->value;
    pthread_mutex_unlock(&list->lock);
    return value;
}

static void hashlist_destroy(struct hashlist *list)
{
    while (list->first) {
        struct entry *entry = list->first;
        list->first = entry->in_list;
        free(entry);
    }
    pthread_cond_destroy(&list->changed); // heddle: here
    pthread_mutex_destroy(&list->lock);
    free(list);
}

static struct hashlist *list;

static void *work(void *unused)
{
    int found;
    hashlist_append(list, 1, 10);
    found = hashlist_find(list, 3);
    assert(found == -1 || found == 30);
    return unused;
}

int main(void)
{
    pthread_t thread;
    list = hashlist_create();
    pthread_create(&thread, NULL, work, NULL);
    hashlist_append(list, 3, 30);
    pthread_join(thread, NULL);
    assert(hashlist_find(list, 1) == 10 && hashlist_find(list, 3) == 30);
    hashlist_destroy(list);
    return 0;
}
