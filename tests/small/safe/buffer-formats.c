// What is printed into memory is what it would be elsewhere: many arguments, of all kinds, in registers and on the stack.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int through(char *into, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(into, size, format, arguments);
    va_end(arguments);
    return length;
}

static void *run(void *unused)
{
    char text[200];
    int length = snprintf(text, sizeof text, "%d %s %.1f %c %ld %.2f %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %s", 1, "two", 3.0, '4', 5L,
                          6.0, 7, 8, 9, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, "end");
    assert(strcmp(text, "1 two 3.0 4 5 6.00 7 8 9 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 end") == 0);
    assert(length == (int)strlen(text));
    assert(snprintf(text, 4, "%s", "longer") == 6 && strcmp(text, "lon") == 0);
    assert(snprintf(NULL, 0, "%d", 12345) == 5);
    assert(sprintf(text, "%s-%d-%g", "a", 2, 2.5) == 7 && strcmp(text, "a-2-2.5") == 0);
    assert(through(text, sizeof text, "%d %g %s", 1, 2.5, "x") == 7 && strcmp(text, "1 2.5 x") == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    return 0;
}
