# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over the words of spans: compiled twins of functions in `honeyguide.relevance` and `honeyguide.page.spans`."""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

import numpy as np


def distinct(const int[:, :] spans not None):
    cdef Py_ssize_t count = spans.shape[0], found = 0, span
    cdef uint64_t pair, place, mask = 15
    cdef uint64_t factor = 0x9E3779B97F4A7C15
    while mask < <uint64_t> (2 * count):
        mask = 2 * mask + 1
    which = np.empty(count, np.intp)
    different = np.empty((count, 2), np.int32)
    cdef Py_ssize_t[::1] own = which
    cdef int[:, ::1] kept = different
    # A table with open places: 1 + the number of a span, 0 where there is none.
    cdef uint32_t* table = <uint32_t*> PyMem_Calloc(mask + 1, sizeof(uint32_t))
    if table == NULL:
        raise MemoryError
    for span in range(count):
        pair = (<uint64_t> <uint32_t> spans[span, 0] << 32) | <uint32_t> spans[span, 1]
        place = (pair * factor) >> 32 & mask
        while table[place]:
            if kept[table[place] - 1, 0] == spans[span, 0] and kept[table[place] - 1, 1] == spans[span, 1]:
                break
            place = (place + 1) & mask
        if not table[place]:
            kept[found, 0], kept[found, 1] = spans[span, 0], spans[span, 1]
            found += 1
            table[place] = <uint32_t> found
        own[span] = table[place] - 1
    PyMem_Free(table)
    return different[:found], which


def words_in(const int[:, :] spans not None):
    cdef Py_ssize_t span
    cdef int64_t total = 0
    for span in range(spans.shape[0]):
        total += spans[span, 1] - spans[span, 0]
    return total


