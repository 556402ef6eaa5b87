# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The order of waiting URLs, and sums over what they promise: compiled twins of functions in `honeyguide.frontier`."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy


cdef enum:
    NUMBER_BITS = 32
    SHIFT = 44  # `promise_histogram._SHIFT`
    HALF = 1 << 19  # half of the bins


cdef inline int64_t ordered(double priority) noexcept nogil:
    """The bits of a double as an integer that sorts like the double itself."""
    cdef int64_t bits
    memcpy(&bits, &priority, sizeof(bits))
    return bits if bits >= 0 else (<int64_t> 1 << 63) - bits


def sort_key(double priority, number):
    return (<object> -ordered(priority) << NUMBER_BITS) | number


def sort_keys(priorities, numbers):
    cdef double priority
    return [(<object> -ordered(priority) << NUMBER_BITS) | number for priority, number in zip(priorities, numbers, strict=True)]


def index(double promise):
    return (ordered(promise) >> SHIFT) + HALF


def highest(const int32_t[::1] counts not None, const double[::1] values not None, double most):
    cdef Py_ssize_t place = counts.shape[0]
    cdef double found = 0.0, after, total = 0.0
    if values.shape[0] != place:
        raise ValueError(f"{values.shape[0]} values for {place} counts")
    while place and found < most:
        place -= 1
        if counts[place]:
            after = found + counts[place]
            if after > most:
                after = most
            total += (after - found) * values[place]
            found = after
    return found, total
