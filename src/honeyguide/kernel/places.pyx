# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Where things are on a page: compiled twins of functions in `honeyguide.page` and `honeyguide.strategy`."""

from cpython.list cimport PyList_GET_ITEM
from cpython.long cimport PyLong_AsLong
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort
from libc.string cimport memset

import numpy as np

cdef enum:
    ANCHOR_WORDS = 8
    WORDS_BESIDE = 8
    LINK_WORDS = 24
    SHIFT = 14

cdef uint32_t FACTOR = 2654435761U
cdef uint32_t NO_TOKEN = 0
cdef int NO_BLOCK = -1
cdef int NOTHING = -1
cdef int MAIN = 0
cdef int LIST = 1
cdef int NAVIGATION = 2
cdef int FOOTER = 4


cdef int* ints(list values) except NULL:
    """The numbers of a list; to be freed."""
    cdef Py_ssize_t count = len(values), place
    cdef int* found = <int*> PyMem_Malloc((count + 1) * sizeof(int))
    if found == NULL:
        raise MemoryError
    for place in range(count):
        found[place] = <int> PyLong_AsLong(<object> PyList_GET_ITEM(values, place))
    return found


cdef list as_list(const int* values, Py_ssize_t count):
    return [values[place] for place in range(count)]


def subtree_ends(list parent not None):
    cdef Py_ssize_t count = len(parent), row
    cdef int* above = ints(parent)
    cdef int* ends = NULL
    try:
        ends = ints(parent)
        for row in range(count):
            ends[row] = <int> row + 1
        for row in range(count - 1, 0, -1):
            if ends[row] > ends[above[row]]:
                ends[above[row]] = ends[row]
        return as_list(ends, count)
    finally:
        PyMem_Free(above)
        PyMem_Free(ends)


def node_spans(list first_piece not None, list last_piece not None, const int[::1] words_before not None):
    cdef Py_ssize_t count = len(first_piece), pieces = words_before.shape[0], row
    cdef long first, last
    found = np.empty((count, 2), np.int32)
    cdef int[:, ::1] spans = found
    for row in range(count):
        first = PyLong_AsLong(<object> PyList_GET_ITEM(first_piece, row))
        last = PyLong_AsLong(<object> PyList_GET_ITEM(last_piece, row))
        # Everything that is computed from spans relies on their being on the page.
        if not (0 <= first < pieces and 0 <= last < pieces):
            raise IndexError("a piece that the text does not have")
        spans[row, 0], spans[row, 1] = words_before[first], words_before[last]
    return found


def links_before_each(list rows not None, Py_ssize_t nodes):
    cdef Py_ssize_t links = len(rows), link = 0, node
    cdef list found = [0] * (nodes + 1)
    for node in range(nodes + 1):
        while link < links and PyLong_AsLong(<object> PyList_GET_ITEM(rows, link)) < node:
            link += 1
        found[node] = link
    return found


def outside_of(const int[:, :] anchors not None, Py_ssize_t words):
    cdef Py_ssize_t link, word
    cdef int is_open = 0
    found = np.empty(words, np.bool_)
    cdef unsigned char[::1] outside = found.view(np.uint8)
    cdef int* change = <int*> PyMem_Calloc(words + 1, sizeof(int))
    if change == NULL:
        raise MemoryError
    for link in range(anchors.shape[0]):
        change[anchors[link, 0]] += 1
        change[anchors[link, 1]] -= 1
    for word in range(words):
        is_open += change[word]
        outside[word] = is_open == 0
    PyMem_Free(change)
    return found


def windows_around(const int[:, :] anchors not None, int before, int after, int words):
    cdef Py_ssize_t count = anchors.shape[0], link
    found = np.empty((count, 2), np.int32)
    cdef int[:, ::1] spans = found
    for link in range(count):
        spans[link, 0] = max(anchors[link, 0] - before, 0)
        spans[link, 1] = min(anchors[link, 1] + after, words)
    return found


def list_of_each(
    list rows not None,
    list parent not None,
    list last_node not None,
    const unsigned char[::1] tag not None,
    list links_before not None,
):
    cdef Py_ssize_t links = len(rows), nodes = len(parent), link
    cdef int item, above, container, child, row
    cdef int counts[256]
    cdef list containers = [], siblings = []
    cdef int* up = NULL
    cdef int* end = NULL
    cdef int* before = NULL
    cdef int* same = NULL  # of each child of a list that contains a link, how many of its siblings have its shape
    cdef unsigned char* is_known = NULL
    try:
        up, end, before = ints(parent), ints(last_node), ints(links_before)
        same = <int*> PyMem_Malloc((nodes + 1) * sizeof(int))
        is_known = <unsigned char*> PyMem_Calloc(nodes + 1, 1)
        if same == NULL or is_known == NULL:
            raise MemoryError
        for link in range(links):
            item = <int> PyLong_AsLong(<object> PyList_GET_ITEM(rows, link))
            while True:
                above = up[item]
                if above < 0 or before[end[above]] - before[above] != 1:
                    break
                item = above
            container = max(above, 0)
            if not is_known[container]:
                is_known[container] = True
                memset(counts, 0, sizeof(counts))
                child = container + 1
                while child < end[container]:
                    if before[end[child]] > before[child]:
                        counts[tag[child]] += 1
                    child = end[child]
                child = container + 1
                while child < end[container]:
                    same[child] = counts[tag[child]]
                    child = end[child]
                if container == 0:
                    same[0] = max(counts[tag[0]], 1)
            containers.append(container)
            siblings.append(same[item])
        return containers, siblings
    finally:
        PyMem_Free(up)
        PyMem_Free(end)
        PyMem_Free(before)
        PyMem_Free(same)
        PyMem_Free(is_known)


