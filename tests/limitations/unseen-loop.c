// Loops that end by what code that is not instrumented counts, variables whose life the compilers do not tell, and accesses that hit
// other memory of the program: each shows that the verdict does not know better.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(UNSEEN)
// The count is written by a function that asks not to be instrumented: the loop is taken for one that waits.
static atomic_int set;
static int count;

__attribute__((no_sanitize("thread"), noinline)) static int counted(void)
{
    return ++count > 3;
}

static void *run(void *unused)
{
    while (!set && !counted())
        ;
    return unused;
}

#elif defined(FAR)
// So far past the end that it is another block.
static void *run(void *unused)
{
    char *one = malloc(16), *other = malloc(16);
    one[other - one] = 1;
    return unused;
}

#elif defined(OWN)
// A variable of a function that has returned, used by the same thread.
static int *kept;

__attribute__((noinline)) static void keep(void)
{
    int number = 1;
    kept = &number;
}

static void *run(void *unused)
{
    keep();
    *kept = 2;
    return unused;
}

#elif defined(BLOCK)
// A variable of a block that has ended.
static void *run(void *unused)
{
    int *kept;
    {
        int number = 1;
        kept = &number;
    }
    *kept = 2;
    return unused;
}

#elif defined(MERGED)
// The optimiser keeps one of two stores: there is nothing between them to see.
static atomic_int flag;
static int number;

static void *run(void *unused)
{
    int *place = &number;
    *place = 1;
    *place = 2;
    atomic_store(&flag, 1);
    return unused;
}

#elif defined(DEVICE)
// What the device says is another number each time.
static atomic_int number;

static void *run(void *unused)
{
    FILE *device = fopen("/dev/urandom", "r");
    number = fgetc(device) << 16 | fgetc(device) << 8 | fgetc(device);
    fclose(device);
    return unused;
}
#endif

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
}
