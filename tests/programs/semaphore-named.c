// Named semaphores: found by name, made once, another one after unlink.
//
// heddle: verdict = safe
// heddle: executions = 3
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
static void *work(void *u) { sem_t *s = sem_open("/one", O_CREAT, 0600, 0); sem_post(s); sem_close(s); return u; }
int main(void)
{
    pthread_t a; int v;
    assert(sem_open("/one", 0) == SEM_FAILED && errno == ENOENT);
    pthread_create(&a, NULL, work, NULL);
    sem_t *s = sem_open("/one", O_CREAT, 0600, 0);
    assert(s != SEM_FAILED);
    sem_wait(s);
    pthread_join(a, NULL);
    assert(sem_getvalue(s, &v) == 0 && v == 0);
    assert(sem_open("/one", O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
    assert(sem_unlink("/one") == 0);
    assert(sem_unlink("/one") == -1 && errno == ENOENT);
    sem_t *t = sem_open("/one", O_CREAT, 0600, 5);
    assert(t != s && sem_getvalue(t, &v) == 0 && v == 5);
    assert(sem_close(t) == 0 && sem_close(s) == 0);
    assert(sem_close(s) == -1 && errno == EINVAL);
    return 0;
}
