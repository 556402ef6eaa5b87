# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What guide remembers of URLs, and what they promise: compiled twins of functions in `honeyguide.strategy.guide`."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

import numpy as np


cdef enum:
    TEXTS = 9
    SCORES = 13
    RELEVANCE = 9
    BEST = 10
    BEST_NEAR = 11
    CASH = 12
    NEAR = 1
    WIDE = 2
    FEATURES = 23
    LINK_WORDS = 24
    ANCHOR_WORDS = 8
    NUMBERS = 1 << 18
    RECENT = 8

cdef double LOW = -3.0
cdef double HIGH = 5.0


cdef packed struct Url:  # `url_rows.URL`
    uint16_t scores[SCORES]
    uint16_t pages
    uint32_t sections[2]
    uint32_t folder
    uint32_t page
    uint8_t gap
    uint8_t region
    int8_t example
    uint8_t sources
    uint16_t words[2]
    uint8_t word_links


# ---- half precision, rounded to nearest, ties to even ----

cdef union Bits:
    uint32_t bits
    float value


cdef inline float from_half(uint16_t half) noexcept nogil:
    cdef Bits found, magic
    cdef uint32_t exponent
    found.bits = (<uint32_t> half & 0x7FFF) << 13
    exponent = found.bits & 0x0F800000
    found.bits += 112 << 23
    if exponent == 0x0F800000:  # infinite, or no number
        found.bits += 112 << 23
    elif exponent == 0:  # subnormal
        magic.bits = 113 << 23
        found.bits += 1 << 23
        found.value -= magic.value
    found.bits |= (<uint32_t> half & 0x8000) << 16
    return found.value


cdef inline uint16_t to_half(float value) noexcept nogil:
    cdef Bits found, magic
    cdef uint32_t sign, half
    found.value = value
    sign = found.bits & <uint32_t> 0x80000000U
    found.bits ^= sign
    if found.bits >= 0x47800000:
        half = 0x7E00 if found.bits > 0x7F800000 else 0x7C00
    elif found.bits < 0x38800000:  # subnormal: the addition rounds
        magic.bits = 126 << 23
        found.value += magic.value
        half = found.bits - magic.bits
    else:
        half = (found.bits + <uint32_t> 0xC8000FFFU + ((found.bits >> 13) & 1)) >> 13
    return <uint16_t> (half | (sign >> 16))


cdef inline float larger(float one, float other) noexcept nogil:
    return one if one >= other or one != one else other


cdef inline float smaller(float one, float other) noexcept nogil:
    return one if one <= other or one != one else other


cdef int check_rows(Py_ssize_t size, Py_ssize_t count) except -1:
    if size != count * <Py_ssize_t> sizeof(Url):
        raise ValueError(f"{size} bytes for the rows of {count} URLs")
    return 0


# ---- words ----

cdef inline int add_words(const uint32_t[:] words, const double[::1] weights, double* scores) noexcept:
    """Compute the raw scores of a link. Returns how many words it has."""
    cdef int column, count = 0
    cdef uint32_t number
    cdef double total = 0.0
    for column in range(LINK_WORDS):
        number = words[column] & (NUMBERS - 1)  # from a process that has read a page
        total += weights[number]
        count += number > 0
        if column == ANCHOR_WORDS - 1:
            scores[0] = total / sqrt(count if count > 1 else 1)
    scores[1] = total / sqrt(count if count > 1 else 1)
    return count


cdef int check_words(const uint32_t[:, :] words, const double[::1] weights) except -1:
    if words.shape[1] != LINK_WORDS or weights.shape[0] != NUMBERS:
        raise ValueError("not the words of links, or not a weight for each number")
    return 0


def raw_scores(const uint32_t[:, :] words not None, const double[::1] weights not None):
    cdef Py_ssize_t links = words.shape[0], link
    check_words(words, weights)
    found = np.empty((links, 2))
    cdef double[:, ::1] scores = found
    for link in range(links):
        add_words(words[link], weights, &scores[link, 0])
    return found


