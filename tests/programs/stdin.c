// Standard input from a file: every execution reads it from the beginning.
//
// heddle: verdict = safe
// heddle: executions = 1
// heddle: flags = --stdin /etc/passwd
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t one;
    char line[200], again[200];
    FILE *same = fopen("/etc/passwd", "r");
    pthread_create(&one, NULL, nothing, NULL);
    assert(fgets(line, sizeof line, stdin));
    assert(fgets(again, sizeof again, same));
    assert(strcmp(line, again) == 0);
    while (getchar() != '\n')
        ;
    assert(fgets(again, sizeof again, same));
    assert(fgets(line, sizeof line, stdin));
    assert(fgets(again, sizeof again, same));
    assert(strcmp(line, again) == 0);
    while (fgets(line, sizeof line, stdin))
        ;
    assert(feof(stdin));
    pthread_join(one, NULL);
    return 0;
}
