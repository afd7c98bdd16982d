// A spin lock is unlocked twice.
//
// heddle: verdict = found
// heddle: kind = misuse
// heddle: executions = 1
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    pthread_spin_unlock(&lock); // heddle: here
    return 0;
}
