// A recursive mutex locked three times and unlocked as often.
#include <assert.h>
#include <pthread.h>

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutex_t m;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    for (int i = 0; i < 3; i++)
        pthread_mutex_lock(&m);
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_unlock(&m) == 0);
    pthread_mutex_destroy(&m);
    return 0;
}
