// All the ways to get memory and give it back, within a thread and across threads.
//
// heddle: verdict = safe
// heddle: executions = 2
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *left_over[2];
static int turn;

static void check(void *block, size_t alignment, size_t size)
{
    assert(block && (uintptr_t)block % alignment == 0);
    memset(block, 0x5a, size);
    assert(malloc_usable_size(block) >= size);
}

static void *work(void *unused)
{
    char *block = malloc(10);
    check(block, 16, 10);
    strcpy(block, "nine char");
    for (size_t size = 10; size < 1000000; size *= 3) {
        block = realloc(block, size);
        assert(block && strcmp(block, "nine char") == 0);
    }
    block = realloc(block, 20);
    assert(strcmp(block, "nine char") == 0);
    free(block);

    unsigned char *zeros = calloc(1000, 7);
    for (int i = 0; i < 7000; i++)
        assert(zeros[i] == 0);
    check(zeros, 16, 7000);
    free(zeros);
    volatile size_t too_many = SIZE_MAX / 2;
    void *volatile nothing = calloc(too_many, 3);
    assert(nothing == NULL);
    nothing = reallocarray(NULL, too_many, 3);
    assert(nothing == NULL);

    void *aligned = aligned_alloc(4096, 8192);
    check(aligned, 4096, 8192);
    free(aligned);
    assert(posix_memalign(&aligned, 1 << 16, 100) == 0);
    check(aligned, 1 << 16, 100);
    free(aligned);
    assert(posix_memalign(&aligned, 3, 100) != 0);
    aligned = memalign(256, 1);
    check(aligned, 256, 1);
    free(aligned);
    free(valloc(5));
    free(malloc(0));
    free(NULL);

    char *text = NULL;
    assert(asprintf(&text, "%d and %s", 7, "eight") == 11);
    char *copy = strdup(text);
    assert(strcmp(copy, "7 and eight") == 0);
    free(text);

    pthread_mutex_lock(&lock);
    free(left_over[0]);
    left_over[0] = NULL;
    left_over[turn++] = copy;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    left_over[0] = malloc(100);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(turn == 2 && left_over[1]);
    free(left_over[1]);
    return 0;
}