def include_words(
    uint8_t[::1] rows not None,
    const uint32_t[:, :] words not None,
    const double[::1] weights not None,
    const double[:, ::1] scale not None,
    double unit,
):
    cdef Py_ssize_t links = words.shape[0], link
    cdef int score, count
    cdef double raw[2]
    cdef double value
    cdef float mean
    cdef Url* url
    check_rows(rows.shape[0], links)
    check_words(words, weights)
    if scale.shape[0] != 2 or scale.shape[1] != 2:
        raise ValueError("not a mean and a deviation for each score")
    for link in range(links):
        if not add_words(words[link], weights, raw):
            continue
        url = <Url*> &rows[link * sizeof(Url)]
        count = url.word_links + 1 if url.word_links < RECENT else RECENT
        for score in range(2):
            value = (raw[score] - scale[0, score]) / scale[1, score]
            value = LOW if value < LOW else HIGH if value > HIGH else value
            mean = from_half(url.words[score])
            mean += (<float> (value * unit) - mean) / <float> count
            url.words[score] = to_half(mean)
        url.word_links = count


# ---- evidence ----

def add_evidence(
    uint8_t[::1] rows not None,
    const float[:, :] texts not None,
    float outcome,
    float cash,
    int gap,
    const uint8_t[:] regions not None,
    const uint32_t[:] sections not None,
    const int8_t[:] examples not None,
    const uint8_t[:] sources not None,
):
    cdef Py_ssize_t count = texts.shape[0], row
    cdef Url* url
    cdef int score
    cdef float pages, change
    cdef float before[SCORES]
    cdef float after[SCORES]
    # The columns come from a process that has read a page, and might have been harmed by it.
    check_rows(rows.shape[0], count)
    if texts.shape[1] != TEXTS:
        raise ValueError(f"{texts.shape[1]} texts instead of {TEXTS}")
    if not regions.shape[0] == sections.shape[0] == examples.shape[0] == sources.shape[0] == count:
        raise ValueError("columns of different lengths")
    for row in range(count):
        url = <Url*> &rows[row * sizeof(Url)]
        pages = url.pages + 1
        if pages > 0xFFFF:
            pages = 0xFFFF
        url.pages = <uint16_t> pages
        for score in range(SCORES):
            before[score] = from_half(url.scores[score])
        for score in range(TEXTS):
            after[score] = texts[row, score]
        after[RELEVANCE] = after[BEST] = outcome
        after[BEST_NEAR] = after[NEAR]
        after[CASH] = before[CASH] + cash
        for score in range(BEST, SCORES):
            after[score] = larger(after[score], before[score])
        after[CASH] = smaller(after[CASH], 1000.0)
        for score in range(RELEVANCE + 1):
            change = after[score] - before[score]
            if score == RELEVANCE:
                change = from_half(to_half(change))
            after[score] = change / pages + before[score]
        for score in range(SCORES):
            url.scores[score] = to_half(after[score])
        if url.pages == 1:
            url.gap = <uint8_t> gap
            url.region = regions[row]
        elif gap < url.gap:
            url.gap = <uint8_t> gap
        if url.sections[0] == 0:
            url.sections[0] = sections[row]
        elif url.sections[1] == 0:
            url.sections[1] = sections[row]
        url.example = examples[row]
        url.sources |= sources[row]


def section_numbers(const int[:] sections not None, uint32_t first):
    cdef Py_ssize_t count = sections.shape[0], place
    cdef uint32_t number = first
    found = np.empty(count, np.uint32)
    cdef uint32_t[::1] numbers = found
    for place in range(count):
        if place and sections[place] < sections[place - 1]:  # not in the order of the page
            different, which = np.unique(sections, return_inverse=True)
            return (which + first).astype(np.uint32), len(different)
        number += place > 0 and sections[place] != sections[place - 1]
        numbers[place] = number
    return found, <int> (number - first + (count > 0))


