// Names that are made by the calls with `at`, and looked for by `realpath`, `glob` and `scandir`.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: more = yes
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path;
static int listed, found;
static glob_t names;

static void *work(void *unused)
{
    assert(symlinkat("heddle-test-at", AT_FDCWD, "heddle-test-link") == 0);
    assert(linkat(AT_FDCWD, "heddle-test-at", AT_FDCWD, "heddle-test-hard", 0) == 0);
    assert(renameat2(AT_FDCWD, "heddle-test-hard", AT_FDCWD, "heddle-test-moved", RENAME_NOREPLACE) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    mkdir("heddle-test-directory", 0700);
    assert(chdir("heddle-test-directory") == 0);
    close(open("heddle-test-at", O_CREAT | O_RDWR, 0644));
    pthread_create(&thread, NULL, work, NULL);
    path = realpath("heddle-test-link", NULL);
    found = glob("heddle-test-m*", 0, NULL, &names);
    pthread_join(thread, NULL);
    assert(!path); // heddle: here
    assert(found == GLOB_NOMATCH); // heddle: here
    return 0;
}
