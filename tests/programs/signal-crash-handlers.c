// Handlers for crashes and for the ends of a program, as test frameworks set them: each is told back, and each execution begins with those
// of the start. The program's own signal to end runs its handler.
//
// heddle: verdict = safe
// heddle: executions = 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTERM, SIGINT};
static int handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handle(int number)
{
    handled = number;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction before, action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
    for (int i = 0; i < 7; i++) {
        assert(sigaction(signals[i], &action, &before) == 0 && before.sa_handler == SIG_DFL);
        assert(sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == handle && before.sa_flags & SA_NODEFER);
    }
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    raise(SIGTERM);
    assert(handled == SIGTERM);
    assert(signal(SIGINT, SIG_IGN) == handle);
    raise(SIGINT);
    assert(handled == SIGTERM);
    assert(signal(SIGFPE, SIG_IGN) == handle);
    raise(SIGFPE);
    for (int i = 0; i < 7; i++) signal(signals[i], SIG_DFL);
    return 0;
}
