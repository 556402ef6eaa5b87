# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The words of links, and their scores: compiled twins of functions in `honeyguide.strategy`."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint32_t

import numpy as np


cdef enum:
    ANCHOR_WORDS = 8
    WORDS_BESIDE = 8
    LINK_WORDS = 24
    NUMBERS = 1 << 20


def link_words(
    const uint32_t[::1] numbers not None, const int32_t[:, :] anchors not None, const int32_t[:, :] windows not None
):
    cdef Py_ssize_t links = anchors.shape[0], size = numbers.shape[0], link, place, first, last, begin, end
    cdef int count
    if windows.shape[0] != links or anchors.shape[1] != 2 or windows.shape[1] != 2:
        raise ValueError("not a span for each link")
    found = np.zeros((links, LINK_WORDS), np.uint32)
    cdef uint32_t[:, ::1] words = found
    for link in range(links):
        first, last, begin, end = anchors[link, 0], anchors[link, 1], windows[link, 0], windows[link, 1]
        if not (0 <= begin <= first <= last <= end <= size):
            raise ValueError("not a span of the page")
        count = 0
        for place in range(first, last):
            if numbers[place]:
                words[link, count] = numbers[place]
                count += 1
                if count == ANCHOR_WORDS:
                    break
        count = 0
        for place in range(first - 1, begin - 1, -1):
            if numbers[place]:
                words[link, ANCHOR_WORDS + count] = numbers[place]
                count += 1
                if count == WORDS_BESIDE:
                    break
        count = 0
        for place in range(last, end):
            if numbers[place]:
                words[link, ANCHOR_WORDS + WORDS_BESIDE + count] = numbers[place]
                count += 1
                if count == WORDS_BESIDE:
                    break
    return found


def raw_scores(const uint32_t[:, :] words not None, const double[::1] weights not None):
    cdef Py_ssize_t links = words.shape[0], link
    cdef int column
    cdef double total, count
    if words.shape[1] != LINK_WORDS or weights.shape[0] != NUMBERS:
        raise ValueError("not the words of links, or not a weight for each number")
    found = np.empty((links, 2))
    cdef double[:, ::1] scores = found
    for link in range(links):
        total = count = 0.0
        for column in range(LINK_WORDS):
            total += weights[words[link, column] & (NUMBERS - 1)]  # from a process that has read a page
            count += (words[link, column] & (NUMBERS - 1)) > 0
            if column == ANCHOR_WORDS - 1:
                scores[link, 0] = total / sqrt(count if count > 1.0 else 1.0)
        scores[link, 1] = total / sqrt(count if count > 1.0 else 1.0)
    return found
