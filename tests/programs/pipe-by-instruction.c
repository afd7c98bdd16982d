// A pipe that is written to by an instruction in the program: whoever waits for it would not be told.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(1L), "D"((long)ends[1]), "S"("x"), "d"(1L) : "rcx", "r11", "memory");
    return result == 1 ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    char letter;
    if (pipe(ends) != 0)
        return 0;
    pthread_create(&thread, NULL, send, NULL);
    return read(ends[0], &letter, 1) != 1;
}