def region_of_each(
    const signed char[::1] declaring not None,
    list containers not None,
    list siblings not None,
    list last_node not None,
    list links_before not None,
    const int[:, :] spans not None,
    const int[:, :] anchors not None,
    int heading,
    int words,
    int many,
    double dense,
    double short,
    double foot,
):
    cdef Py_ssize_t links = anchors.shape[0], link, row
    cdef int container, first, last, start, end, inside, region
    cdef int* ends = NULL
    cdef int* before = NULL
    cdef int* anchors_before = NULL
    found = np.empty(links, np.int8)
    cdef signed char[::1] regions = found
    try:
        ends, before = ints(last_node), ints(links_before)
        anchors_before = <int*> PyMem_Malloc((links + 1) * sizeof(int))
        if anchors_before == NULL:
            raise MemoryError
        anchors_before[0] = 0
        for link in range(links):
            anchors_before[link + 1] = anchors_before[link] + anchors[link, 1] - anchors[link, 0]
            regions[link] = NOTHING
        for row in range(declaring.shape[0]):  # descendants come later
            if declaring[row] != NOTHING and before[ends[row]] > before[row]:
                memset(&regions[before[row]], declaring[row], before[ends[row]] - before[row])
        for link in range(links):
            region = regions[link]
            if region > MAIN:
                continue
            container = <int> PyLong_AsLong(<object> PyList_GET_ITEM(containers, link))
            if PyLong_AsLong(<object> PyList_GET_ITEM(siblings, link)) < many:
                regions[link] = MAIN
                continue
            first, last = spans[container, 0], spans[container, 1]
            start, end = before[container], before[ends[container]]
            inside = anchors_before[end] - anchors_before[start]
            if inside < dense * (last - first):
                regions[link] = MAIN
            elif region == MAIN or inside > short * (end - start):
                regions[link] = LIST
            elif container < heading:
                regions[link] = NAVIGATION
            else:
                regions[link] = FOOTER if first >= foot * max(words, 1) else LIST
        return found
    finally:
        PyMem_Free(ends)
        PyMem_Free(before)
        PyMem_Free(anchors_before)


cdef struct Block:
    int first, last, start, stop


cdef int compare(const void* one, const void* other) noexcept nogil:
    cdef const int* a = <const int*> one
    cdef const int* b = <const int*> other
    cdef int place
    for place in range(4):
        if a[place] != b[place]:
            return -1 if a[place] < b[place] else 1
    return 0


cdef inline bint add_block(Block* blocks, Py_ssize_t* count, int first, int last, int start, int stop) noexcept:
    if first < last or start < stop:
        blocks[count[0]] = Block(first, last, start, stop)
        count[0] += 1
    return True


def split_blocks(
    const unsigned char[::1] is_block_tag not None,
    list parent not None,
    list last_node not None,
    list links_before not None,
    list rows not None,
    const int[:, :] spans not None,
    double alpha,
    int k,
):
    cdef Py_ssize_t nodes = len(parent), links = len(rows), waiting = 1, count = 0, place, link
    cdef int node, child, end, height, reached
    cdef bint has_links
    cdef double least
    cdef int* up = NULL
    cdef int* ends = NULL
    cdef int* before = NULL
    cdef int* heights = NULL
    cdef int* queue = NULL
    cdef unsigned char* is_link = NULL
    cdef Block* blocks = NULL
    of_link = np.empty(links, np.int32)
    cdef int[::1] own = of_link
    if not nodes:
        raise IndexError("a page without nodes")
    try:
        up, ends, before = ints(parent), ints(last_node), ints(links_before)
        heights = <int*> PyMem_Calloc(nodes + 1, sizeof(int))
        queue = <int*> PyMem_Malloc((nodes + 1) * sizeof(int))
        is_link = <unsigned char*> PyMem_Calloc(nodes + 1, 1)
        # A split adds at most one run of loose words for each child, and one after the last of them.
        blocks = <Block*> PyMem_Malloc((3 * nodes + 2) * sizeof(Block))
        if heights == NULL or queue == NULL or is_link == NULL or blocks == NULL:
            raise MemoryError
        for node in range(<int> nodes - 1, 0, -1):
            height = heights[node] + is_block_tag[node]
            if height > heights[up[node]]:
                heights[up[node]] = height
        least = max(1.0, alpha * heights[0])
        for link in range(links):
            own[link] = NO_BLOCK
            is_link[PyLong_AsLong(<object> PyList_GET_ITEM(rows, link))] = True
        is_link[0] = False
        queue[0] = 0
        while waiting:
            waiting -= 1
            node = queue[waiting]
            end = ends[node]
            has_links = False
            if heights[node] >= least and not is_link[node]:
                child = node + 1
                while child < end and not has_links:
                    has_links = before[ends[child]] - before[child] >= k
                    child = ends[child]
            if not has_links:
                add_block(blocks, &count, spans[node, 0], spans[node, 1], before[node], before[end])
                continue
            reached = spans[node, 0]
            child = node + 1
            while child < end:
                queue[waiting] = child
                waiting += 1
                add_block(blocks, &count, reached, spans[child, 0], 0, 0)
                reached = spans[child, 1]
                child = ends[child]
            add_block(blocks, &count, reached, spans[node, 1], 0, 0)
        qsort(blocks, count, sizeof(Block), compare)
        found = np.empty((count, 2), np.int32)
        fill_blocks(blocks, count, found, own)
        return found, of_link
    finally:
        PyMem_Free(up)
        PyMem_Free(ends)
        PyMem_Free(before)
        PyMem_Free(heights)
        PyMem_Free(queue)
        PyMem_Free(is_link)
        PyMem_Free(blocks)


