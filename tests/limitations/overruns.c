// What --memory does not find, and names: memory that was never written to, and bounds of variables.
static int global[2], behind;

int main(void)
{
    int local[2], *never = local;
    int *past = global + 2;
    behind = 0;
    return (never[1] & 0) + (*past & 0);
}