def column_sums(const float[:, :] values not None):
    cdef Py_ssize_t row, column
    cdef double value
    sums, squares = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    cdef double[::1] total = sums, total_squares = squares
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            value = values[row, column]
            total[column] += value
            total_squares[column] += value * value
    return sums, squares


def add_outcome(
    double[:, ::1] products not None,
    double[::1] with_outcome not None,
    double[::1] sums not None,
    const double[::1] features not None,
    double outcome,
    double weight,
):
    cdef Py_ssize_t size = features.shape[0], row, column
    cdef double weighted
    if not products.shape[0] == products.shape[1] == with_outcome.shape[0] == sums.shape[0] == size:
        raise ValueError(f"sums of other sizes than {size}")
    for row in range(size):
        weighted = features[row] * weight
        for column in range(size):
            products[row, column] += weighted * features[column]
        with_outcome[row] += weighted * outcome
        sums[row] += weighted


# ---- promises ----

cdef struct Rate:
    const double* sums  # pairs: how many outcomes, and their sum
    Py_ssize_t last  # the row of all numbers beyond the others: nothing
    double weight


cdef inline void add_outcomes(const Rate* rate, Py_ssize_t number, double* outcomes, double* total) noexcept nogil:
    cdef Py_ssize_t row = number if number < rate.last else rate.last
    outcomes[0] += rate.sums[2 * row]
    total[0] += rate.sums[2 * row + 1]


cdef inline double smoothed(const Rate* rate, double outcomes, double total, double usual) noexcept nogil:
    return (total + rate.weight * usual) / (outcomes + rate.weight)


