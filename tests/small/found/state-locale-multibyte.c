// How many bytes a character has depends on the locale.
//
// heddle: kind = assertion
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
    setlocale(LC_ALL, "C.UTF-8");
    return unused;
}

int main(void)
{
    pthread_t thread;
    wchar_t letter;
    pthread_create(&thread, NULL, work, NULL);
    int length = mbtowc(&letter, "\xc3\xa9", 2);
    pthread_join(thread, NULL);
    assert(length != 2);
    return 0;
}
