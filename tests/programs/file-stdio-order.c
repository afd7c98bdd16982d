// The same through a stream: what it holds back is in the order of the calls, too.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *file;

static void *print(void *word)
{
    fprintf(file, "%s;", (const char *)word);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    char text[20] = "";
    file = fopen("/tmp/heddle-test-stdio", "w+");
    assert(file);
    pthread_create(&one, NULL, print, "one");
    pthread_create(&two, NULL, print, "two");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    rewind(file);
    assert(fgets(text, sizeof text, file));
    fclose(file);
    assert(strcmp(text, "one;two;") == 0); // heddle: here
    return 0;
}