cdef class Learnt:
    """What URLs are judged by at a moment: views of what the queue has learnt so far."""

    cdef const double[::1] means, scales, gaps, depths, log_pages, log_cash
    cdef const double[:, ::1] sections, regions, folders, hosts
    cdef Rate rates[4]
    cdef public double usual
    cdef double unit

    def __init__(self, means, scales, sections, regions, folders, hosts, weights, double unit, tables):
        cdef int kind
        self.means, self.scales = means, scales
        self.sections, self.regions, self.folders, self.hosts = sections, regions, folders, hosts
        self.rates[0].sums, self.rates[0].last = &self.sections[0, 0], self.sections.shape[0] - 1
        self.rates[1].sums, self.rates[1].last = &self.regions[0, 0], self.regions.shape[0] - 1
        self.rates[2].sums, self.rates[2].last = &self.folders[0, 0], self.folders.shape[0] - 1
        self.rates[3].sums, self.rates[3].last = &self.hosts[0, 0], self.hosts.shape[0] - 1
        for kind in range(4):
            self.rates[kind].weight = weights[kind]
        self.unit = unit
        self.gaps, self.depths, self.log_pages, self.log_cash = tables

    cdef void fill(self, const Url* url, Py_ssize_t host, Py_ssize_t depth, double* features) noexcept:
        cdef int score
        cdef double value, wide = 0.0, outcomes, total, relevance
        cdef int kind
        for score in range(TEXTS + 1):
            value = from_half(url.scores[score if score < TEXTS else BEST_NEAR])
            value = (value - self.means[score]) * self.scales[score]
            value = value if value >= -3.0 or value != value else -3.0
            value = value if value <= 5.0 or value != value else 5.0
            if score == WIDE:
                wide = value
            features[score] = value * self.unit
        relevance = from_half(url.scores[RELEVANCE])
        features[TEXTS + 1] = relevance
        features[TEXTS + 2] = from_half(url.scores[BEST])
        features[TEXTS + 3] = self.log_pages[url.pages]
        features[TEXTS + 4] = self.log_cash[url.scores[CASH]]
        outcomes = total = 0.0
        add_outcomes(&self.rates[0], url.sections[0], &outcomes, &total)
        add_outcomes(&self.rates[0], url.sections[1], &outcomes, &total)
        features[TEXTS + 5] = smoothed(&self.rates[0], outcomes, total, self.usual)
        for kind in range(1, 4):
            outcomes = total = 0.0
            add_outcomes(
                &self.rates[kind],
                host * 8 + url.region if kind == 1 else url.folder if kind == 2 else host,
                &outcomes,
                &total,
            )
            features[TEXTS + 5 + kind] = smoothed(&self.rates[kind], outcomes, total, self.usual)
        features[TEXTS + 9] = self.gaps[url.gap]
        wide += 1.0
        features[TEXTS + 10] = sqrt((wide if wide >= 0.0 else 0.0) * relevance) * self.unit
        features[TEXTS + 11] = self.depths[depth if depth < self.depths.shape[0] else self.depths.shape[0] - 1]
        for score in range(2):
            features[TEXTS + 12 + score] = from_half(url.words[score])

    cdef double earned(self, const Url* url, Py_ssize_t host) noexcept:
        cdef double outcomes = 0.0, total = 0.0, siblings, region
        add_outcomes(&self.rates[0], url.sections[0], &outcomes, &total)
        add_outcomes(&self.rates[0], url.sections[1], &outcomes, &total)
        siblings = (total + 1.0) / (outcomes + 1.0)
        outcomes = total = 0.0
        add_outcomes(&self.rates[1], host * 8 + url.region, &outcomes, &total)
        region = (total + 1.0) / (outcomes + 1.0)
        return siblings if siblings <= region else region

    def features(self, const uint8_t[::1] rows not None, const Py_ssize_t[:] host, const Py_ssize_t[:] depth):
        """One row per URL, one column per feature."""
        cdef Py_ssize_t count = host.shape[0], row
        check_rows(rows.shape[0], count)
        found = np.empty((count, FEATURES))
        cdef double[:, ::1] features = found
        for row in range(count):
            self.fill(<const Url*> &rows[row * sizeof(Url)], host[row], depth[row], &features[row, 0])
        return found

    def promises(
        self,
        const uint8_t[::1] rows not None,
        const Py_ssize_t[:] host not None,
        const Py_ssize_t[:] depth not None,
        const double[::1] weights not None,
        double offset,
        const double[::1] centre,
        const double[:, :] root,
        double boldness,
        double known,
        double trust,
        int by_example,
        int directory,
    ):
        """One promise per URL. Without a `centre` there was no outcome yet, and nothing is uncertain."""
        cdef Py_ssize_t count = host.shape[0], row, i, j
        cdef double promise, squares, apart, most
        cdef double features[FEATURES]
        cdef double parts[FEATURES]
        cdef double turned[FEATURES][FEATURES]  # so that a compiler can work on several columns at once
        cdef bint is_uncertain = centre is not None
        cdef const Url* url
        check_rows(rows.shape[0], count)
        found = np.empty(count)
        cdef double[::1] promises = found
        if is_uncertain:
            for j in range(FEATURES):
                for i in range(FEATURES):
                    turned[i][j] = root[j, i]
        for row in range(count):
            url = <const Url*> &rows[row * sizeof(Url)]
            self.fill(url, host[row], depth[row], features)
            promise = 0.0
            for i in range(FEATURES):
                promise += features[i] * weights[i]
            promise += offset
            if is_uncertain:
                for j in range(FEATURES):
                    parts[j] = 0.0
                for i in range(FEATURES):
                    apart = features[i] - centre[i]
                    for j in range(FEATURES):
                        parts[j] += apart * turned[i][j]
                squares = 0.0
                for j in range(FEATURES):
                    squares += parts[j] * parts[j]
                promise += boldness * sqrt(squares)
            if url.example:
                promise -= (1.0 - known) * fabs(promise)
            if url.sources == by_example:
                promise -= (1.0 - trust) * fabs(promise)
            if url.region == directory and url.pages <= 2:
                most = self.earned(url, host[row])
                promise = promise if promise <= most else most
            promises[row] = promise
        return found
