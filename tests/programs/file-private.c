// Every execution begins with the files as they are on disk: what earlier ones wrote, made, renamed and removed is not there.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void write_to(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert(file);
    fputs(text, file);
    assert(fclose(file) == 0);
}

static void must_be(const char *name, const char *text)
{
    char line[100] = "";
    struct stat status;
    FILE *file = fopen(name, "r");
    assert(file);
    assert(fgets(line, sizeof line, file));
    assert(strcmp(line, text) == 0);
    fclose(file);
    assert(stat(name, &status) == 0 && S_ISREG(status.st_mode));
    assert(status.st_size == (off_t)strlen(text));
}

int main(void)
{
    pthread_t one, two;
    char path[4096];
    struct stat status;

    assert(access("heddle-test-new", F_OK) == -1 && errno == ENOENT);
    write_to("heddle-test-new", "first");
    must_be("heddle-test-new", "first");
    must_be("./heddle-test-new", "first");
    assert(getcwd(path, sizeof path));
    strcat(path, "/heddle-test-new");
    must_be(path, "first");
    assert(open("heddle-test-new", O_CREAT | O_EXCL | O_WRONLY, 0600) == -1 && errno == EEXIST);

    assert(mkdir("heddle-test-directory", 0700) == 0);
    assert(mkdir("heddle-test-directory", 0700) == -1 && errno == EEXIST);
    write_to("heddle-test-directory/inside", "second");
    must_be("heddle-test-directory/../heddle-test-directory/inside", "second");
    assert(rmdir("heddle-test-directory") == -1 && errno == ENOTEMPTY);
    assert(chdir("heddle-test-directory") == 0);
    must_be("inside", "second");
    assert(getcwd(path, sizeof path) && strstr(path, "/heddle-test-directory"));
    assert(chdir("..") == 0);
    must_be("heddle-test-new", "first");

    assert(symlink("heddle-test-directory/inside", "heddle-test-link") == 0);
    must_be("heddle-test-link", "second");
    assert(lstat("heddle-test-link", &status) == 0 && S_ISLNK(status.st_mode));
    assert(link("heddle-test-new", "heddle-test-other") == 0);
    write_to("heddle-test-other", "third");
    must_be("heddle-test-new", "third");

    assert(rename("heddle-test-directory", "heddle-test-moved") == 0);
    must_be("heddle-test-moved/inside", "second");
    assert(stat("heddle-test-link", &status) == -1 && errno == ENOENT);
    assert(rename("heddle-test-new", "heddle-test-moved/inside") == 0);
    must_be("heddle-test-moved/inside", "third");
    assert(truncate("heddle-test-moved/inside", 2) == 0);
    must_be("heddle-test-moved/inside", "th");
    assert(chmod("heddle-test-moved/inside", 0400) == 0);
    assert(stat("heddle-test-moved/inside", &status) == 0 && (status.st_mode & 0777) == 0400);
    assert(unlink("heddle-test-moved/inside") == 0);
    assert(unlink("heddle-test-moved/inside") == -1 && errno == ENOENT);
    assert(open("heddle-test-moved/nothing/file", O_CREAT | O_WRONLY, 0600) == -1 && errno == ENOENT);
    assert(rmdir("heddle-test-moved") == 0);
    assert(access("heddle-test-moved", F_OK) == -1);

    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
