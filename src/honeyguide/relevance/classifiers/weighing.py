"""How much the words, the title and the address of a page, and the topic's own words, count: as much as examples say.

A mixture is a logistic regression on several kinds of vectors, each of which has a share; it may also count how much a
text is like the positive examples, whatever the negative ones are, which are never like all the rest of the web, and
how much it is like the words that describe the topic. No mixture is the best for every topic: titles and addresses
distinguish the home pages of a department, but not its fields of research; a word that occurs thirty times is what one
page is about, and noise on another. So all mixtures are cross-validated, and the model is their mean, weighted by the
probability that each gives to the examples held out: w_m ∝ Π_i p_m(y_i). This is Bayesian model averaging with the
pseudo-likelihood of Geisser and Eddy (1979). With few examples the weights are nearly equal, with many they amount to a
choice.

The negative examples are a few pages, often of the same sites as the positive ones, while a crawl meets pages that are
unlike any example. So each mixture must also call a blank page negative, one that shares no word with the examples or
the topic, as often as there are examples. Without blank pages a mixture seems good that tells the fields of one
department apart and ranks the rest of the web between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit, log_expit, softmax
from sklearn.model_selection import RepeatedStratifiedKFold

from honeyguide.relevance.classifiers.features import Features, count_matrix
from honeyguide.relevance.classifiers.fields import Mixture
from honeyguide.relevance.classifiers.meaning import centred
from honeyguide.relevance.selection import chi_squared, top
from honeyguide.relevance.text import Tokens, counted
from honeyguide.relevance.weighting import Flags, Floats, document_frequencies, inverse_frequencies, tfc

COUNTED, DAMPED, TITLE, ADDRESS, LIKENESS, KEYWORDS = range(6)
"""What a mixture consists of: the words of the text as often as they occur; damped; those of title and address, all as
vectors for a regression; the cosine with the mean of the positive examples; and the square root of the cosine with the
topic's words: a page with twice as many keywords is not twice as likely to be about the topic."""

_NAMED = 0.5  # the length of the vectors of title and address, where those of the text have 1
# The root of the keywords' cosine that counts as much as a standard deviation of a regression. Their own deviation says
# little: among the examples it depends on how many of the negative ones happen to have a keyword.
_DESCRIBED = 0.1
Mixtures = Mapping[str, tuple[float, ...]]
"""The weight of each mixture, by name."""

MIXTURES: Mixtures = {
    f"{words}{names}{like}{topic}": (*of_words, *of_names, of_like, of_topic)
    for topic, of_topic in (("", 0.0), (", keywords", 1.0))
    for like, of_like in (("", 0.0), (", likeness", 1.0))
    for names, of_names in (("", (0.0, 0.0)), (", title, address", (_NAMED, _NAMED)))
    for words, of_words in (("counted", (1.0, 0.0)), ("counted and damped", (1.0, 1.0)), ("damped", (0.0, 1.0)))
}

_FOLDS, _REPEATS, _SEED = 5, 3, 0
_COST = 10.0  # of an error, where the squared length of the coefficients costs a half
_STEPS, _EPSILON = 100, 1e-9
_LEAST = 0.01  # a mixture with less weight is left out, since it costs as much as any other

Numbers = NDArray[np.intp]


class KindVectors(NamedTuple):
    """One kind of vectors, with terms and idf from some of the texts."""

    features: Features
    vectors: csr_array
    """Of all texts, over the terms of the features."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of vectors of some texts: how often each term (column) occurs in each text (row)."""

    counts: csr_array
    terms: Tokens
    language: str
    damped: bool
    most: int = 0
    """The number of terms, those with the largest χ². 0: all."""
    whole_length: bool = False
    """Whether unknown terms add to the length of a vector, as if each occurred in one of the texts."""

    @classmethod
    def of(
        cls, documents: Sequence[Tokens], language: str, *, damped: bool, most: int = 0, whole: bool = False
    ) -> Kind:
        """The kind for some documents, one row for each."""
        counts, terms = count_matrix(documents)
        return cls(counts, terms, language, damped, most, whole)

    def learn(self, rows: Numbers, is_positive: Flags) -> KindVectors:
        """Terms and idf from some of the texts. `is_positive` has one flag for each text."""
        known = self.counts[rows]
        frequencies = document_frequencies(known)
        idf = inverse_frequencies(len(rows), frequencies)
        # A term of all texts is uninformative. Where unknown terms count, it must not count as one of them.
        columns = (frequencies > 0 if self.whole_length else idf > 0).nonzero()[0]
        if self.most:
            best = top(chi_squared(known[:, columns], is_positive[rows]), self.most)
            columns = np.sort(columns[best])
        unknown = float(np.log(len(rows))) if self.whole_length else 0.0
        features = Features(self.language, self.terms[columns], idf[columns], self.damped, unknown=unknown)
        return KindVectors(features, self._vectors(columns, features))

    def _vectors(self, columns: Numbers, features: Features) -> csr_array:
        counts = csr_array(self.counts, dtype=np.float64, copy=True)
        if self.damped:
            counts.data = np.log1p(counts.data)
        weights = np.full(len(self.terms), features.unknown)
        weights[columns] = features.idf
        squares = counts.power(2) @ weights**2
        vectors = csr_array(counts[:, columns])
        vectors.data *= features.idf[vectors.indices]
        factors = np.divide(1.0, np.sqrt(squares), out=np.zeros(len(squares)), where=squares > 0)
        vectors.data *= np.repeat(factors, np.diff(vectors.indptr))
        return vectors


