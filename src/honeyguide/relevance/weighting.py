"""Term weighting: the schemes of the papers, from counts in a document to weights.

Documents are the rows of a sparse matrix, terms its columns, and its values count how often a term occurs. Statistics
of the collection are passed as one array, `inverse_frequencies(N, n)`, and never computed from the rows that are
weighted: a caller that stores this array weights later texts in the same way as earlier ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def document_frequencies(counts: csr_array) -> NDArray[np.int64]:
    """n_i: in how many rows each term occurs. A stored zero is not an occurrence."""
    occurring = counts.indices[counts.data > 0]
    return np.bincount(occurring, minlength=counts.shape[1]).astype(np.int64)


def inverse_frequencies(documents: float, frequencies: NDArray[np.number]) -> Floats:
    """log(N/n_i), the natural logarithm; 0 for a term that does not occur, since nothing is known about it."""
    n = np.asarray(frequencies, np.float64)
    return np.log(np.divide(documents, n, out=np.ones(len(n)), where=n > 0))


def tf_idf(counts: csr_array, idf: Floats) -> csr_array:
    """f_ki · log(N/n_i): the weights that OTIE's classifiers are trained on (spec, section 3)."""
    weighted = csr_array(counts, dtype=np.float64, copy=True)
    weighted.data *= idf[weighted.indices]
    return weighted


def tfc(counts: csr_array, idf: Floats) -> csr_array:
    """f_ki · log(N/n_i), each row of length 1 (000, equation 3). A row without any weight stays zero."""
    return _of_length_one(tf_idf(counts, idf))


def tfipndf(counts: csr_array, is_positive: Flags, idf: Floats) -> csr_array:
    """Training rows: f_ki · share_i · log(N/n_i), each of length 1 (000, equations 1 and 2).

    In a positive row share_i is P_i/S_P, the share of the positive rows that have the term; in a negative row it is
    N_i/S_N, the same for the negative rows. Weighting a row takes its label, so documents to be judged are weighted by
    `tfc`.
    """
    shares = np.stack([_shares(counts[~is_positive]), _shares(counts[is_positive])])
    weighted = tf_idf(counts, idf)
    owner = np.repeat(is_positive.astype(np.intp), np.diff(weighted.indptr))
    weighted.data *= shares[owner, weighted.indices]
    return _of_length_one(weighted)


def _shares(counts: csr_array) -> Floats:
    shares: Floats = document_frequencies(counts) / max(counts.shape[0], 1)
    return shares


def _of_length_one(weighted: csr_array) -> csr_array:
    """Each row divided by its length, in place."""
    lengths = np.sqrt(weighted.power(2).sum(axis=1))
    factors = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    weighted.data *= np.repeat(factors, np.diff(weighted.indptr))
    return weighted
