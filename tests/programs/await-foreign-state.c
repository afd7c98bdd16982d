// Loops that look at a place nobody writes, and end because of what a function of libc remembers in memory: they do not wait for anybody.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int never;
static unsigned seed = 1;
static char words[] = "a b c";
static char *rest = words;
static char *arguments[] = {"program", "-a", "-b", "end", 0};
static int numbers[] = {3, 2, 1};
static unsigned short state[3] = {1, 2, 3};

static int descending(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static int ascending(const void *a, const void *b)
{
    return -descending(a, b);
}

static void *work(void *unused)
{
    while (!never)
        if (rand_r(&seed) % 7 == 3)
            break;
    while (!never)
        if (!strtok_r(0, " ", &rest))
            break;
    while (!never)
        if (getopt(4, arguments, "ab") < 0)
            break;
    // A round in one order and the next in the other: the array comes back to what it was, the count of rounds is in libc's memory.
    while (!never) {
        qsort(numbers, 3, sizeof *numbers, numbers[0] == 3 ? ascending : descending);
        if (nrand48(state) % 5 == 2)
            break;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
