// A directory has in it what the execution has made there, and not what it has removed.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int count(const char *name, const char *wanted)
{
    int found = 0;
    struct dirent *entry;
    DIR *directory = opendir(name);
    assert(directory);
    while ((entry = readdir(directory)))
        found += strcmp(entry->d_name, wanted) == 0;
    rewinddir(directory);
    while ((entry = readdir(directory)))
        found += strcmp(entry->d_name, wanted) == 0;
    closedir(directory);
    return found;
}

int main(void)
{
    char name[100];
    assert(count("/etc", "passwd") == 2);
    if (getuid() == 0) {
        assert(unlink("/etc/passwd") == 0);
        assert(count("/etc", "passwd") == 0);
        FILE *file = fopen("/etc/passwd", "w");
        assert(file);
        fclose(file);
        assert(count("/etc", "passwd") == 2);
    }
    assert(mkdir("heddle-test-listing", 0700) == 0);
    assert(count(".", "heddle-test-listing") == 2);
    for (int i = 0; i < 300; i++) {
        sprintf(name, "heddle-test-listing/%d", i);
        fclose(fopen(name, "w"));
    }
    assert(count("heddle-test-listing", "0") == 2);
    assert(count("heddle-test-listing", "299") == 2);
    assert(unlink("heddle-test-listing/0") == 0);
    assert(count("heddle-test-listing", "0") == 0);
    return 0;
}
