"""The models, and what they are made of, by the names under which they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.vsm import Vsm

KINDS: Mapping[str, type] = MappingProxyType({"frequencies": Frequencies, "vsm": Vsm})
