// Opens a file.
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    int file = open("heddle-limitations-file", O_CREAT | O_WRONLY, 0644);
    return close(file);
}
