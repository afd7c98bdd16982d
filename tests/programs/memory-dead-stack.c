// The address of a local variable outlives its thread.
//
// heddle: verdict = found
// heddle: kind = memory
// heddle: executions = 1
#include <pthread.h>
#include <stdlib.h>

static void *answer(void *unused)
{
    int result = 42;
    int *volatile address = &result;
    (void)unused;
    *address += 1;
    return address;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, answer, NULL);
    pthread_join(thread, &result);
    return *(int *)result - 43; // heddle: here
}
