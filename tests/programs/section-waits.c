// A lock that somebody else holds is waited for inside a section, where nobody can unlock it.
//
// heddle: verdict = found
// heddle: kind = misuse
#include <heddle.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, holder, NULL);
    heddle_atomic_begin();
    pthread_mutex_lock(&lock); // heddle: here
    pthread_mutex_unlock(&lock);
    heddle_atomic_end();
    pthread_join(thread, NULL);
    return 0;
}
