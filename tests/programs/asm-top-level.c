// A function that is written in assembly, without a line number and without a size.
//
// heddle: verdict = incomplete
// heddle: exhaustive = no
#include <assert.h>
#include <pthread.h>

__asm__(".text\nbump: movl $1, %eax\n lock xaddl %eax, (%rdi)\n ret\n");

int bump(int *count);

static int count;

static void *add(void *unused)
{
    bump(&count);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    assert(bump(&count) == 0);
    pthread_join(thread, NULL);
    return 0;
}
