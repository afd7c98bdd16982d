// An unaligned access over the end of its neighbour.
//
// heddle: kind = data-race
#include <pthread.h>

struct __attribute__((packed)) {
    char a;
    int b;
    char c_;
} s;

static void *one(void *unused)
{
    s.b = 1;
    return unused;
}

static void *two(void *unused)
{
    ((char *)&s)[4] = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
