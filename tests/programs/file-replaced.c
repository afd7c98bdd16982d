// A file that is written under another name and renamed is there as a whole or not at all.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *make(void *unused)
{
    FILE *file = fopen("heddle-test-replaced.new", "w");
    assert(file);
    fputs("ready\n", file);
    fclose(file);
    assert(rename("heddle-test-replaced.new", "heddle-test-replaced") == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char line[10];
    pthread_create(&thread, NULL, make, NULL);
    FILE *file = fopen("heddle-test-replaced", "r");
    if (file) {
        assert(fgets(line, sizeof line, file));
        fclose(file);
    }
    pthread_join(thread, NULL);
    return 0;
}
