// A thread that locks a plain mutex which it holds already waits for itself.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void visit(int depth)
{
    pthread_mutex_lock(&lock); // heddle: here
    if (depth > 0)
        visit(depth - 1);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    visit(1);
    return 0;
}
