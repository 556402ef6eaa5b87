# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words, tokens, digests: compiled twins of functions in `honeyguide.page.words`, `honeyguide.relevance` and
`honeyguide.warc`."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy

import numpy as np


def edges(uint8_t[::1] inside not None, const uint8_t[::1] units not None, apart not None):
    cdef Py_ssize_t size = inside.shape[0], place, count = 0, words, word, joints = 0, piece = 0, room = 64
    cdef Py_ssize_t* seams = <Py_ssize_t*> PyMem_Malloc(room * sizeof(Py_ssize_t))
    cdef Py_ssize_t* more
    cdef uint32_t* changes = <uint32_t*> PyMem_Malloc((size + 1) * sizeof(uint32_t))
    cdef const uint8_t* seam = &units[0]
    cdef const uint8_t* end = seam + size
    try:
        if seams == NULL or changes == NULL:
            raise MemoryError
        while True:
            seam = <const uint8_t*> memchr(seam, 0, end - seam)
            if seam == NULL:
                break
            if piece == room:
                room *= 2
                more = <Py_ssize_t*> PyMem_Realloc(seams, room * sizeof(Py_ssize_t))
                if more == NULL:
                    raise MemoryError
                seams = more
            seams[piece] = seam - &units[0]
            piece += 1
            seam += 1
        joined, words_before = np.empty(piece, np.intp), np.zeros(piece + 2, np.int32)
        joints = join(inside, seams, piece, apart, joined)
        for place in range(1, size):  # without a branch: there is a change at every other character or so
            changes[count] = <uint32_t> place - 1
            count += inside[place] != inside[place - 1]
        words = count // 2
        starts, ends = np.empty(words, np.intp), np.empty(words, np.intp)
        fill(changes, words, starts, ends)
        count_before(starts, seams, piece, words_before)
        return starts, ends, joined[:joints], words_before
    finally:
        PyMem_Free(seams)
        PyMem_Free(changes)


cdef Py_ssize_t join(uint8_t[::1] inside, const Py_ssize_t* seams, Py_ssize_t count, apart, Py_ssize_t[::1] joints):
    """Let words continue across seams; returns how many there are in words."""
    cdef Py_ssize_t seam, place, found = 0
    for seam in range(count):
        place = seams[seam]
        if inside[place - 1] and inside[place + 1] and seam + 1 not in apart:
            joints[found] = place - 1
            found += 1
    for seam in range(found):
        inside[joints[seam] + 1] = 1
    return found


cdef int fill(const uint32_t* changes, Py_ssize_t words, Py_ssize_t[::1] starts, Py_ssize_t[::1] ends) except -1:
    cdef Py_ssize_t word
    for word in range(words):
        starts[word], ends[word] = changes[2 * word], changes[2 * word + 1]
    return 0


cdef int count_before(
    const Py_ssize_t[::1] starts, const Py_ssize_t* seams, Py_ssize_t count, int[::1] before
) except -1:
    cdef Py_ssize_t word = 0, words = starts.shape[0], seam
    for seam in range(count):
        while word < words and starts[word] < seams[seam] - 1:
            word += 1
        before[seam + 1] = <int> word
    before[count + 1] = <int> words
    return 0


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
    which,
    int fewest,
    int bins,
    const uint64_t[::1] factors not None,
):
    """The twin of `_least_hashes`: an empty array if there are too few tokens."""
    cdef Py_ssize_t count = tokens.shape[0], place, kept = 0
    cdef uint64_t value
    cdef uint64_t most = <uint64_t> -1
    cdef const uint8_t[::1] counts = None if which is None else which.view(np.uint8)
    cdef uint32_t* words = <uint32_t*> PyMem_Malloc((count + 1) * sizeof(uint32_t))
    if words == NULL:
        raise MemoryError
    for place in range(count):
        if counts is None or counts[place]:
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


def base32(bytes digest not None):
    cdef const uint8_t* group = digest
    cdef uint64_t bits
    cdef char text[32]
    cdef int place, digit
    if len(digest) != 20:
        raise ValueError(f"{len(digest)} bytes instead of 20")
    for place in range(0, 32, 8):  # of 5 bytes each
        bits = 0
        for digit in range(5):
            bits = bits << 8 | group[digit]
        group += 5
        for digit in range(8):
            text[place + digit] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits >> (35 - 5 * digit) & 31]
    return text[:32].decode("ascii")
