/* The malloc family, alone and among real threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define CHECK(c) \
    do { \
        if (!(c)) { \
            failures++; \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
        } \
    } while (0)

static volatile size_t huge = (size_t)1 << 62;
/* Compilers may leave an allocation out whose result nobody sees. */
static void *volatile seen;

/* Not in line: compilers believe that allocating does not touch errno. */
static __attribute__((noinline)) int error(void) {
    return errno;
}

static int all(const unsigned char *p, size_t n, unsigned char v) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != v) return 0;
    return 1;
}

static void sizes(void) {
    for (size_t n = 0; n < 70000; n += n / 7 + 1) {
        unsigned char *p = malloc(n), *q = calloc(n, 1);
        CHECK(p && q && p != q && (uintptr_t)p % 16 == 0 && (uintptr_t)q % 16 == 0);
        CHECK(malloc_usable_size(p) >= n && all(q, n, 0));
        memset(p, 0xaa, n);
        memset(q, 0xbb, n);
        CHECK(all(p, n, 0xaa));
        p = realloc(p, n * 3 + 1);
        CHECK(all(p, n, 0xaa));
        p = realloc(p, n / 2 + 1);
        CHECK(all(p, n / 2, 0xaa) && all(q, n, 0xbb));
        free(p);
        free(q);
        q = calloc(1, n);
        CHECK(all(q, n, 0));
        free(q);
    }
    /* A block that the thread itself gave back comes again. */
    seen = malloc(100);
    uintptr_t first = (uintptr_t)seen;
    free(seen);
    seen = malloc(100);
    CHECK((uintptr_t)seen == first);
    free(seen);
}

static void alignments(void) {
    for (size_t a = 8; a <= 1 << 21; a *= 2) {
        void *p = 0, *q = memalign(a, 10), *r = aligned_alloc(a, a * 2);
        CHECK(posix_memalign(&p, a, 100) == 0);
        CHECK((uintptr_t)p % a == 0 && (uintptr_t)q % a == 0 && (uintptr_t)r % a == 0);
        memset(p, 1, 100);
        memset(r, 2, a * 2);
        CHECK(all(p, 100, 1));
        free(p), free(q), free(r);
    }
    void *p = (void *)1;
    CHECK(posix_memalign(&p, 24, 1) == EINVAL && posix_memalign(&p, 4, 1) == EINVAL && p == (void *)1);
    CHECK((uintptr_t)(p = valloc(5)) % 4096 == 0);
    free(p);
    CHECK((uintptr_t)(p = pvalloc(5)) % 4096 == 0 && malloc_usable_size(p) >= 4096);
    free(p);
}

static void refusals(void) {
    errno = 0;
    seen = malloc(huge * 2 + 5);
    CHECK(!seen && error() == ENOMEM);
    errno = 0;
    seen = calloc(huge, 16);
    CHECK(!seen && error() == ENOMEM);
    errno = 0;
    seen = reallocarray(0, huge, 16);
    CHECK(!seen && error() == ENOMEM);
    char *p = malloc(10);
    strcpy(p, "kept");
    seen = p;
    CHECK(!reallocarray(seen, huge, 2) && !strcmp(seen, "kept"));
    seen = realloc(seen, 0);
    CHECK(!seen);
    free(0);
    CHECK(malloc_usable_size(0) == 0);
    p = malloc((size_t)5 << 30);
    CHECK(p);
    p[(size_t)4 << 30] = 1;
    free(p);
}

static void *churn(void *argument) {
    unsigned seed = *(unsigned *)argument, bad = 0;
    unsigned char *kept[64] = {0};
    size_t size[64] = {0};
    for (int i = 0; i < 100000; i++) {
        unsigned k = rand_r(&seed) % 64;
        bad += kept[k] && !all(kept[k], size[k], (unsigned char)k);
        free(kept[k]);
        size[k] = rand_r(&seed) % 500;
        kept[k] = malloc(size[k]);
        memset(kept[k], (int)k, size[k]);
    }
    for (int k = 0; k < 64; k++) free(kept[k]);
    *(unsigned *)argument = bad;
    return 0;
}

int main(void) {
    sizes();
    alignments();
    refusals();
    pthread_t threads[4];
    unsigned seeds[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, churn, &seeds[i]);
    /* Children of a process whose threads are in the heap must be able to allocate. */
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            free(malloc(100));
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    for (int i = 0; i < 4; i++) CHECK(seeds[i] == 0);
    CHECK(malloc_trim(0) >= 0 && mallinfo2().uordblks > 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
