// What the programs here have in common: threads that are started together and waited for, and a log that a lock protects.
#ifndef RUN_H
#define RUN_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef void *(*body)(void *);

// Runs the functions at the same time, the last of them in the thread that calls this, and returns when all have ended.
static void run(int count, const body *bodies) {
    pthread_t threads[4];
    for (int i = 0; i < count - 1; i++)
        pthread_create(&threads[i], 0, bodies[i], (void *)(long)(i + 1));
    bodies[count - 1]((void *)(long)count);
    for (int i = 0; i < count - 1; i++)
        pthread_join(threads[i], 0);
}
#define RUN(...) run(sizeof((body[]){__VA_ARGS__}) / sizeof(body), (body[]){__VA_ARGS__})

static char text[16];

// Adds who it is to the log, which nobody else must do at the same time.
static inline void add(void *who) { text[strlen(text)] = (char)('0' + (long)who); }

// A moment from now.
static inline struct timespec soon(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 1;
    return time;
}
#endif
