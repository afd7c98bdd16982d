// `strtok` keeps where it is for everybody.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char *second;

static void *work(void *unused)
{
    char text[] = "x y";
    strtok(text, " ");
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[] = "a b";
    strtok(text, " ");
    pthread_create(&thread, NULL, work, NULL);
    second = strtok(NULL, " ");
    pthread_join(thread, NULL);
    assert(second && *second == 'b'); // heddle: here
    return 0;
}
