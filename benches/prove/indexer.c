// N threads put two messages each into a table, at the first free place from a hash on.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
#define SIZE 8
#define MESSAGES 2
atomic_int table[SIZE];
int id[N];
void *put(void *argument) {
    int own = *(int *)argument;
    for (int m = 1; m <= MESSAGES; m++) {
        int word = m * 11 + own, at = word * 7 % SIZE, tries = 0, empty = 0;
        while (!atomic_compare_exchange_strong(&table[at], &empty, word)) {
            at = (at + 1) % SIZE;
            empty = 0;
            assert(++tries < SIZE);
        }
    }
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], 0, put, &id[i]);
    }
    int count = 0;
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < SIZE; i++)
        count += table[i] != 0;
    assert(count == N * MESSAGES);
}
