// Found before libstdc++'s own. What links the nodes of std::map and std::set lives in libstdc++, which is not instrumented: a thread that
// inserts while another one walks would not be seen. So that part is here as well, and the program's own is used by all of it.
// Names are of the kind that programs may not use, not even for macros.
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#ifndef HEDDLE_STL_TREE
#define HEDDLE_STL_TREE
#if defined(__GLIBCXX__) && _GLIBCXX_RELEASE < 16

namespace __h_heddle {
namespace {

typedef std::_Rb_tree_node_base __h_node;

// A tree hangs on a header, which is red: its parent is the root, its left the first and its right the last of all nodes.
struct __h_tree {
    __h_node &__h_header;
    __h_node *&__h_child(__h_node *__h_of, bool __h_left) const { return __h_left ? __h_of->_M_left : __h_of->_M_right; }
    static bool __h_is_black(const __h_node *__h_at) { return __h_at == 0 || __h_at->_M_color == std::_S_black; }

    // `to` comes to the place of `from`, as seen from above.
    void __h_replace(__h_node *__h_from, __h_node *__h_to) const
    {
        __h_node *__h_above = __h_from->_M_parent;
        if (__h_header._M_parent == __h_from)
            __h_header._M_parent = __h_to;
        else
            __h_child(__h_above, __h_above->_M_left == __h_from) = __h_to;
    }

    // The child on the other side comes up, and `top` goes down to the side `left`.
    void __h_rotate(__h_node *__h_top, bool __h_left) const
    {
        __h_node *__h_up = __h_child(__h_top, !__h_left), *__h_inner = __h_child(__h_up, __h_left);
        __h_child(__h_top, !__h_left) = __h_inner;
        if (__h_inner != 0)
            __h_inner->_M_parent = __h_top;
        __h_up->_M_parent = __h_top->_M_parent;
        __h_replace(__h_top, __h_up);
        __h_child(__h_up, __h_left) = __h_top;
        __h_top->_M_parent = __h_up;
    }

    // A red node may have come below a red one.
    void __h_inserted(__h_node *__h_at) const
    {
        while (__h_at != __h_header._M_parent && __h_at->_M_parent->_M_color == std::_S_red) {
            __h_node *__h_parent = __h_at->_M_parent, *__h_grand = __h_parent->_M_parent;
            bool __h_left = __h_parent == __h_grand->_M_left;
            __h_node *__h_uncle = __h_child(__h_grand, !__h_left);
            if (!__h_is_black(__h_uncle)) {
                __h_parent->_M_color = __h_uncle->_M_color = std::_S_black;
                __h_grand->_M_color = std::_S_red;
                __h_at = __h_grand;
                continue;
            }
            if (__h_at == __h_child(__h_parent, !__h_left)) {
                __h_rotate(__h_parent, __h_left);
                __h_at = __h_parent;
                __h_parent = __h_at->_M_parent;
            }
            __h_parent->_M_color = std::_S_black;
            __h_grand->_M_color = std::_S_red;
            __h_rotate(__h_grand, !__h_left);
        }
        __h_header._M_parent->_M_color = std::_S_black;
    }

    // The way to `at`, which may be nothing, below `parent` has one black node too few.
    void __h_erased(__h_node *__h_at, __h_node *__h_parent) const
    {
        while (__h_at != __h_header._M_parent && __h_is_black(__h_at)) {
            bool __h_left = __h_at == __h_parent->_M_left;
            __h_node *__h_sibling = __h_child(__h_parent, !__h_left);
            if (__h_sibling->_M_color == std::_S_red) {
                __h_sibling->_M_color = std::_S_black;
                __h_parent->_M_color = std::_S_red;
                __h_rotate(__h_parent, __h_left);
                __h_sibling = __h_child(__h_parent, !__h_left);
            }
            if (__h_is_black(__h_sibling->_M_left) && __h_is_black(__h_sibling->_M_right)) {
                __h_sibling->_M_color = std::_S_red;
                __h_at = __h_parent;
                __h_parent = __h_parent->_M_parent;
                continue;
            }
            if (__h_is_black(__h_child(__h_sibling, !__h_left))) {
                __h_child(__h_sibling, __h_left)->_M_color = std::_S_black;
                __h_sibling->_M_color = std::_S_red;
                __h_rotate(__h_sibling, !__h_left);
                __h_sibling = __h_child(__h_parent, !__h_left);
            }
            __h_sibling->_M_color = __h_parent->_M_color;
            __h_parent->_M_color = std::_S_black;
            __h_child(__h_sibling, !__h_left)->_M_color = std::_S_black;
            __h_rotate(__h_parent, __h_left);
            return;
        }
        if (__h_at != 0)
            __h_at->_M_color = std::_S_black;
    }
};

inline __h_node *__h_outermost(__h_node *__h_at, bool __h_left)
{
    for (__h_node *__h_next = __h_at; __h_next != 0; __h_next = __h_left ? __h_at->_M_left : __h_at->_M_right)
        __h_at = __h_next;
    return __h_at;
}

// The next one to the right, or the one before to the left.
inline __h_node *__h_step(__h_node *__h_at, bool __h_left)
{
    __h_node *__h_below = __h_left ? __h_at->_M_left : __h_at->_M_right;
    if (__h_below != 0)
        return __h_outermost(__h_below, !__h_left);
    __h_node *__h_above = __h_at->_M_parent;
    while (__h_at == (__h_left ? __h_above->_M_left : __h_above->_M_right)) {
        __h_at = __h_above;
        __h_above = __h_above->_M_parent;
    }
    // Above the root is the header, and the root above that: where the last one is the root, this is the header already.
    return !__h_left && __h_at->_M_right == __h_above ? __h_at : __h_above;
}

inline __h_node *__h_before(__h_node *__h_at)
{
    bool __h_is_header = __h_at->_M_color == std::_S_red && __h_at->_M_parent->_M_parent == __h_at;
    return __h_is_header ? __h_at->_M_right : __h_step(__h_at, true);
}

} // namespace
} // namespace heddle

