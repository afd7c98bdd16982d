// One reader and a writer of each of two kinds. What the reader saw, and what is left, must be the same whatever the lock is made of.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>

static int value, saw;

static void *reader(void *argument) {
    read_lock();
    saw = value;
    read_unlock();
    return argument;
}

static void *first_writer(void *argument) {
    write_lock_1();
    value += 1;
    write_unlock();
    return argument;
}

static void *second_writer(void *argument) {
    write_lock_2();
    value = 10 * value + 5;
    write_unlock();
    return argument;
}

int main(void) {
    pthread_t thread[3];
    pthread_create(&thread[0], 0, reader, 0);
    pthread_create(&thread[1], 0, first_writer, 0);
    pthread_create(&thread[2], 0, second_writer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
    switch (100 * saw + value) {
    case 15: heddle_reachable("reader, first, second"); break;
    case 115: heddle_reachable("first, reader, second"); break;
    case 1515: heddle_reachable("first, second, reader"); break;
    case 6: heddle_reachable("reader, second, first"); break;
    case 506: heddle_reachable("second, reader, first"); break;
    case 606: heddle_reachable("second, first, reader"); break;
    default: assert(0);
    }
    return 0;
}