@dataclass(frozen=True, slots=True)
class TermVector:
    """A vector over terms, which are in ascending order. All other terms have the weight 0."""

    terms: Tokens
    weights: Floats

    @classmethod
    def of(cls, tokens: Tokens) -> TermVector:
        """The counts of some tokens, as a vector of length 1, or 0 if there are none."""
        terms, counts = counted(tokens)
        return cls(terms, counts / max(float(np.linalg.norm(counts)), _EPSILON))

    def over(self, terms: Tokens) -> Floats:
        """The weight of each of some terms, which are in ascending order."""
        weights = np.zeros(len(terms))
        _, ours, theirs = np.intersect1d(self.terms, terms, assume_unique=True, return_indices=True)
        weights[theirs] = self.weights[ours]
        return weights


@dataclass(frozen=True, slots=True)
class Mean:
    """The weighted mean of all mixtures."""

    parts: list[tuple[Features, Floats]]
    """For each kind, and for the likeness to examples: features, coefficient of each term."""
    described: tuple[Features, Floats]
    """The words of the topic as a vector of length 1: features, weight of each term."""
    trust: float
    """Factor of the root of the cosine with them; 0 if they do not count."""
    middle: Floats
    """The mean of the directions of the examples; empty if there are none."""
    meaning: Floats
    """The coefficients of a direction minus the middle."""
    intercept: float
    slope: float
    offset: float
    mixtures: list[Mixture]


def weigh(
    kinds: Sequence[Kind],
    is_positive: Flags,
    keywords: TermVector,
    mixtures: Mixtures = MIXTURES,
    directions: Floats | None = None,
) -> Mean:
    """Cross-validate all mixtures, and fit their mean to all texts. Needs two texts on each side.

    Args:
        kinds: The texts as vectors of each kind.
        is_positive: One flag for each text.
        keywords: The words that describe the topic. If they tell no example from another, because there are none or
            because no example has any of them, mixtures with keywords are left out.
        mixtures: What to take the mean of.
        directions: What the texts mean, as rows of length 1. If given, a regression on them is added to each mixture.
    """
    regressions = list(dict.fromkeys(shares[:LIKENESS] for shares in mixtures.values()))
    held_out, blank, owner = _held_out(kinds, is_positive, regressions, directions)
    words = kinds[COUNTED]
    roots = np.sqrt(_units(words.counts) @ keywords.over(words.terms))
    if roots.std() < _EPSILON:
        mixtures = {name: shares for name, shares in mixtures.items() if not shares[KEYWORDS]}
    columns = np.column_stack([held_out, roots[owner]])
    every = np.concatenate([columns, np.column_stack([blank, np.zeros(len(blank))])])
    truth = is_positive[owner]
    is_relevant = np.append(truth, np.zeros(len(blank), np.bool_))
    # Margins and the cosine have different scales: in units of their standard deviation they are comparable.
    scales = np.append(np.maximum(every[:, :-1].std(axis=0), _EPSILON), _DESCRIBED)
    has_meaning = directions is not None
    used = np.array([[*(shares[:LIKENESS] == one for one in regressions), shares[LIKENESS], has_meaning,
                      shares[KEYWORDS]] for shares in mixtures.values()]).T  # fmt: skip
    margins = every / scales @ used
    losses = np.array([_losses(column, is_relevant).mean() for column in margins.T])
    weights = softmax(-losses * len(every) / _REPEATS)
    weights = np.where(weights < _LEAST, 0.0, weights)
    weights /= weights.sum()
    factors = used @ (weights / np.maximum(margins.std(axis=0), _EPSILON)) / scales
    parts, intercept = _fitted(kinds, is_positive, regressions, factors[:-2].tolist())
    middle, meaning = np.zeros(0), np.zeros(0)
    if directions is not None:
        middle, meaning, constant = _regression_on_meaning(directions, is_positive)
        meaning, intercept = factors[-2] * meaning, intercept + factors[-2] * constant
    described = (_cosine_features(words, keywords.terms), keywords.weights)
    slope, offset = fit_sigmoid(columns @ factors, truth, _REPEATS)
    weighed = [
        Mixture(
            f"{name}, embeddings" if has_meaning else name,
            shares[TITLE] > 0,
            shares[LIKENESS] > 0,
            loss,
            weight,
            shares[KEYWORDS] > 0,
        )
        for (name, shares), loss, weight in zip(mixtures.items(), losses.tolist(), weights.tolist(), strict=True)
    ]
    return Mean(parts, described, float(factors[-1]), middle, meaning, intercept, -slope, -offset, weighed)


