// Who looks for a file finds it or not, depending on whether the other has made it: and it may still be empty.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *make(void *unused)
{
    FILE *file = fopen("heddle-test-exists", "w");
    assert(file);
    fputs("ready\n", file);
    fclose(file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char line[10];
    pthread_create(&thread, NULL, make, NULL);
    FILE *file = fopen("heddle-test-exists", "r");
    if (file) {
        assert(fgets(line, sizeof line, file)); // heddle: here
        fclose(file);
    }
    pthread_join(thread, NULL);
    return 0;
}