cdef int fill_blocks(const Block* blocks, Py_ssize_t count, int[:, ::1] spans, int[::1] of_link) except -1:
    cdef Py_ssize_t place, link
    for place in range(count):
        spans[place, 0], spans[place, 1] = blocks[place].first, blocks[place].last
        for link in range(blocks[place].start, blocks[place].stop):
            of_link[link] = <int> place
    return 0


def headings_above(const unsigned char[::1] levels not None, list rows not None):
    cdef Py_ssize_t nodes = levels.shape[0], links = len(rows), node, link = 0, place
    cdef int found = 0
    cdef int last_of_level[8]
    cdef list heading_rows = [], own_levels = [], above = []
    of_link = np.empty(links, np.int32)
    cdef int[::1] own = of_link
    cdef int level
    for level in range(8):
        last_of_level[level] = -1
    for node in range(nodes):
        level = levels[node]
        if level:
            heading_rows.append(node)
            own_levels.append(level)
            above.append(max(last_of_level[place] for place in range(level)) if level > 1 else -1)
            # The nearest one before it of a lower level is the last of these: what is below it is closed.
            last_of_level[level] = found
            for place in range(level + 1, 8):
                last_of_level[place] = -1
            found += 1
        while link < links and PyLong_AsLong(<object> PyList_GET_ITEM(rows, link)) <= node:
            own[link] = found - 1
            link += 1
    return heading_rows, own_levels, above, of_link


def spans_at(const int[:, :] spans not None, const int[:] which not None, int first, int last):
    cdef Py_ssize_t count = which.shape[0], place
    found = np.empty((count, 2), np.int32)
    cdef int[:, ::1] taken = found
    for place in range(count):
        if which[place] < 0:
            taken[place, 0], taken[place, 1] = first, last
        else:
            taken[place, 0], taken[place, 1] = spans[which[place], 0], spans[which[place], 1]
    return found


def parent_spans(list rows not None, list parent not None, const int[:, :] spans not None):
    cdef Py_ssize_t links = len(rows), link
    cdef long row
    found = np.empty((links, 2), np.int32)
    cdef int[:, ::1] taken = found
    for link in range(links):
        row = PyLong_AsLong(<object> PyList_GET_ITEM(rows, link))
        row = max(PyLong_AsLong(<object> PyList_GET_ITEM(parent, row)), 0)
        taken[link, 0], taken[link, 1] = spans[row, 0], spans[row, 1]
    return found


cdef inline uint32_t word_number(uint32_t token) noexcept:
    cdef uint32_t number = token * FACTOR >> SHIFT
    if token == NO_TOKEN:
        return 0
    return number if number else 1


def words_of_links(
    const uint32_t[:] tokens not None, const int[:, :] anchors not None, const int[:, :] windows not None
):
    cdef Py_ssize_t links = anchors.shape[0], size = tokens.shape[0], link, place, first, last, begin, end
    cdef int count
    cdef uint32_t number
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
            number = word_number(tokens[place])
            if number:
                words[link, count] = number
                count += 1
                if count == ANCHOR_WORDS:
                    break
        count = 0
        for place in range(first - 1, begin - 1, -1):
            number = word_number(tokens[place])
            if number:
                words[link, ANCHOR_WORDS + count] = number
                count += 1
                if count == WORDS_BESIDE:
                    break
        count = 0
        for place in range(last, end):
            number = word_number(tokens[place])
            if number:
                words[link, ANCHOR_WORDS + WORDS_BESIDE + count] = number
                count += 1
                if count == WORDS_BESIDE:
                    break
    return found