namespace std {

__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *__h_at) throw()
{
    return __h_heddle::__h_step(__h_at, false);
}

__attribute__((weak)) const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *__h_at) throw()
{
    return __h_heddle::__h_step(const_cast<_Rb_tree_node_base *>(__h_at), false);
}

__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *__h_at) throw()
{
    return __h_heddle::__h_before(__h_at);
}

__attribute__((weak)) const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *__h_at) throw()
{
    return __h_heddle::__h_before(const_cast<_Rb_tree_node_base *>(__h_at));
}

__attribute__((weak)) void _Rb_tree_insert_and_rebalance(const bool __h_left, _Rb_tree_node_base *__h_added, _Rb_tree_node_base *__h_parent,
                                                         _Rb_tree_node_base &__h_header) throw()
{
    __h_added->_M_parent = __h_parent;
    __h_added->_M_left = __h_added->_M_right = 0;
    __h_added->_M_color = _S_red;
    if (__h_parent == &__h_header) {
        // The first of all.
        __h_header._M_parent = __h_header._M_left = __h_header._M_right = __h_added;
    } else if (__h_left) {
        __h_parent->_M_left = __h_added;
        if (__h_parent == __h_header._M_left)
            __h_header._M_left = __h_added;
    } else {
        __h_parent->_M_right = __h_added;
        if (__h_parent == __h_header._M_right)
            __h_header._M_right = __h_added;
    }
    __h_heddle::__h_tree __h_whole = {__h_header};
    __h_whole.__h_inserted(__h_added);
}

__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const __h_gone, _Rb_tree_node_base &__h_header) throw()
{
    __h_heddle::__h_tree __h_whole = {__h_header};
    _Rb_tree_node_base *__h_rest, *__h_parent;
    _Rb_tree_color __h_color = __h_gone->_M_color;
    if (__h_gone->_M_left != 0 && __h_gone->_M_right != 0) {
        // The next one takes its place and its color.
        _Rb_tree_node_base *__h_next = __h_heddle::__h_outermost(__h_gone->_M_right, true);
        __h_rest = __h_next->_M_right;
        __h_color = __h_next->_M_color;
        if (__h_next == __h_gone->_M_right) {
            __h_parent = __h_next;
        } else {
            __h_parent = __h_next->_M_parent;
            __h_parent->_M_left = __h_rest;
            if (__h_rest != 0)
                __h_rest->_M_parent = __h_parent;
            __h_next->_M_right = __h_gone->_M_right;
            __h_next->_M_right->_M_parent = __h_next;
        }
        __h_next->_M_left = __h_gone->_M_left;
        __h_next->_M_left->_M_parent = __h_next;
        __h_whole.__h_replace(__h_gone, __h_next);
        __h_next->_M_parent = __h_gone->_M_parent;
        __h_next->_M_color = __h_gone->_M_color;
    } else {
        __h_rest = __h_gone->_M_left != 0 ? __h_gone->_M_left : __h_gone->_M_right;
        __h_parent = __h_gone->_M_parent;
        if (__h_rest != 0)
            __h_rest->_M_parent = __h_parent;
        // Without children on that side, the neighbour is below on the other side, or above.
        if (__h_header._M_left == __h_gone)
            __h_header._M_left = __h_rest != 0 ? __h_heddle::__h_outermost(__h_rest, true) : __h_parent;
        if (__h_header._M_right == __h_gone)
            __h_header._M_right = __h_rest != 0 ? __h_heddle::__h_outermost(__h_rest, false) : __h_parent;
        __h_whole.__h_replace(__h_gone, __h_rest);
    }
    if (__h_color == _S_black)
        __h_whole.__h_erased(__h_rest, __h_parent);
    return __h_gone;
}

} // namespace std

#endif
#endif
