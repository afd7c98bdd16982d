// `sendfile` reads a file and writes to a pipe in one step, which would be two.
//
// heddle: verdict = unsupported
// heddle: exhaustive = no
#include <fcntl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    int file = open("/etc/passwd", O_RDONLY);
    sendfile(ends[1], file, NULL, 1);
    close(file);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char letter;
    if (pipe(ends) != 0)
        return 0;
    pthread_create(&thread, NULL, send, NULL);
    ssize_t count = read(ends[0], &letter, 1);
    pthread_join(thread, NULL);
    return count != 1;
}
