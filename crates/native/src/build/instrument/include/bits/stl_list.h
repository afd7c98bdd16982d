// Found before libstdc++'s own. What links the nodes of std::list lives in libstdc++, which is not instrumented: a thread that inserts while
// another one walks would not be seen. So that part is here as well, and the program's own is used by all of it.
#pragma GCC system_header
#include_next <bits/stl_list.h>
#ifndef HEDDLE_STL_LIST
#define HEDDLE_STL_LIST
#if defined(__GLIBCXX__) && _GLIBCXX_RELEASE < 16

namespace std {
namespace __detail {

__attribute__((weak)) void _List_node_base::_M_hook(_List_node_base *const __h_place) _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__h_previous = __h_place->_M_prev;
    this->_M_prev = __h_previous;
    this->_M_next = __h_place;
    __h_previous->_M_next = this;
    __h_place->_M_prev = this;
}

__attribute__((weak)) void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__h_previous = this->_M_prev, *__h_next = this->_M_next;
    __h_previous->_M_next = __h_next;
    __h_next->_M_prev = __h_previous;
}

// The nodes from `first` to the one before `end` come before this one.
__attribute__((weak)) void _List_node_base::_M_transfer(_List_node_base *const __h_first, _List_node_base *const __h_end) _GLIBCXX_USE_NOEXCEPT
{
    if (this == __h_end || __h_first == __h_end)
        return;
    _List_node_base *__h_last = __h_end->_M_prev, *__h_before = __h_first->_M_prev, *__h_previous = this->_M_prev;
    __h_before->_M_next = __h_end;
    __h_end->_M_prev = __h_before;
    __h_previous->_M_next = __h_first;
    __h_first->_M_prev = __h_previous;
    __h_last->_M_next = this;
    this->_M_prev = __h_last;
}

__attribute__((weak)) void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base *__h_at = this;
    do {
        _List_node_base *__h_next = __h_at->_M_next;
        __h_at->_M_next = __h_at->_M_prev;
        __h_at->_M_prev = __h_next;
        __h_at = __h_next;
    } while (__h_at != this);
}

__attribute__((weak)) void _List_node_base::swap(_List_node_base &__h_one, _List_node_base &__h_other) _GLIBCXX_USE_NOEXCEPT
{
    _List_node_base __h_whole = __h_one;
    bool __h_is_empty = __h_one._M_next == &__h_one, __h_other_is_empty = __h_other._M_next == &__h_other;
    __h_one._M_next = __h_other_is_empty ? &__h_one : __h_other._M_next;
    __h_one._M_prev = __h_other_is_empty ? &__h_one : __h_other._M_prev;
    __h_one._M_next->_M_prev = __h_one._M_prev->_M_next = &__h_one;
    __h_other._M_next = __h_is_empty ? &__h_other : __h_whole._M_next;
    __h_other._M_prev = __h_is_empty ? &__h_other : __h_whole._M_prev;
    __h_other._M_next->_M_prev = __h_other._M_prev->_M_next = &__h_other;
}

} // namespace __detail
} // namespace std

#endif
#endif
