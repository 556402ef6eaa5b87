# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words and tokens: compiled twins of functions in `honeyguide.page.words` and `honeyguide.relevance`."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np


def edges(uint8_t[::1] inside not None, const uint8_t[::1] units not None, apart not None):
    cdef Py_ssize_t size = inside.shape[0], place, words = 0, seams = 0, joints = 0, piece = 0
    cdef uint8_t was = 0
    # At most every other character begins a word.
    starts, ends = np.empty(size // 2 + 1, np.intp), np.empty(size // 2 + 1, np.intp)
    cdef Py_ssize_t[::1] begins = starts, stops = ends
    for place in range(size):
        if units[place] == 0:
            seams += 1
    joined, words_before = np.empty(seams, np.intp), np.zeros(seams + 2, np.int32)
    cdef Py_ssize_t[::1] at = joined
    cdef int[::1] before = words_before
    for place in range(1, size):
        if units[place] == 0:
            piece += 1
            before[piece] = <int> words
            if was and inside[place + 1] and piece not in apart:
                inside[place] = 1
                at[joints] = place - 1
                joints += 1
        if inside[place] != was:
            if was:
                stops[words - 1] = place - 1
            else:
                begins[words] = place - 1
                words += 1
            was = inside[place]
    before[seams + 1] = <int> words
    return starts[:words].copy(), ends[:words].copy(), joined[:joints], words_before


def latin_keys(
    const uint8_t[::1] units not None,
    const Py_ssize_t[::1] starts not None,
    const Py_ssize_t[::1] ends not None,
    uint64_t factor,
    uint64_t mixer,
):
    cdef Py_ssize_t count = starts.shape[0], word, length
    cdef uint64_t first, second, key
    found = np.empty(count, np.uint64)
    cdef uint64_t[::1] keys = found
    for word in range(count):
        length = ends[word] - starts[word]
        if length > 16:
            keys[word] = 0
            continue
        # There are 16 characters after the last word, and one before the first.
        memcpy(&first, &units[starts[word] + 1], 8)
        second = 0
        if length > 8:
            memcpy(&second, &units[starts[word] + 9], 8)
            if length < 16:
                second &= (<uint64_t> 1 << (8 * (length - 8))) - 1
        elif length < 8:
            first &= (<uint64_t> 1 << (8 * length)) - 1
        key = first * factor
        key ^= key >> 32
        key *= mixer
        key ^= key >> 29
        keys[word] = (key ^ second) * factor
    return found


def look_up(const uint64_t[:, ::1] rows not None, const uint64_t[::1] keys not None, int shift):
    cdef Py_ssize_t count = keys.shape[0], word, missing = 0
    cdef uint64_t place
    tokens, unknown = np.empty(count, np.uint32), np.empty(count, np.intp)
    cdef uint32_t[::1] found = tokens
    cdef Py_ssize_t[::1] missed = unknown
    for word in range(count):
        place = keys[word] >> shift
        found[word] = <uint32_t> rows[place, 1]
        if rows[place, 0] != keys[word]:
            missed[missing] = word
            missing += 1
    return tokens, unknown[:missing].copy()


def least_hashes(
    const uint32_t[::1] tokens not None,
    int fewest,
    int bins,
    const uint64_t[::1] factors not None,
):
    """The twin of `_least_hashes`: an empty array if there are too few tokens."""
    cdef Py_ssize_t count = tokens.shape[0], place, kept = 0
    cdef uint64_t value
    cdef uint64_t most = <uint64_t> -1
    cdef uint32_t* words = <uint32_t*> PyMem_Malloc((count + 1) * sizeof(uint32_t))
    if words == NULL:
        raise MemoryError
    for place in range(count):
        words[kept] = tokens[place]
        kept += tokens[place] != 0
    found = np.full(bins if kept >= fewest else 0, most, np.uint64)
    cdef uint64_t[::1] least = found
    if kept >= fewest:
        for place in range(kept - 2):
            value = words[place] * factors[0] ^ words[place + 1] * factors[1] ^ words[place + 2] * factors[2]
            value ^= value >> 31
            value *= <uint64_t> 0xBF58476D1CE4E5B9
            value ^= value >> 27
            value *= <uint64_t> 0x94D049BB133111EB
            value ^= value >> 31
            if value < least[value >> 59]:
                least[value >> 59] = value
    PyMem_Free(words)
    return found
