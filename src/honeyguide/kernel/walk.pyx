# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Reading a document: compiled twins of functions in `honeyguide.page.limits`, `walk` and `parse`.

The tree is selectolax's. Its nodes are asked for their tags, children and neighbours through the functions behind these
properties: to look a property up by its name takes three times as long as to compute its value.
"""

from cpython.long cimport PyLong_AsLong
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.string cimport memchr, memcmp

from types import GetSetDescriptorType

import numpy as np


cdef extern from *:
    """
    #include <string.h>

    /* As GNU's memmem, which is not to be had everywhere. */
    static const char *find_bytes(const char *text, size_t size, const char *what, size_t length) {
        const char *end = text + size;
        while ((size_t) (end - text) >= length && (text = memchr(text, what[0], end - text - length + 1))) {
            if (!memcmp(text, what, length)) return text;
            text++;
        }
        return NULL;
    }
    """
    const char* find_bytes(const char* text, size_t size, const char* what, size_t length)


cdef extern from "Python.h":
    ctypedef object (*getter)(object, void*)

    ctypedef struct PyGetSetDef:
        getter get
        void* closure

    ctypedef struct PyGetSetDescrObject:
        PyGetSetDef* d_getset


cdef PyGetSetDef* behind(type kind, str name) except NULL:
    """The function behind a property of objects that are implemented in C."""
    descriptor = kind.__dict__[name]
    if not isinstance(descriptor, GetSetDescriptorType):
        raise TypeError(f"{name} of {kind.__name__} is not implemented in C")
    return (<PyGetSetDescrObject*> descriptor).d_getset  # lives as long as its type


cdef enum:
    LESS = 60  # "<"
    SKIPPED = 1
    UNSEEN = 2


def walk(top, bint styled, hidden, unshown, const unsigned char[::1] parts not None, int text, int last, int unknown):
    """As `honeyguide.page.walk._plain_walk`, with what it looks up: `hidden` nodes, or what in a style is `unshown`."""
    cdef type kind_of_node = type(top)
    cdef PyGetSetDef* tag_id = behind(kind_of_node, "tag_id")
    cdef PyGetSetDef* first_child = behind(kind_of_node, "first_child")
    cdef PyGetSetDef* next_one = behind(kind_of_node, "next")
    cdef PyGetSetDef* mem_id = behind(kind_of_node, "mem_id")
    cdef PyGetSetDef* all_attributes = behind(kind_of_node, "attributes")
    cdef list tag = [top.tag_id], parent = [-1], first_piece = [0], last_piece = [0]
    cdef dict own = top.attributes if styled else {}
    cdef dict attributes = {0: own} if own else {}
    cdef list marked = [], concealed = [], above = []
    cdef Py_ssize_t row = 0, rows = 1, pieces = 0
    cdef long kind
    cdef int part
    cdef bint hides = bool(hidden)
    node = top.first_child
    while True:
        if node is None:
            last_piece[row] = pieces
            row = parent[row]
            if row < 0:
                break
            node = next_one.get(above.pop(), next_one.closure)
            continue
        kind = PyLong_AsLong(tag_id.get(node, tag_id.closure))
        if kind == text:
            pieces += 1
            node = next_one.get(node, next_one.closure)
            continue
        if kind > last:
            kind = unknown
        part = parts[kind]
        if part == SKIPPED:
            node = next_one.get(node, next_one.closure)
            continue
        if part == UNSEEN:
            unseen = node
            node = next_one.get(node, next_one.closure)
            unseen.decompose(recursive=False)
            continue
        if part or styled:
            own = all_attributes.get(node, all_attributes.closure)
        if part:
            marked.append((rows, own))
        if styled:
            if own:
                attributes[rows] = own
                if "hidden" in own or ("style" in own and unshown(own["style"] or "")):
                    concealed.append(rows)
        elif hides and mem_id.get(node, mem_id.closure) in hidden:
            concealed.append(rows)
        tag.append(kind)
        parent.append(row)
        first_piece.append(pieces)
        child = first_child.get(node, first_child.closure)
        if child is not None and PyLong_AsLong(tag_id.get(child, tag_id.closure)) == text:  # most have no other child
            pieces += 1
            child = next_one.get(child, next_one.closure)
        last_piece.append(pieces)
        rows += 1
        if child is None:
            node = next_one.get(node, next_one.closure)
        else:
            above.append(node)
            row = rows - 1
            node = child
    return tag, parent, first_piece, last_piece, attributes, marked, concealed


def renumbered(list pieces not None, list shown not None):
    cdef Py_ssize_t count = len(shown), number, before = 0
    cdef list numbers = [0] * (count + 1), found = []
    for number in range(count):
        before += 1 if shown[number] else 0
        numbers[number + 1] = before
    for piece in pieces:
        found.append(numbers[<Py_ssize_t> piece])
    return found


def tag_places(bytes html not None):
    cdef const char* begin = html
    cdef const char* end = begin + len(html)
    cdef const char* place = begin
    cdef const char* script_end
    cdef Py_ssize_t count = 0, number, room = 1024
    cdef Py_ssize_t* more
    cdef Py_ssize_t* found = <Py_ssize_t*> PyMem_Malloc(room * sizeof(Py_ssize_t))
    cdef Py_ssize_t[::1] out
    cdef bint is_script_closed = True
    try:
        if found == NULL:
            raise MemoryError
        while True:
            place = <const char*> memchr(place, LESS, end - place)
            if place == NULL:
                break
            if count == room:
                room *= 2
                more = <Py_ssize_t*> PyMem_Realloc(found, room * sizeof(Py_ssize_t))
                if more == NULL:
                    raise MemoryError
                found = more
            found[count] = place - begin
            count += 1
            if is_script_closed and end - place >= 7 and memcmp(place, b"<script", 7) == 0:
                script_end = find_bytes(place, end - place, b"</script", 8)
                is_script_closed = script_end != NULL
                if is_script_closed:
                    place = script_end
                    continue
            place += 1
        places = np.empty(count, np.intp)
        out = places
        for number in range(count):
            out[number] = found[number]
        return places
    finally:
        PyMem_Free(found)
