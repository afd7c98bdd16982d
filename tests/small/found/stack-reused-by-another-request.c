// A request lies on the stack of the function that makes it. The first call of the function does not wait for the worker, and the
// second request lies at the same place: the worker answers the wrong one.
//
// heddle: kind = assertion
// heddle: flags = --races ignore --memory off
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct request {
    int number;
    int answer;
};

static pthread_t worker;

static void *answer(void *argument)
{
    struct request *request = argument;
    request->answer = request->number + 1;
    return NULL;
}

__attribute__((noinline)) static void ask(int number)
{
    struct request request = {number, 0};
    struct request *volatile asked = &request;
    if (number == 1) {
        pthread_create(&worker, NULL, answer, asked);
    } else {
        pthread_join(worker, NULL);
        assert(asked->answer == 0);
    }
}

int main(void)
{
    ask(1);
    ask(2);
    return 0;
}
