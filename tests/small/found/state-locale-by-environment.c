// setlocale takes the locale from the environment, which another thread may change.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <locale.h>
#include <stdlib.h>

static void *work(void *unused)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    setlocale(LC_ALL, "");
    int longest = MB_CUR_MAX;
    pthread_join(thread, NULL);
    assert(longest == 1);
    return 0;
}
