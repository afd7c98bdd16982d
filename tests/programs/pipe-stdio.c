// Lines through a pipe, by streams at both ends: the reader waits for them, and for the end.
//
// heddle: verdict = safe
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *in, *out;

static void *work(void *unused)
{
    fprintf(out, "%s\n", "one");
    fflush(out);
    fputs("two\nthree\n", out);
    fclose(out);
    return unused;
}

int main(void)
{
    int ends[2];
    char line[20];
    pthread_t thread;
    assert(pipe(ends) == 0);
    in = fdopen(ends[0], "r");
    out = fdopen(ends[1], "w");
    pthread_create(&thread, NULL, work, NULL);
    assert(fgets(line, sizeof line, in) && strcmp(line, "one\n") == 0);
    assert(fgets(line, sizeof line, in) && strcmp(line, "two\n") == 0);
    assert(fgets(line, sizeof line, in) && strcmp(line, "three\n") == 0);
    assert(fgets(line, sizeof line, in) == NULL);
    pthread_join(thread, NULL);
    return 0;
}
