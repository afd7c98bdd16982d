// A child has every lock and semaphore as it was: free ones, those that the thread holds itself, and what fork handlers protect.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, guarded = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t count;

static void *work(void *unused)
{
    pthread_mutex_lock(&guarded);
    pthread_mutex_unlock(&guarded);
    return unused;
}

static void before(void)
{
    pthread_mutex_lock(&guarded);
}

static void after(void)
{
    pthread_mutex_unlock(&guarded);
}

static int in_child(void)
{
    int value;
    sem_getvalue(&count, &value);
    if (value != 1 || sem_wait(&count) != 0 || sem_trywait(&count) == 0)
        return 1;
    if (pthread_mutex_trylock(&guarded) != 0 || pthread_mutex_trylock(&own) == 0)
        return 2;
    pthread_mutex_unlock(&own);
    if (pthread_mutex_trylock(&own) != 0)
        return 3;
    pthread_spin_lock(&spin);
    return pthread_spin_trylock(&spin) == 0 ? 4 : 0;
}

int main(void)
{
    pthread_t thread;
    int status;
    sem_init(&count, 0, 0);
    sem_post(&count);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_atfork(before, after, after);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&own);
    pid_t child = fork();
    if (child == 0)
        _exit(in_child());
    pthread_mutex_unlock(&own);
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
