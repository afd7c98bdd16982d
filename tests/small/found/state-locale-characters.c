// How many bytes a character has depends on the locale, which another thread changes.
//
// heddle: kind = assertion
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <wchar.h>

static void *change(void *unused)
{
    setlocale(LC_ALL, "C.UTF-8");
    return unused;
}

int main(void)
{
    pthread_t thread;
    wchar_t text[4];
    pthread_create(&thread, NULL, change, NULL);
    assert(mbstowcs(text, "\xc3\xa4", 4) != 1);
    pthread_join(thread, NULL);
}
