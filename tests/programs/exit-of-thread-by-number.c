// `exit` by its number ends one thread, of which nobody would be told.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *end(void *unused)
{
    syscall(SYS_exit, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, end, NULL);
    pthread_join(thread, NULL);
    return 0;
}
