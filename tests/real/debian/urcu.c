/* Small uses of liburcu: -DUSE=name chooses one. GRACE waits before it frees what readers may look at, HASTE does not. */
#define GRACE 1
#define HASTE 2
#define STACK 3
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include <urcu/lfstack.h>
#include <urcu/urcu-mb.h>

#if USE == GRACE || USE == HASTE
static int *shared;
static void *reader(void *unused)
{
    urcu_mb_register_thread();
    urcu_mb_read_lock();
    int *seen = rcu_dereference(shared);
    assert(*seen == 1 || *seen == 2);
    urcu_mb_read_unlock();
    urcu_mb_unregister_thread();
    return unused;
}
int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&thread, NULL, reader, NULL);
    int *new = malloc(sizeof *new), *old = shared;
    *new = 2;
    rcu_assign_pointer(shared, new);
#if USE == GRACE
    urcu_mb_synchronize_rcu();
#endif
    free(old);
    pthread_join(thread, NULL);
    free(new);
    return 0;
}
#else
static struct cds_lfs_stack stack;
static struct cds_lfs_node nodes[2];
static void *add(void *which)
{
    cds_lfs_push(&stack, &nodes[which != NULL]);
    return NULL;
}
int main(void)
{
    static char other;
    pthread_t one, two;
    cds_lfs_init(&stack);
    cds_lfs_node_init(&nodes[0]);
    cds_lfs_node_init(&nodes[1]);
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, &other);
    int got = cds_lfs_pop_blocking(&stack) != NULL;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    while (cds_lfs_pop_blocking(&stack) != NULL)
        got++;
    assert(got == 2);
    cds_lfs_destroy(&stack);
    return 0;
}
#endif
