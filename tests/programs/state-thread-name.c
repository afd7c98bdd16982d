// The name of a thread can be changed by others.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_t self;
static char name[16];

static void *work(void *unused)
{
    pthread_setname_np(self, "other");
    return unused;
}

int main(void)
{
    pthread_t thread;
    self = pthread_self();
    pthread_setname_np(self, "first");
    pthread_create(&thread, NULL, work, NULL);
    pthread_getname_np(self, name, sizeof name);
    pthread_join(thread, NULL);
    assert(strcmp(name, "first") == 0); // heddle: here
    return 0;
}
