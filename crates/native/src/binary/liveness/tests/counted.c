/* Loops that look a few times. Those of functions named only_* only count their looks; those of not_* do not. */
#include <stdatomic.h>

static atomic_int x;
static int place, table[8];
void does(int);

int only_loads(void)
{
    for (int i = 0; i < 100; i++)
        if (atomic_load(&x))
            return 1;
    return 0;
}

int only_down(int n)
{
    while (--n >= 0)
        if (atomic_load(&x) == 2)
            return 1;
    does(1);
    return 0;
}

void only_with_value(void)
{
    int n = 100, found;
    do {
        found = atomic_load(&x);
    } while (!found && --n);
    does(found);
}

int not_used_behind(void)
{
    int i;
    for (i = 0; i < 100; i++)
        if (atomic_load(&x))
            break;
    return i;
}

int not_used_where_it_ends(int n)
{
    int i;
    for (i = n; i < 100; i += 3)
        if (atomic_load(&x))
            return 0;
    return i;
}

int not_one_branch(void)
{
    for (int i = 0; i < 100; i++) {
        if (atomic_load(&x))
            return 1;
        if (i == 50)
            does(2);
    }
    return 0;
}

int not_where_it_gets_through(void)
{
    for (int i = 0; i < 100; i++)
        if (atomic_load(&x)) {
            if (i == 50)
                does(2);
            return 1;
        }
    return 0;
}

int not_as_argument(void)
{
    for (int i = 0; i < 100; i++) {
        if (atomic_load(&x))
            return 1;
        does(i);
    }
    return 0;
}

int not_as_address(void)
{
    for (int i = 0; i < 100; i++)
        if (atomic_load(&x) > table[i & 7])
            return 1;
    return 0;
}

int not_by_value(void)
{
    for (int i = 0; i < 100;) {
        int found = atomic_load(&x);
        if (found < 0)
            return 1;
        i += found;
    }
    return 0;
}

int not_in_every_round(void)
{
    for (int i = 0; i < 100;) {
        int found = atomic_load(&x);
        if (found < 0)
            return 1;
        if (found == 3)
            i++;
    }
    return 0;
}

int not_with_a_sum(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        int found = atomic_load(&x);
        if (found < 0)
            return 1;
        sum += found;
    }
    return sum;
}

int not_with_memory(void)
{
    for (int i = 0; i < 100; i++) {
        int found = atomic_load(&x);
        if (found < 0)
            return 1;
        place = found;
    }
    return 0;
}

int not_looked_at_behind_the_test(void)
{
    int n = 100;
    for (;;) {
        int found = atomic_load(&x);
        if (--n == 0)
            return 0;
        if (found)
            return 1;
    }
}

int not_kept(void)
{
    int found = 0;
    for (int i = 0; i < 100; i++) {
        found = atomic_load(&x);
        if (found > 0 && atomic_compare_exchange_strong(&x, &found, found - 1))
            return 1;
    }
    return found;
}

int not_calling(void)
{
    for (int i = 0; i < 100; i++) {
        if (atomic_load(&x))
            return 1;
        does(3);
    }
    return 0;
}

int not_compared(void)
{
    for (int i = 0; i < 100; i++)
        if (atomic_load(&x) == i)
            return 1;
    return 0;
}

int not_two_tests(int flag)
{
    for (int i = 0; i < 100; i++) {
        if (atomic_load(&x) == 2)
            return 1;
        if (i == 50 && flag)
            return 2;
    }
    return 0;
}
