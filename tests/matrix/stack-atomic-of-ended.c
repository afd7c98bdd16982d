// An atomic on the stack of a thread that has ended and was joined.
//
// heddle: verdict = found
// heddle: kind = memory
#include <pthread.h>
#include <stdatomic.h>

static atomic_int *handed_out;

static void *hand_out(void *unused)
{
    atomic_int local = 1;
    handed_out = &local;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, hand_out, NULL);
    pthread_join(thread, NULL);
    return atomic_load(handed_out) == 77; // heddle: here
}
