// A loop that looks at a flag nobody sets and tries a lock that somebody gives back.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *try(void *unused)
{
    while (!atomic_load(&stop)) {
        if (pthread_mutex_trylock(&lock) == 0) {
            pthread_mutex_unlock(&lock);
            break;
        }
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, hold, NULL);
    pthread_create(&two, NULL, try, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
