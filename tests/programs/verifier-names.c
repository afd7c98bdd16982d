// The names that the competition on software verification uses. A bool has two values; of the int, those that were asked
// for and are not assumed away are left.
//
// heddle: verdict = found
// heddle: exhaustive = no
// heddle: kind = assertion
// heddle: flags = --nondet -1..3
extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0);
    if (__VERIFIER_nondet_bool() && x == 3)
        reach_error(); // heddle: here
    return 0;
}