def _fitted(
    kinds: Sequence[Kind],
    is_positive: Flags,
    regressions: Sequence[Sequence[float]],
    factors: Sequence[float],
) -> tuple[list[tuple[Features, Floats]], float]:
    """Regressions on all texts, and the likeness, each times a factor: the coefficients, and the intercept."""
    rows = np.arange(len(is_positive))
    learnt = [kind.learn(rows, is_positive) for kind in kinds]
    kernels = np.stack([_kernel(one.vectors, rows) for one in learnt])
    coefs = [np.zeros(len(one.features)) for one in learnt]
    intercept = 0.0
    *of_regressions, of_likeness = factors
    for shares, factor in zip(regressions, of_regressions, strict=True):
        if factor:
            dual, constant = _regression(_mixed(kernels, shares), is_positive)
            intercept += factor * constant
            coefs = [
                coef + factor * share**2 * (one.vectors.T @ dual)
                for coef, share, one in zip(coefs, shares, learnt, strict=True)
            ]
    parts = [(one.features, coef) for one, coef in zip(learnt, coefs, strict=True)]
    words = kinds[COUNTED]
    mean = _mean(_units(words.counts), is_positive)
    return [*parts, (_cosine_features(words, words.terms), mean * of_likeness)], intercept


def _cosine_features(words: Kind, terms: Tokens) -> Features:
    """The features of a cosine over some terms. All terms of a text add to its length."""
    return Features(words.language, terms, np.ones(len(terms)), unknown=1.0)


def _held_out(
    kinds: Sequence[Kind], is_positive: Flags, regressions: Sequence[Sequence[float]], directions: Floats | None
) -> tuple[Floats, Floats, Numbers]:
    """The scores of examples by regressions and a mean that were learnt without them, and the example of each row.

    One column per regression, the cosine with the mean, and the regression on directions, 0 without any. The second
    array is what a blank page gets in place of each example. The examples are divided several times, for one division
    is a matter of luck.
    """
    number = min(_FOLDS, int(is_positive.sum()), int((~is_positive).sum()))
    folds = RepeatedStratifiedKFold(n_splits=number, n_repeats=_REPEATS, random_state=_SEED)
    units = _units(kinds[COUNTED].counts)
    blocks, blanks, owners = [], [], []
    for train, test in folds.split(is_positive, is_positive):
        kernels = np.stack([_kernel(kind.learn(train, is_positive).vectors, train) for kind in kinds])
        found, blank = np.zeros((len(test), len(regressions) + 2)), np.zeros(len(regressions) + 2)
        for column, shares in enumerate(regressions):
            kernel = _mixed(kernels, shares)
            dual, intercept = _regression(kernel[train], is_positive[train])
            found[:, column] = kernel[test] @ dual + intercept
            blank[column] = intercept
        found[:, -2] = units[test] @ _mean(units[train], is_positive[train])
        if directions is not None:
            middle, coef, blank[-1] = _regression_on_meaning(directions[train], is_positive[train])
            found[:, -1] = centred(directions[test], middle) @ coef + blank[-1]
        blocks.append(found)
        blanks.append(np.tile(blank, (len(test), 1)))
        owners.append(test)
    return np.concatenate(blocks), np.concatenate(blanks), np.concatenate(owners)


