// The names of temporary files are made up, and the same in every execution: here they decide what a thread does. What the functions
// promise holds all the same.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    char one[] = "/tmp/heddle-test-XXXXXX", two[] = "/tmp/heddle-test-XXXXXX.txt", three[] = "/tmp/heddle-test-XXXXXX", none[] = "/tmp/none";
    struct stat now;
    int first = mkstemp(one), second = mkostemps(two, 4, O_CLOEXEC);
    assert(first >= 0 && second >= 0 && strcmp(one, two) != 0);
    assert(strcmp(two + strlen(two) - 4, ".txt") == 0 && strstr(two, "XXXXXX") == NULL);
    assert(fcntl(second, F_GETFD) & FD_CLOEXEC);
    assert(write(first, "x", 1) == 1);
    assert(stat(one, &now) == 0 && now.st_size == 1 && (now.st_mode & 0777) == 0600);
    assert(mkdtemp(three) == three && stat(three, &now) == 0 && S_ISDIR(now.st_mode) && (now.st_mode & 0777) == 0700);
    errno = 0;
    assert(mkstemp(none) == -1 && errno == EINVAL);
    errno = 0;
    assert(mkstemps(two, 100) == -1 && errno == EINVAL);
    for (int i = one[20] & 7; i > 0; i--) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    close(first);
    close(second);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
