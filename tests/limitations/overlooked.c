/* Calls and accesses that Heddle does not see: the verdict names them. WHAT chooses one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifdef LONG_DOUBLE
long double wide[2];
#endif
int words[8];

#ifdef LONG_DOUBLE
__attribute__((noinline)) static void sum(long double *to, const long double *from) { *to += *from; }
#endif

static void *work(void *unused)
{
    (void)unused;
#if defined READV
    struct iovec pieces[1] = {{words, 0}};
    readv(-1, pieces, 1);
#elif defined SCANF
    sscanf("1 2", "%d %d", &words[0], &words[1]);
#elif defined LONG_DOUBLE
    sum(&wide[0], &wide[1]);
#elif defined STREAMING
    _mm_stream_si32(&words[2], 5);
#elif defined UNASKED
    extern void unasked(void);
    unasked();
#elif defined DLSYM
    dlsym(RTLD_DEFAULT, "malloc");
#elif defined LOCALTIME
    time_t now = 0;
    localtime(&now);
#endif
    return NULL;
}

#ifdef UNASKED
__attribute__((no_sanitize("thread"), noinline)) void unasked(void) { words[3]++; }
#endif

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
