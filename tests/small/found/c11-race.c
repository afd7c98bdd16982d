// C11 threads and no lock.
//
// heddle: kind = data-race
#include <stddef.h>
#include <threads.h>

int n;

static int work(void *unused)
{
    (void)unused;
    n++;
    return 0;
}

int main(void)
{
    thrd_t thread;
    thrd_create(&thread, work, NULL);
    n++;
    thrd_join(thread, NULL);
    return 0;
}
