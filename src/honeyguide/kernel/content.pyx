# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Main content: compiled twins of functions in `honeyguide.page.content.features`."""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t

import numpy as np


def shown_blocks(list pieces not None, list edges not None, list first_piece not None, list last_piece not None,
                 list parent not None):
    cdef Py_ssize_t count = len(pieces), first = 0, last, at, row, after = 0, rows = len(first_piece)
    cdef list firsts = [], lasts = [], texts = [], inside = []
    cdef str text
    for edge in edges:
        last = edge
        if last > count:
            break
        if last == first:
            continue
        text = pieces[first] if last == first + 1 else "".join(pieces[first:last])
        if text and not text.isspace():
            at = first
            if last != first + 1:
                while not pieces[at] or (<str> pieces[at]).isspace():
                    at += 1
            while after < rows and <Py_ssize_t> first_piece[after] <= at:
                after += 1
            row = after - 1
            while row > 0 and <Py_ssize_t> last_piece[row] <= at:
                row = parent[row]
            firsts.append(first)
            lasts.append(last)
            texts.append(text)
            inside.append(max(row, 0))
        first = last
    return firsts, lasts, texts, inside


def hints_around(list rows not None, list tag not None, list parent not None, dict attributes not None,
                 const unsigned char[::1] has_most not None, list of_tag not None, int64_t favourable, bits_of):
    """The bits of an element are those of its tag, and of its class names, id and role."""
    cdef Py_ssize_t count = len(tag), row, number, blocks = len(rows)
    cdef int64_t bits
    cdef int64_t* known = <int64_t*> PyMem_Calloc(5 * count + 1, sizeof(int64_t))
    cdef unsigned char* wanted = <unsigned char*> PyMem_Calloc(count + 1, 1)
    cdef dict own
    found = np.empty((blocks, 2), np.int64)
    cdef int64_t[:, ::1] out = found
    cdef int64_t* one
    cdef int64_t* above
    try:
        if known == NULL or wanted == NULL:
            raise MemoryError
        for number in range(blocks):
            row = rows[number]
            while row > 0 and not wanted[row]:
                wanted[row] = 1
                row = parent[row]
        for row in range(1, count):  # parents come before their children
            if not wanted[row]:
                continue
            bits = of_tag[<Py_ssize_t> tag[row]]
            own = attributes.get(row)
            if own is not None:
                names, identity, role = own.get("class"), own.get("id"), own.get("role")
                if names is not None or identity is not None or role is not None:
                    bits |= <int64_t> bits_of(names, identity, role)
            if has_most[row]:
                bits &= favourable
            one, above = known + 5 * row, known + 5 * <Py_ssize_t> parent[row]
            one[0], one[1], one[2], one[3], one[4] = (
                bits, bits | above[0], bits | above[1], bits | above[2], bits | above[4]
            )
        for number in range(blocks):
            one = known + 5 * <Py_ssize_t> rows[number]
            out[number, 0], out[number, 1] = one[3], one[4]
        return found
    finally:
        PyMem_Free(known)
        PyMem_Free(wanted)


def containers_around(list rows not None, list parent not None, const unsigned char[::1] is_container not None):
    cdef Py_ssize_t blocks = len(rows), number, level, row
    found = np.empty((3, blocks), np.intp)
    cdef Py_ssize_t[:, ::1] out = found
    for number in range(blocks):
        row = rows[number]
        for level in range(3):
            while row > 0 and not is_container[row]:
                row = parent[row]
            out[level, number] = row
            if row > 0:
                row = parent[row]
    return found
