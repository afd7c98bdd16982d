// The owner of a robust mutex ends: the next one is told, and puts things in order, or nobody gets it again.
//
// heddle: verdict = safe
// heddle: executions = 2
// heddle: flags = -Wno-deprecated-declarations
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static int dead, fine;
static void *dies(void *u) { int e = pthread_mutex_lock(&m); if (e == EOWNERDEAD) { pthread_mutex_consistent_np(&m); } return u; }
static void *lives(void *u)
{
    int e = pthread_mutex_lock(&m);
    assert(e == 0 || e == EOWNERDEAD);
    if (e == EOWNERDEAD) { dead++; assert(pthread_mutex_consistent(&m) == 0); assert(pthread_mutex_consistent(&m) == EINVAL); } else fine++;
    pthread_mutex_unlock(&m);
    return u;
}
int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_create(&a, NULL, dies, NULL);
    pthread_create(&b, NULL, lives, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int e = pthread_mutex_lock(&m);
    assert(e == (fine ? EOWNERDEAD : 0));
    pthread_mutex_unlock(&m);
    assert(pthread_mutex_lock(&m) == (fine ? ENOTRECOVERABLE : 0));
    return 0;
}
