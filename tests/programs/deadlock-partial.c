// Two threads wait for each other while main goes on and returns.
//
// heddle: verdict = found
// heddle: kind = partial-deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // heddle: here
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backward(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // heddle: here
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, forward, NULL);
    pthread_create(&two, NULL, backward, NULL);
    return 0;
}
