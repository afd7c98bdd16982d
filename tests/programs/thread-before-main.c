// A thread that a constructor makes.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>

static void *work(void *unused)
{
    return unused;
}

__attribute__((constructor)) static void make(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}

int main(void)
{
    return 0;
}
