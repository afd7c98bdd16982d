// What a stream holds back does not come: the reader waits for ever.
//
// heddle: verdict = found
// heddle: kind = deadlock
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *in;

static void *read_line(void *unused)
{
    char line[20];
    assert(fgets(line, sizeof line, in)); // heddle: here
    return unused;
}

int main(void)
{
    int ends[2];
    pthread_t thread;
    assert(pipe(ends) == 0);
    in = fdopen(ends[0], "r");
    FILE *out = fdopen(ends[1], "w");
    pthread_create(&thread, NULL, read_line, NULL);
    fprintf(out, "forgotten\n");
    pthread_join(thread, NULL); // heddle: here
    fclose(out);
    return 0;
}
