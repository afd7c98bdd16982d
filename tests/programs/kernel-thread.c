// What the kernel keeps for each thread: the alternate signal stack, which no new thread has, and the nice value and the timer
// slack, which it inherits.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static char room[1 << 16];

static void *child(void *unused)
{
    stack_t stack;
    assert(sigaltstack(NULL, &stack) == 0 && stack.ss_flags == SS_DISABLE);
    assert(getpriority(PRIO_PROCESS, 0) == 3);
    assert(prctl(PR_GET_TIMERSLACK) == 1000);
    assert(setpriority(PRIO_PROCESS, 0, 7) == 0 && nice(2) == 9);
    assert(prctl(PR_SET_TIMERSLACK, 2000) == 0 && prctl(PR_GET_TIMERSLACK) == 2000);
    return unused;
}

int main(void)
{
    stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
    assert(sigaltstack(&stack, NULL) == 0);
    assert(setpriority(PRIO_PROCESS, 0, 3) == 0);
    assert(prctl(PR_SET_TIMERSLACK, 1000) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    stack_t now;
    assert(sigaltstack(NULL, &now) == 0 && now.ss_sp == room && now.ss_size == sizeof room && now.ss_flags == 0);
    assert(getpriority(PRIO_PROCESS, 0) == 3);
    assert(prctl(PR_GET_TIMERSLACK) == 1000);
    return 0;
}
