"""Back-propagation as Weka does it by default, which 003 uses: squared error, sigmoid nodes, a fixed number of epochs.

scikit-learn's perceptron minimises the cross-entropy. With the same rate and inputs in [-1, 1] it failed to learn two
of four topics of wikispeedia (F below .4, and .8 with squared error), probably because its steps are too large there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from honeyguide.relevance.weighting import Flags, Floats

Array = NDArray[Any]
"""An array of floats: 32 bits while learning, 64 bits in the result."""

RATE, MOMENTUM, EPOCHS = 0.3, 0.2, 500
_FIRST_WEIGHT = 0.05  # initial weights are drawn from ±this
_BATCH = 8  # Weka learns from one text at a time; the mean of eight did about as well (F .865, .872), and is faster
_SEED = 0


class Layers(NamedTuple):
    """The weights of a perceptron with one hidden layer and one output."""

    hidden: Array
    """One row per input, one column per hidden node."""
    hidden_bias: Array
    out: Array
    out_bias: Array
    """One number, as an array."""


def fit_layers(inputs: Floats, is_positive: Flags, nodes: int) -> Layers:
    """Learn to return 1 for positive rows and 0 for others, with `nodes` hidden nodes.

    The texts are in a new order in each epoch; the same input gives the same weights.
    """
    random = np.random.default_rng(_SEED)
    shapes = ((inputs.shape[1], nodes), (nodes,), (nodes,), (1,))
    layers = Layers(*(random.uniform(-_FIRST_WEIGHT, _FIRST_WEIGHT, shape).astype(np.float32) for shape in shapes))
    steps = Layers(*(np.zeros_like(layer) for layer in layers))
    known, wanted = inputs.astype(np.float32), is_positive.astype(np.float32)  # halves the memory traffic
    for _ in range(EPOCHS):
        order = random.permutation(len(known))
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            changes = _descent(layers, known[rows], wanted[rows])
            for weights, step, change in zip(layers, steps, changes, strict=True):
                np.multiply(step, MOMENTUM, out=step)
                np.add(step, change, out=step)
                np.add(weights, step, out=weights)
    return Layers(*(layer.astype(np.float64) for layer in layers))


def _descent(layers: Layers, inputs: Array, wanted: Array) -> Layers:
    """The learning rate times the negative gradient of half the mean squared error."""
    nodes = expit(inputs @ layers.hidden + layers.hidden_bias)
    outputs = expit(nodes @ layers.out + layers.out_bias)
    at_output = RATE / len(inputs) * (wanted - outputs) * outputs * (1 - outputs)
    at_nodes = np.outer(at_output, layers.out) * nodes * (1 - nodes)
    return Layers(inputs.T @ at_nodes, at_nodes.sum(axis=0), nodes.T @ at_output, at_output.sum(keepdims=True))
