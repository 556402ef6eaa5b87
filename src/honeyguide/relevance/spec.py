"""What can be specified as a model: a `ModelSpec`, or a class that can fit itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from honeyguide.errors import InputError, plugin_errors
from honeyguide.settings import Parameter, PartSpec, Value, read_values

if TYPE_CHECKING:
    from honeyguide.relevance.base import Relevance
    from honeyguide.relevance.material import Material

EXPECTED = "a ModelSpec, or a class with a class method fit(material, threshold)"

_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A relevance model: its name, and how to create it."""

    name: str
    """Its name in topic files and commands."""
    summary: str
    """What it does and where it comes from, in a few words."""
    threshold: float
    """Lowest score of a relevant text, unless the topic or training sets another."""
    make: Callable[..., Relevance]
    """Creates the model from the material of a topic, a threshold, and the values of its parameters by name. Raises
    `InputError` if something is missing."""
    tuned: bool = True
    """Whether training may choose the threshold; if not, the threshold is part of the method."""
    positive_only: bool = False
    """Whether it learns from positive and unlabelled examples, and needs no negative ones."""
    learns: bool = False
    """Whether it learns only from examples: other examples give another model."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """The parameters that can be given in parentheses after its name."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """The parameters that differ from their defaults."""

    def with_parameters(self, spec: PartSpec, text: str, place: str) -> ModelSpec:
        """The model with the parameters given by a user, and the text that the user wrote as its name.

        Args:
            spec: The parsed text.
            text: What the user wrote.
            place: Where, for messages.

        Returns:
            The model.

        Raises:
            InputError: It has no such parameter, or a value is wrong.
        """
        values = read_values(spec, self.parameters, place)
        if not spec.given:
            return self
        return replace(self, name=text.strip(), values={name: values[name] for name in spec.given})

    def fit(self, material: Material, threshold: float) -> Relevance:
        """Create the model.

        Args:
            material: The material of a topic.
            threshold: Lowest score of a relevant text.

        Returns:
            The model.

        Raises:
            InputError: Something that the model needs is missing.
            PluginError: The code of the model fails.
        """
        with plugin_errors("model", self.name, occasion="to be made", passing=(InputError,)):
            return self.make(material, threshold, **self.values)


def read_specs(found: object, name: str) -> Sequence[ModelSpec]:
    """The models that an object of another package represents.

    Args:
        found: A `ModelSpec`, several of them, or a class with a class method ``fit(material, threshold)``. The default
            of such a class's field `threshold` is its threshold, otherwise 0.5; the first line of its docstring is its
            summary.
        name: The name of a class's model.

    Returns:
        The models; empty for any other object.
    """
    if isinstance(found, ModelSpec):
        return (found,)
    if isinstance(found, type):
        fit = inspect.getattr_static(found, "fit", None)
        return (_spec_of(found, name),) if isinstance(fit, classmethod | staticmethod) else ()
    if isinstance(found, Iterable):
        several = tuple(found)
        return several if all(isinstance(one, ModelSpec) for one in several) else ()
    return ()


def _spec_of(model: Any, name: str) -> ModelSpec:
    declared = [field.default for field in fields(model) if field.name == "threshold"] if is_dataclass(model) else []
    threshold = next((float(default) for default in declared if isinstance(default, int | float)), _THRESHOLD)
    summary = (inspect.getdoc(model) or "").partition("\n")[0]
    return ModelSpec(name, summary, threshold, model.fit)
