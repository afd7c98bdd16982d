// A balanced tree for several threads, after the structure of libcprops: one lock for writers and readers. How many entries it has is
// looked at without the lock.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, height;
    struct node *left, *right;
};

struct tree {
    pthread_rwlock_t lock;
    struct node *root;
    int count;
};

static struct tree tree = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static int height(const struct node *node)
{
    return node ? node->height : 0;
}

static void measure(struct node *node)
{
    int left = height(node->left), right = height(node->right);
    node->height = 1 + (left > right ? left : right);
}

static struct node *rotate_right(struct node *node)
{
    struct node *top = node->left;
    node->left = top->right;
    top->right = node;
    measure(node);
    measure(top);
    return top;
}

static struct node *rotate_left(struct node *node)
{
    struct node *top = node->right;
    node->right = top->left;
    top->left = node;
    measure(node);
    measure(top);
    return top;
}

static struct node *balance(struct node *node)
{
    measure(node);
    if (height(node->left) > height(node->right) + 1) {
        if (height(node->left->right) > height(node->left->left))
            node->left = rotate_left(node->left);
        return rotate_right(node);
    }
    if (height(node->right) > height(node->left) + 1) {
        if (height(node->right->left) > height(node->right->right))
            node->right = rotate_right(node->right);
        return rotate_left(node);
    }
    return node;
}

static struct node *insert_below(struct node *node, struct node *new)
{
    if (node == NULL)
        return new;
    if (new->key < node->key)
        node->left = insert_below(node->left, new);
    else
        node->right = insert_below(node->right, new);
    return balance(node);
}

static void insert(int key)
{
    struct node *new = calloc(1, sizeof *new);
    new->key = key;
    new->height = 1;
    pthread_rwlock_wrlock(&tree.lock);
    tree.root = insert_below(tree.root, new);
    tree.count++; // heddle: here
    pthread_rwlock_unlock(&tree.lock);
}

static int contains(int key)
{
    struct node *node;
    pthread_rwlock_rdlock(&tree.lock);
    node = tree.root;
    while (node && node->key != key)
        node = key < node->key ? node->left : node->right;
    pthread_rwlock_unlock(&tree.lock);
    return node != NULL;
}

static int count(void)
{
    int result;
#ifdef FIXED
    pthread_rwlock_rdlock(&tree.lock);
#endif
    result = tree.count; // heddle: here
#ifdef FIXED
    pthread_rwlock_unlock(&tree.lock);
#endif
    return result;
}

static void *grow(void *unused)
{
    insert(1);
    insert(2);
    return unused;
}

static void *look(void *unused)
{
    if (contains(2))
        assert(contains(1) && count() >= 2);
    return unused;
}

static void release(struct node *node)
{
    if (node) {
        release(node->left);
        release(node->right);
        free(node);
    }
}

int main(void)
{
    pthread_t one, two;
    insert(3);
    pthread_create(&one, NULL, grow, NULL);
    pthread_create(&two, NULL, look, NULL);
    assert(count() >= 1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(tree.count == 3 && tree.root->key == 2 && tree.root->height == 2);
    release(tree.root);
    return 0;
}
