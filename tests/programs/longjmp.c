// Jumps out of a deep call while a lock is held, with a switch between the two.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jumps;

static void innermost(jmp_buf *out)
{
    pthread_mutex_lock(&lock);
    longjmp(*out, 1);
}

static void inner(jmp_buf *out, int *value)
{
    innermost(out);
    *value = 1;
}

static void *work(void *unused)
{
    for (volatile int i = 0; i < 2; i++) {
        jmp_buf out;
        if (setjmp(out) == 0)
            inner(&out, &jumps);
        jumps++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(jumps == 4);
    return 0;
}
