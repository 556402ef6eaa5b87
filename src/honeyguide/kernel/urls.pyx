# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Joining plain links: compiled twins of functions in `honeyguide.page.url`."""

from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp, memcpy


cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(str text)
    void* PyUnicode_DATA(str text)
    Py_ssize_t PyUnicode_GET_LENGTH(str text)
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 largest)


cdef enum:
    FAST_LENGTH = 4096
    ORIGIN_LENGTH = 270

cdef uint8_t is_plain[256]
cdef int _character
for _character in bytearray(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'*+,=:@/"):
    is_plain[_character] = 1


cdef inline bint starts_with(const uint8_t* text, Py_ssize_t size, const char* start, Py_ssize_t length) noexcept:
    return size >= length and memcmp(text, start, length) == 0


def plain_join(str origin not None, str directory not None, str href not None, origins):
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(href), own = PyUnicode_GET_LENGTH(origin), skipped = 0, place, length
    cdef const uint8_t* text
    cdef const uint8_t* slash
    cdef uint8_t* target
    cdef str start = origin, joined
    if not 0 < size <= FAST_LENGTH or not PyUnicode_IS_COMPACT_ASCII(href):
        return None
    text = <const uint8_t*> PyUnicode_DATA(href)
    if text[0] == b"/":
        if size > 1 and text[1] == b"/":
            return None
    elif size > own and text[own] == b"/" and memcmp(text, PyUnicode_DATA(origin), own) == 0:
        skipped = own
    elif starts_with(text, size, b"http://", 7) or starts_with(text, size, b"https://", 8):
        length = (size if size < ORIGIN_LENGTH else ORIGIN_LENGTH) - 8
        slash = <const uint8_t*> memchr(text + 8, b"/", length) if length > 0 else NULL
        if slash == NULL:
            return None
        skipped = slash - text
        start = origins(href[:skipped])
        if not start:
            return None
    else:
        if text[0] == b".":
            return None
        for place in range(size):
            if text[place] == b"/":
                break
            if text[place] == b":":
                return None
        start = directory
    for place in range(skipped, size):
        if not is_plain[text[place]] or (text[place] == b"." and place > skipped and text[place - 1] == b"/"):
            return None
    if not PyUnicode_IS_COMPACT_ASCII(start):
        return None
    length = PyUnicode_GET_LENGTH(start)
    joined = PyUnicode_New(length + size - skipped, 127)
    target = <uint8_t*> PyUnicode_DATA(joined)
    memcpy(target, PyUnicode_DATA(start), length)
    memcpy(target + length, text + skipped, size - skipped)
    return joined
