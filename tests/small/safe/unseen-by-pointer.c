// Loops that look at a place nobody writes, and end because of what functions of libc remember. They are called by pointers.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int never;
static unsigned seed = 1;
static unsigned short state[3] = {1, 2, 3};
static char words[] = "a b c";
static char *rest = words;

static long (*const table[])(unsigned short *) = {nrand48, jrand48};
static int (*volatile draws)(unsigned *);

static void *work(void *argument)
{
    draws = rand_r;
    while (!never)
        if (draws(&seed) % 7 == 3)
            break;
    for (int which = 0; which < 2; which++)
        while (!never)
            if (table[which](state) % 5 == 2)
                break;
    char *(*volatile splits)(char *, const char *, char **) = strtok_r;
    while (!never)
        if (!splits(0, " ", &rest))
            break;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
}
