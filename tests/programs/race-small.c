// A race that needs one thread to come in the middle of another one, and others that only make the way there longer.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int y, published;
int x;

static void *publish(void *unused)
{
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    published = 1;
    pthread_mutex_unlock(&m);
    x = 1;
    pthread_mutex_lock(&m);
    published = 0;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&m);
    int is_there = published;
    y++;
    pthread_mutex_unlock(&m);
    if (is_there)
        x = 2;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, publish, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return x > 2;
}
