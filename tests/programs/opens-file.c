// A program that opens a file: memory can be put back, the file's descriptor and position cannot.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void *work(void *argument)
{
    char line[200];
    pthread_mutex_lock(&lock);
    if (fgets(line, sizeof line, argument))
        lines++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    FILE *file = fopen("/proc/self/status", "r");
    assert(file);
    assert(fileno(file) < 64);
    pthread_create(&one, NULL, work, file);
    pthread_create(&two, NULL, work, file);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(lines == 2);
    fclose(file);
    return 0;
}
