// Local variables that threads were given: the race is on a part of one, and both have locks of the same name.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance[2];
};

static void *deposit(void *argument)
{
    struct account *account = argument;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // its own: protects nothing
    pthread_mutex_lock(&lock);
    account->balance[1]++; // heddle: here
    pthread_mutex_unlock(&lock);
    return 0;
}

static void run(void)
{
    struct account shared = {PTHREAD_MUTEX_INITIALIZER, {0, 0}};
    pthread_t thread;
    pthread_create(&thread, 0, deposit, &shared);
    pthread_mutex_lock(&shared.lock);
    shared.balance[1]++; // heddle: here
    pthread_mutex_unlock(&shared.lock);
    pthread_join(thread, 0);
}

int main(void)
{
    run();
    return 0;
}
