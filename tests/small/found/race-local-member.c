// A member of a local structure that another thread was given.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>

struct pair {
    int first, second;
};

static void *set(void *pair)
{
    ((struct pair *)pair)->second = 1;
    return NULL;
}

int main(void)
{
    struct pair pair = {0, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, set, &pair);
    int second = pair.second;
    pthread_join(thread, NULL);
    return second + pair.first > 1;
}