cdef inline Py_ssize_t first_from(const Py_ssize_t[::1] position, Py_ssize_t word) noexcept:
    cdef Py_ssize_t low = 0, high = position.shape[0], middle
    while low < high:
        middle = (low + high) >> 1
        if position[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low


def edges_of(const Py_ssize_t[::1] position not None, const int[:, :] spans not None):
    cdef Py_ssize_t count = spans.shape[0], terms = position.shape[0], words, span, word, term = 0
    first, last = np.empty(count, np.intp), np.empty(count, np.intp)
    cdef Py_ssize_t[::1] begins = first, ends = last
    cdef uint32_t* before = NULL
    if terms < 2 * count and terms < 32:  # a search is quicker than a table
        for span in range(count):
            begins[span] = first_from(position, spans[span, 0])
            ends[span] = max(first_from(position, spans[span, 1]), begins[span])
        return first, last
    words = position[terms - 1] + 2 if terms else 1
    before = <uint32_t*> PyMem_Malloc(words * sizeof(uint32_t))
    if before == NULL:
        raise MemoryError
    for word in range(words):  # how many terms come before each word, and before the one after the last term
        while term < terms and position[term] < word:
            term += 1
        before[word] = <uint32_t> term
    for span in range(count):
        begins[span] = before[min(max(spans[span, 0], 0), words - 1)]
        ends[span] = max(<Py_ssize_t> before[min(max(spans[span, 1], 0), words - 1)], begins[span])
    PyMem_Free(before)
    return first, last


def differences(
    const int64_t[::1] weights not None,
    const Py_ssize_t[::1] term not None,
    const Py_ssize_t[::1] first not None,
    const Py_ssize_t[::1] last not None,
    double unit,
):
    cdef Py_ssize_t count = first.shape[0], terms = term.shape[0], place
    found = np.empty(count)
    cdef double[::1] sums = found
    cdef int64_t* before = <int64_t*> PyMem_Malloc((terms + 1) * sizeof(int64_t))
    if before == NULL:
        raise MemoryError
    before[0] = 0
    for place in range(terms):
        before[place + 1] = before[place] + weights[term[place]]
    for place in range(count):
        sums[place] = <double> (before[last[place]] - before[first[place]]) * unit
    PyMem_Free(before)
    return found


cdef int compare(const void* one, const void* other) noexcept nogil:
    cdef Py_ssize_t a = (<const Py_ssize_t*> one)[0], b = (<const Py_ssize_t*> other)[0]
    return (a > b) - (a < b)


cdef inline void sort(Py_ssize_t* values, Py_ssize_t count) noexcept:
    cdef Py_ssize_t place, hole, value
    if count > 64:
        qsort(values, count, sizeof(Py_ssize_t), compare)
        return
    for place in range(1, count):
        value = values[place]
        hole = place
        while hole and values[hole - 1] > value:
            values[hole] = values[hole - 1]
            hole -= 1
        values[hole] = value


def repeats_of(
    const Py_ssize_t[::1] repeated not None,
    const Py_ssize_t[::1] repeated_before not None,
    const Py_ssize_t[::1] earlier not None,
    const Py_ssize_t[::1] term not None,
    const Py_ssize_t[::1] first not None,
    const Py_ssize_t[::1] last not None,
):
    cdef Py_ssize_t spans = first.shape[0], span, place, own, inside, found = 0, room = 256
    cdef Py_ssize_t* again = <Py_ssize_t*> PyMem_Malloc((repeated.shape[0] + 1) * sizeof(Py_ssize_t))
    cdef Py_ssize_t* rows = <Py_ssize_t*> PyMem_Malloc(3 * room * sizeof(Py_ssize_t))
    # Of each term, how often it occurs in a span, less one; there are no more terms than occurrences.
    cdef uint32_t* counts = <uint32_t*> PyMem_Calloc(term.shape[0] + 1, sizeof(uint32_t))
    cdef Py_ssize_t* more
    try:
        if again == NULL or rows == NULL or counts == NULL:
            raise MemoryError
        for span in range(spans):
            inside = 0
            for place in range(repeated_before[first[span]], repeated_before[last[span]]):
                if earlier[repeated[place]] >= first[span]:
                    own = term[repeated[place]]
                    if not counts[own]:
                        again[inside] = own
                        inside += 1
                    counts[own] += 1
            sort(again, inside)
            if found + inside > room:
                room = 2 * (found + inside)
                more = <Py_ssize_t*> PyMem_Realloc(rows, 3 * room * sizeof(Py_ssize_t))
                if more == NULL:
                    raise MemoryError
                rows = more
            for place in range(inside):
                own = again[place]
                rows[3 * found], rows[3 * found + 1], rows[3 * found + 2] = span, own, counts[own] + 1
                counts[own] = 0
                found += 1
        return columns(rows, found)
    finally:
        PyMem_Free(again)
        PyMem_Free(rows)
        PyMem_Free(counts)


cdef tuple columns(const Py_ssize_t* rows, Py_ssize_t count):
    span, term, counts = np.empty(count, np.intp), np.empty(count, np.intp), np.empty(count)
    cdef Py_ssize_t[::1] spans = span, terms = term
    cdef double[::1] found = counts
    cdef Py_ssize_t row
    for row in range(count):
        spans[row], terms[row], found[row] = rows[3 * row], rows[3 * row + 1], <double> rows[3 * row + 2]
    return span, term, counts


def term_places(
    const uint32_t[::1] tokens not None, const unsigned char[::1] is_ending not None, const uint32_t[::1] terms not None
):
    cdef Py_ssize_t words = tokens.shape[0], found = 0, word, low, high, middle, room = 64
    cdef uint32_t token
    cdef Py_ssize_t* places = <Py_ssize_t*> PyMem_Malloc(room * sizeof(Py_ssize_t))
    cdef Py_ssize_t* more
    try:
        if places == NULL:
            raise MemoryError
        for word in range(words):
            token = tokens[word]
            if not is_ending[token & 0xFFFF]:
                continue
            low, high = 0, terms.shape[0]
            while low < high:
                middle = (low + high) >> 1
                if terms[middle] < token:
                    low = middle + 1
                else:
                    high = middle
            if low == terms.shape[0] or terms[low] != token:
                continue
            if found == room:
                room *= 2
                more = <Py_ssize_t*> PyMem_Realloc(places, room * sizeof(Py_ssize_t))
                if more == NULL:
                    raise MemoryError
                places = more
            places[found] = word
            found += 1
        result = np.empty(found, np.intp)
        copy(places, found, result)
        return result
    finally:
        PyMem_Free(places)


cdef int copy(const Py_ssize_t* values, Py_ssize_t count, Py_ssize_t[::1] out) except -1:
    cdef Py_ssize_t place
    for place in range(count):
        out[place] = values[place]
    return 0


cdef enum:
    DIGIT = 11  # bits that are sorted by at a time
    DIGITS = 3


cdef uint64_t* sort_pairs(uint64_t* pairs, uint64_t* other, Py_ssize_t count) noexcept:
    """Sort by the upper 32 bits, from the lowest digit to the highest; returns where the result is."""
    cdef Py_ssize_t place, total, own
    cdef uint32_t starts[DIGITS][1 << DIGIT]
    cdef uint64_t* swapped
    cdef int digit, shift
    memset(starts, 0, sizeof(starts))
    for place in range(count):
        for digit in range(DIGITS):
            starts[digit][pairs[place] >> (32 + DIGIT * digit) & ((1 << DIGIT) - 1)] += 1
    for digit in range(DIGITS):
        total = 0
        for place in range(1 << DIGIT):
            own = starts[digit][place]
            starts[digit][place] = <uint32_t> total
            total += own
        shift = 32 + DIGIT * digit
        for place in range(count):
            own = pairs[place] >> shift & ((1 << DIGIT) - 1)
            other[starts[digit][own]] = pairs[place]
            starts[digit][own] += 1
        swapped = pairs
        pairs = other
        other = swapped
    return pairs


def chains(const uint32_t[::1] tokens not None, const Py_ssize_t[::1] position not None):
    cdef Py_ssize_t count = position.shape[0], place, occurrence, terms = 0
    cdef uint64_t* memory = <uint64_t*> PyMem_Malloc((2 * count + 1) * sizeof(uint64_t))
    cdef uint64_t* pairs
    if memory == NULL:
        raise MemoryError
    term, earlier = np.empty(count, np.intp), np.empty(count, np.intp)
    found, runs = np.empty(count, np.uint32), np.empty(count + 1, np.intp)
    cdef Py_ssize_t[::1] of_term = term, before = earlier, begins = runs
    cdef uint32_t[::1] distinct_tokens = found
    for place in range(count):
        memory[place] = <uint64_t> tokens[position[place]] << 32 | <uint64_t> place
    pairs = sort_pairs(memory, memory + count, count)
    for place in range(count):
        occurrence = pairs[place] & 0xFFFFFFFFU
        if place == 0 or pairs[place] >> 32 != pairs[place - 1] >> 32:
            distinct_tokens[terms] = <uint32_t> (pairs[place] >> 32)
            begins[terms] = place
            terms += 1
            before[occurrence] = -1
        else:
            before[occurrence] = pairs[place - 1] & 0xFFFFFFFFU
        of_term[occurrence] = terms - 1
    begins[terms] = count
    PyMem_Free(memory)
    return found[:terms].copy(), runs[: terms + 1].copy(), term, earlier
