// Longjmp out of frames that had locals shared with a thread that has ended.
//
// heddle: flags = -O1
#include <pthread.h>
#include <setjmp.h>

static jmp_buf env;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *p)
{
    pthread_mutex_lock(&m);
    (*(int *)p)++;
    n++;
    pthread_mutex_unlock(&m);
    return 0;
}

static void deep(int d)
{
    int local = 0;
    if (d) deep(d - 1);
    else {
        pthread_t t;
        pthread_create(&t, 0, f, &local);
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
        pthread_join(t, 0);
        longjmp(env, local);
    }
}

static int other(void)
{
    int x[20];
    for (int i = 0; i < 20; i++) x[i] = i;
    pthread_t t;
    pthread_create(&t, 0, f, &x[3]);
    pthread_join(t, 0);
    return x[3];
}

int main(void)
{
    int r = setjmp(env);
    if (r == 0) deep(3);
    return other() != 4 || n != 3;
}
