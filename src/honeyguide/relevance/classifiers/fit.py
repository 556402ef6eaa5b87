"""Fitting: from examples (the tokens of each, as stems) to models, with the settings of the papers.

scikit-learn finds the weights; `Linear`, `Neural` and the like are stored and used for scoring.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC

from honeyguide.relevance.classifiers.backprop import EPOCHS, MOMENTUM, RATE, fit_layers
from honeyguide.relevance.classifiers.bayes import KernelBayes
from honeyguide.relevance.classifiers.features import Features, count_matrix, learn_features
from honeyguide.relevance.classifiers.fields import FieldPart, Fields, address_of, title_of
from honeyguide.relevance.classifiers.linear import Linear, LinearVote
from honeyguide.relevance.classifiers.meaning import MeaningPart, Meanings
from honeyguide.relevance.classifiers.neural import Neural
from honeyguide.relevance.classifiers.rbf import Rbf
from honeyguide.relevance.classifiers.vote import Vote
from honeyguide.relevance.classifiers.weighing import MIXTURES, Kind, Mixtures, TermVector, weigh
from honeyguide.relevance.pu.oneclass import OneClassSVM
from honeyguide.relevance.pu.wvc import PEBL, WVC
from honeyguide.relevance.selection import chi_squared, information_gain
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.relevance.weighting import Flags, Floats

Documents = Sequence[Tokens]

CHI_SQUARED_TERMS = 2000  # 001
GAIN_TERMS = 500  # 003

_FOLDS = 5
_MANY_DOCUMENTS = 200
_SEED = 0
# 001 gives the rate, the epochs and the share for validation, which are Weka's defaults; so is the momentum. Weka
# learns from one text at a time; batches of eight do as well, in an eighth of the time.
_PERCEPTRON: dict[str, Any] = {
    "activation": "logistic",
    "solver": "sgd",
    "learning_rate_init": RATE,
    "momentum": MOMENTUM,
    "nesterovs_momentum": False,
    "max_iter": EPOCHS,
    "alpha": 0.0,
    "tol": 0.0,
    "n_iter_no_change": 100,
    "random_state": _SEED,
}
_BATCH = 8
_VALIDATION = 0.3
_COSTS, _GAMMAS = (1.0, 10.0, 100.0), (0.1, 0.3, 1.0, 3.0)  # vectors of length 1 are at most √2 apart
_FEWEST_TO_VALIDATE = 20  # with fewer texts, the share for validation would be too small


def fit_svm(positive: Documents, negative: Documents, language: str, threshold: float, *, unit: bool = True) -> Linear:
    """A linear SVM on the 2,000 best terms by χ², with a calibrated probability (001: guides the crawl)."""
    features, vectors, is_positive = _selected(positive, negative, language, unit=unit)
    return _svm(features, vectors, is_positive, threshold)


def fit_fields(
    positive: Sequence[Text],
    negative: Sequence[Text],
    language: str,
    threshold: float,
    mixtures: Mixtures = MIXTURES,
    keywords: Text | None = None,
    *,
    embeddings: bool = False,
) -> Fields:
    """The mean of logistic regressions on text, title and address, weighed by the examples (`weighing`).

    The `keywords` are the words that describe the topic, if there are any. With `embeddings` the meaning of the text
    counts, too (`meaning`).
    """
    tokenizer = Tokenizer(language)
    texts, is_positive = [*positive, *negative], np.arange(len(positive) + len(negative)) < len(positive)
    words, titles, addresses = (
        [text.tokens(tokenizer) for text in field]
        for field in (texts, [title_of(text) for text in texts], [address_of(text) for text in texts])
    )
    kinds = [
        Kind.of(words, language, damped=False, most=CHI_SQUARED_TERMS),
        Kind.of(words, language, damped=True),
        Kind.of(titles, language, damped=True, whole=True),
        Kind.of(addresses, language, damped=True, whole=True),
    ]
    topic = TermVector.of((keywords or Text.of()).tokens(tokenizer))
    meanings = Meanings(language) if embeddings else None
    mean = weigh(kinds, is_positive, topic, mixtures, meanings.of_whole(texts) if meanings else None)
    counted, damped, title, address, likeness = (FieldPart(*part) for part in mean.parts)
    # Scoring every part of a page takes time: parts without weight are left out.
    text, *more = [part for part in (damped, counted, likeness) if part.coef.any()] or [damped]
    described = FieldPart(*mean.described) if len(topic.terms) else None
    return Fields(
        text,
        title,
        address,
        *(mean.intercept, mean.slope, mean.offset, threshold),
        more_text=more,
        mixtures=mean.mixtures,
        described=described,
        trust=mean.trust,
        meaning=MeaningPart(language, mean.middle, mean.meaning, meanings.digest) if meanings else None,
    )


def fit_bayes(
    positive: Documents, negative: Documents, language: str, threshold: float, *, unit: bool = True
) -> KernelBayes:
    """Naive Bayes with kernel densities, on the same terms as `fit_svm` (001)."""
    features, vectors, is_positive = _selected(positive, negative, language, unit=unit)
    return _bayes(features, vectors, is_positive, threshold)


def fit_neural(
    positive: Documents,
    negative: Documents,
    language: str,
    threshold: float,
    terms: int = GAIN_TERMS,
    normalise: bool = True,
) -> Neural:
    """A perceptron on the best terms by information gain, with a fifth as many hidden nodes (003), as Weka trains it.

    No examples are held out for validation. If `normalise`, the weights of each term are scaled to [-1, 1] on the
    examples, as Weka does: x' = (x - middle) / half. The scale becomes part of the weights, w/half, and of the bias,
    bias - w · middle/half.
    """
    documents, is_positive = _labelled(positive, negative)
    features, vectors = learn_features(documents, is_positive, language, information_gain, terms)
    inputs = _dense(vectors)
    middle, factors = _scale(inputs) if normalise else (np.zeros(len(features)), np.ones(len(features)))
    layers = fit_layers((inputs - middle) * factors, is_positive, max(1, round(0.2 * len(features))))
    hidden = layers.hidden * factors[:, None]
    return Neural(
        features, hidden, layers.hidden_bias - middle @ hidden, layers.out, float(layers.out_bias[0]), threshold
    )


def _scale(inputs: Floats) -> tuple[Floats, Floats]:
    """The middle of each column, and the factor that scales it to [-1, 1]; 0 for a constant, which is uninformative."""
    low, high = inputs.min(axis=0), inputs.max(axis=0)
    half = (high - low) / 2
    return (high + low) / 2, np.divide(1.0, half, out=np.zeros(len(half)), where=half > 0)


def fit_vote(positive: Documents, negative: Documents, language: str, threshold: float, *, unit: bool = True) -> Vote:
    """Two of three: SVM, naive Bayes and a perceptron with four hidden nodes (001: the judge)."""
    features, vectors, is_positive = _selected(positive, negative, language, unit=unit)
    return Vote(
        [
            _svm(features, vectors, is_positive, threshold),
            _bayes(features, vectors, is_positive, threshold),
            _neural(features, vectors, is_positive, 4, threshold),
        ],
        threshold,
    )


def fit_rbf(
    positive: Documents, negative: Documents, language: str, threshold: float, cost: float = 0.0, gamma: float = 0.0
) -> Rbf:
    """An SVM with an RBF kernel on the same terms as `fit_svm` (002: a baseline).

    A cost or gamma of 0 is chosen by cross-validation ("determined experimentally" in the paper): the pair with the
    best average precision on texts that were held out, the smallest of equally good ones.
    """
    features, vectors, is_positive = _selected(positive, negative, language)
    pairs = list(product([cost] if cost else _COSTS, [gamma] if gamma else _GAMMAS))
    machines = [SVC(kernel="rbf", C=cost, gamma=gamma) for cost, gamma in pairs]
    if len(machines) > 1:
        machines.sort(key=lambda svm: -_held_out_precision(svm, vectors, is_positive))
    calibrated = _calibrated(machines[0], vectors, is_positive)
    svm = calibrated.estimator
    slope, offset = _sigmoid(calibrated)
    return Rbf(
        features,
        _dense(svm.support_vectors_),
        _dense(svm.dual_coef_)[0],
        float(svm.intercept_[0]),
        float(svm.gamma),
        slope,
        offset,
        threshold,
    )


def _held_out_precision(svm: SVC, vectors: csr_array, is_positive: Flags) -> float:
    """Average precision of the margins that texts get from SVMs that were not trained on them."""
    margins = cross_val_predict(svm, vectors, is_positive, cv=_folds(is_positive), method="decision_function")
    return float(average_precision_score(is_positive, margins))


def fit_wvc(positive: Documents, unlabelled: Documents, language: str, threshold: float) -> LinearVote:
    """The weighted voting classifier on TFIPNDF (000)."""
    return _pu(WVC(min_count=_fewest(positive, unlabelled)), positive, unlabelled, language, threshold)


def fit_votes(positive: Documents, unlabelled: Documents, language: str, threshold: float) -> LinearVote:
    """As `fit_wvc` on plain TFIDF, which is better on both corpora of the paper (results/papers/weighting.md)."""
    wvc = WVC(weighting="tfidf", min_count=_fewest(positive, unlabelled))
    return _pu(wvc, positive, unlabelled, language, threshold)


def fit_pebl(positive: Documents, unlabelled: Documents, language: str, threshold: float) -> LinearVote:
    """Positive example based learning (000: a baseline)."""
    return _pu(PEBL(min_count=_fewest(positive, unlabelled)), positive, unlabelled, language, threshold)


def fit_one_class(positive: Documents, unlabelled: Documents, language: str, threshold: float) -> LinearVote:
    """The one-class SVM (000: a baseline)."""
    return _pu(OneClassSVM(min_count=_fewest(positive, unlabelled)), positive, unlabelled, language, threshold)


def _fewest(positive: Documents, unlabelled: Documents) -> int:
    """The minimum count of a term: 5 in the paper, which has thousands of documents; less for small collections."""
    return 5 if len(positive) + len(unlabelled) >= _MANY_DOCUMENTS else 2


def _labelled(positive: Documents, others: Documents) -> tuple[list[Tokens], Flags]:
    return [*positive, *others], np.arange(len(positive) + len(others)) < len(positive)


def _selected(
    positive: Documents, negative: Documents, language: str, *, unit: bool = True
) -> tuple[Features, csr_array, Flags]:
    documents, is_positive = _labelled(positive, negative)
    features, vectors = learn_features(documents, is_positive, language, chi_squared, CHI_SQUARED_TERMS, unit=unit)
    return features, vectors, is_positive


def _svm(features: Features, vectors: csr_array, is_positive: Flags, threshold: float) -> Linear:
    rounds = 1000 if features.unit else 20_000  # vectors of any length take longer
    calibrated = _calibrated(LinearSVC(random_state=_SEED, max_iter=rounds), vectors, is_positive)
    svm = calibrated.estimator
    return Linear(features, svm.coef_[0], float(svm.intercept_[0]), *_sigmoid(calibrated), threshold)


def _calibrated(svm: Any, vectors: csr_array, is_positive: Flags) -> Any:
    """The SVM of all texts, and the sigmoid fitted to the margins of texts from SVMs that were not trained on them."""
    folds = _folds(is_positive)
    fitted = CalibratedClassifierCV(svm, method="sigmoid", cv=folds, ensemble=False).fit(vectors, is_positive)
    return fitted.calibrated_classifiers_[0]


def _folds(is_positive: Flags) -> StratifiedKFold:
    number = min(_FOLDS, int(is_positive.sum()), int((~is_positive).sum()))
    return StratifiedKFold(number, shuffle=True, random_state=_SEED)


def _sigmoid(calibrated: Any) -> tuple[float, float]:
    (calibrator,) = calibrated.calibrators
    return float(calibrator.a_), float(calibrator.b_)


def _bayes(features: Features, vectors: csr_array, is_positive: Flags, threshold: float) -> KernelBayes:
    dense = vectors.toarray()
    return KernelBayes(features, dense[is_positive], dense[~is_positive], threshold)


def _neural(features: Features, vectors: csr_array, is_positive: Flags, hidden: int, threshold: float) -> Neural:
    """The perceptron of 001, with a part of the texts held out for early stopping."""
    fewest = min(is_positive.sum(), (~is_positive).sum())
    validates = len(is_positive) >= _FEWEST_TO_VALIDATE and fewest * _VALIDATION >= 1
    perceptron = MLPClassifier(
        (hidden,),
        early_stopping=validates,
        validation_fraction=_VALIDATION if validates else 0.1,
        batch_size=min(_BATCH, len(is_positive)),
        **_PERCEPTRON,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the method itself limits the epochs
        perceptron.fit(vectors, is_positive)
    (hidden_weights, out), (hidden_bias, out_bias) = perceptron.coefs_, perceptron.intercepts_
    return Neural(features, hidden_weights, hidden_bias, out[:, 0], float(out_bias[0]), threshold)


def _pu(estimator: Any, positive: Documents, unlabelled: Documents, language: str, threshold: float) -> LinearVote:
    documents, is_positive = _labelled(positive, unlabelled)
    counts, terms = count_matrix(documents)
    estimator.fit(counts, is_positive.astype(np.int64))
    weighed = estimator.idf_ > 0
    return LinearVote(
        Features(language, terms[weighed], estimator.idf_[weighed]),
        np.ascontiguousarray(estimator.coef_[:, weighed]),
        estimator.intercept_,
        estimator.votes_,
        threshold,
    )


def _dense(matrix: Any) -> NDArray[np.float64]:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)
