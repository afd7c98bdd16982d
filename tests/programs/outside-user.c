// To change the user, glibc interrupts all threads, which are not the kernel's here.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *work(void *unused)
{
    if (setuid(getuid()) != 0) // heddle: here
        return NULL;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
