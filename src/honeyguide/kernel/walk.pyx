# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The walk over the tree of a document: the compiled twin of that in `honeyguide.page.parse`.

The tree is selectolax's. Its nodes are asked for their tags, children and neighbours through the functions behind these
properties: to look a property up by its name takes three times as long as to compute its value.
"""

from cpython.long cimport PyLong_AsLong

from types import GetSetDescriptorType


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
    SKIPPED = 1
    UNSEEN = 2


def walk(top, hidden, const unsigned char[::1] parts not None, int text, int last, int unknown):
    """As `honeyguide.page.parse._walk`, without attributes of other elements than links and images."""
    cdef type kind_of_node = type(top)
    cdef PyGetSetDef* tag_id = behind(kind_of_node, "tag_id")
    cdef PyGetSetDef* first_child = behind(kind_of_node, "first_child")
    cdef PyGetSetDef* next_one = behind(kind_of_node, "next")
    cdef PyGetSetDef* mem_id = behind(kind_of_node, "mem_id")
    cdef list tag = [top.tag_id], parent = [-1], first_piece = [0], last_piece = [0]
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
        if part:
            marked.append((rows, node.attributes))
        if hides and mem_id.get(node, mem_id.closure) in hidden:
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
    return tag, parent, first_piece, last_piece, marked, concealed