def _regression_on_meaning(directions: Floats, is_positive: Flags) -> tuple[Floats, Floats, float]:
    """Logistic regression on directions less their mean: this mean, the coefficients, and the intercept."""
    middle = directions.mean(axis=0)
    units = centred(directions, middle)
    dual, intercept = _regression(units @ units.T, is_positive)
    return middle, units.T @ dual, intercept


def _units(counts: csr_array) -> csr_array:
    """Counts as vectors of length 1; all terms have the same weight."""
    return tfc(counts, np.ones(counts.shape[1]))


def _mean(units: csr_array, is_positive: Flags) -> Floats:
    mean: Floats = np.asarray(units[is_positive].mean(axis=0)).ravel()
    return mean


def _kernel(vectors: csr_array, rows: Numbers) -> Floats:
    """The products of all vectors with those of some rows."""
    products: Floats = (vectors @ vectors[rows].T).toarray()
    return products


def _mixed(kernels: Floats, shares: Sequence[float]) -> Floats:
    return np.tensordot(np.square(shares), kernels, 1)


def _regression(kernel: Floats, is_positive: Flags) -> tuple[Floats, float]:
    """Logistic regression on vectors of which the products are known: the weight of each vector, and the intercept.

    Both kinds of examples have the same weight in all. There are fewer texts than terms, so the regression is on
    coordinates in the space that the texts span.
    """
    values, axes = np.linalg.eigh(kernel)
    kept = values > 1e-10 * max(float(values[-1]), 1e-10)
    lengths, axes = np.sqrt(values[kept]), axes[:, kept]
    inputs = np.column_stack([axes * lengths, np.ones(len(kernel))])
    weights = len(kernel) / 2 / np.where(is_positive, is_positive.sum(), (~is_positive).sum())
    penalty = np.append(np.full(len(lengths), 1 / _COST), _EPSILON)
    found = _logistic(inputs, is_positive.astype(np.float64), weights, penalty)
    return (axes / lengths) @ found[:-1], float(found[-1])


def _losses(margins: Floats, truth: Flags) -> Floats:
    """-log p(y) of each margin, with the probabilities of a sigmoid that fits them best."""
    slope, offset = fit_sigmoid(margins, truth, _REPEATS)
    log_odds = slope * margins + offset
    losses: Floats = -log_expit(np.where(truth, log_odds, -log_odds))
    return losses


def fit_sigmoid(margins: Floats, truth: Flags, repeats: int = 1) -> tuple[float, float]:
    """Slope and offset of the log odds, as Platt (1999) fits them: to probabilities a little short of certainty.

    These are (yes + 1) / (yes + 2) and 1 / (no + 2), with the numbers of positive and negative examples, each of which
    has `repeats` margins.
    """
    yes, no = truth.sum() / repeats, (~truth).sum() / repeats
    scale = max(float(margins.std()), _EPSILON)
    targets = np.where(truth, (yes + 1) / (yes + 2), 1 / (no + 2))
    inputs = np.column_stack([margins / scale, np.ones(len(margins))])
    slope, offset = _logistic(inputs, targets, np.ones(len(margins)), np.full(2, _EPSILON)).tolist()
    return slope / scale, offset


def _logistic(inputs: Floats, targets: Floats, weights: Floats, penalty: Floats) -> Floats:
    """The b that minimises Σ weight · cross-entropy(target, expit(input · b)) + Σ penalty · b² / 2.

    Newton's method, with shorter steps where a whole one would not help. scikit-learn's solver takes hundreds of small
    products instead, which is slow if several threads share each of them.
    """

    def loss(at: Floats) -> float:
        log_odds = inputs @ at
        return float(weights @ (np.logaddexp(0.0, log_odds) - targets * log_odds) + penalty @ at**2 / 2)

    found = np.zeros(inputs.shape[1])
    now = loss(found)
    for _ in range(_STEPS):
        odds = expit(inputs @ found)
        gradient = inputs.T @ (weights * (odds - targets)) + penalty * found
        curvature = (inputs * (weights * odds * (1 - odds))[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        gain = float(gradient @ step)
        if gain < _EPSILON:
            break
        size = 1.0
        while (after := loss(found - size * step)) > now - size * gain / 4 and size > _EPSILON:
            size /= 2
        found, now = found - size * step, after
    return found
