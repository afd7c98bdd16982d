// The successor is read from a freed node.
//
// heddle: kind = memory
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void)
{
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *new = malloc(sizeof *new);
        new->next = list;
        list = new;
    }
    for (struct node *at = list; at; at = at->next)
        free(at);
    return 0;
}
