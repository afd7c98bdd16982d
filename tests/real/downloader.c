// A download in segments, after the structure of aget: each thread fetches its part of a file piece by piece and writes it where it
// belongs; how much is there is counted under a lock. Whoever saves the state for a later run reads the count without it.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <string.h>

#define SEGMENTS 2
#define SIZE 16
#define PIECE 4

struct segment {
    pthread_t thread;
    int offset, end;
};

static const char server[SIZE + 1] = "0123456789abcdef";
static char file[SIZE];
static struct segment segments[SEGMENTS];
static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static int written;

static int fetch(char *into, int offset, int size)
{
    memcpy(into, server + offset, (size_t)size);
    return size;
}

static void *download(void *argument)
{
    struct segment *segment = argument;
    char piece[PIECE];
    while (segment->offset < segment->end) {
        int left = segment->end - segment->offset;
        int got = fetch(piece, segment->offset, left < PIECE ? left : PIECE);
        memcpy(file + segment->offset, piece, (size_t)got);
        segment->offset += got;
        pthread_mutex_lock(&written_lock);
        written += got; // heddle: here
        pthread_mutex_unlock(&written_lock);
    }
    return NULL;
}

/* What a later run needs to go on. */
static int save_state(void)
{
    int state;
#ifdef FIXED
    pthread_mutex_lock(&written_lock);
#endif
    state = written; // heddle: here
#ifdef FIXED
    pthread_mutex_unlock(&written_lock);
#endif
    return state;
}

int main(void)
{
    for (int i = 0; i < SEGMENTS; i++) {
        segments[i].offset = i * SIZE / SEGMENTS;
        segments[i].end = (i + 1) * SIZE / SEGMENTS;
        pthread_create(&segments[i].thread, NULL, download, &segments[i]);
    }
    assert(save_state() <= SIZE);
    for (int i = 0; i < SEGMENTS; i++)
        pthread_join(segments[i].thread, NULL);
    assert(written == SIZE && memcmp(file, server, SIZE) == 0);
    return 0;
}
