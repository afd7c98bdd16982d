// Nobody writes: `ppoll` waits for ever.
//
// heddle: verdict = found
// heddle: kind = deadlock
#define _GNU_SOURCE
#include <poll.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    struct pollfd file = { ends[0], POLLIN, 0 };
    return ppoll(&file, 1, NULL, NULL) != 1; // heddle: here
}
