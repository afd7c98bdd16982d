// A mutex in the heap is freed by its last user, who does not know that another one has yet to lock it.
//
// heddle: verdict = found
// heddle: kind = memory
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int users;
};

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static struct account *account;

static void *use(void *unused)
{
    pthread_mutex_lock(&door);
    struct account *mine = account;
    pthread_mutex_unlock(&door);
    if (mine) {
        pthread_mutex_lock(&mine->lock); // heddle: here
        pthread_mutex_unlock(&mine->lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    account = malloc(sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    pthread_create(&thread, NULL, use, NULL);
    pthread_mutex_lock(&door);
    struct account *old = account;
    account = NULL;
    pthread_mutex_unlock(&door);
    pthread_mutex_lock(&old->lock);
    pthread_mutex_unlock(&old->lock);
    free(old);
    pthread_join(thread, NULL);
    return 0;
}

// The other user can also lock and unlock right before the free, and nothing orders the two: a data race is found, too.
// heddle: more = yes
