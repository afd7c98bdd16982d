// Tasks on the stacks of recursive functions, each with a variable-length array and memory of alloca.
#include <alloca.h>
#include <pthread.h>
#include <string.h>

struct range {
    const int *from;
    int count;
    int sum;
};

static void *add(void *argument)
{
    struct range *range = argument;
    if (range->count == 1) {
        range->sum = range->from[0];
        return NULL;
    }
    int half = range->count / 2;
    int copy[range->count];
    struct range *parts = alloca(2 * sizeof *parts);
    memcpy(copy, range->from, sizeof copy);
    parts[0] = (struct range){copy, half, 0};
    parts[1] = (struct range){copy + half, range->count - half, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, add, &parts[0]);
    add(&parts[1]);
    pthread_join(thread, NULL);
    range->sum = parts[0].sum + parts[1].sum;
    return NULL;
}

int main(void)
{
    const int numbers[] = {1, 2, 3};
    struct range all = {numbers, 3, 0};
    add(&all);
    return all.sum - 6;
}
