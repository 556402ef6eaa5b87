"""The documentation of the public API: every parameter of what users and plug-in authors call is described."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import honeyguide
import honeyguide.testing
from honeyguide.crawl.crawling import Crawling
from honeyguide.crawl.pacing import Pacing
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.fetch.registry import FetcherSpec, fetcher_named
from honeyguide.lab.results import ComparisonResult
from honeyguide.lazy import lazy
from honeyguide.relevance.base import Relevance, TitleAddressModel
from honeyguide.relevance.spec import ModelSpec
from honeyguide.store.export import ExportFormat, ExportSelection, export, export_formats
from honeyguide.store.stored_page import StoredPage
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.queues.base import ExplainingQueue, Queue
from honeyguide.strategy.recipe import Recipe, Strategy

RETURNED = (Crawling, StoredPage, ComparisonResult)
"""What users get from the API and do not make themselves."""
EXTENSION_POINTS = (
    Recipe, Strategy, PageView, LinkTable, Queue, ExplainingQueue, Relevance, TitleAddressModel, ModelSpec, Fetcher,
    FetcherSpec, fetcher_named, Request, Response, Failure, Pacing, export, export_formats, ExportFormat,
    ExportSelection,
)  # fmt: skip
"""What plug-ins implement, call or are called with."""


def public() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Every public function, method and constructor of an error, with its name and its docstring."""
    exported = [getattr(honeyguide, name) for name in honeyguide.__all__ if name != "__version__"]
    for_authors = [getattr(honeyguide.testing, name) for name in honeyguide.testing.__all__]
    for one in (*exported, *for_authors, *RETURNED, *EXTENSION_POINTS):
        if not inspect.isclass(one):
            yield one.__qualname__, one, inspect.getdoc(one) or ""
            continue
        for name, member in inspect.getmembers(one, inspect.isroutine):
            if isinstance(member, lazy):  # an attribute
                continue
            if not name.startswith("_") and (getattr(member, "__module__", "") or "").startswith("honeyguide."):
                yield f"{one.__qualname__}.{name}", member, inspect.getdoc(member) or ""
        if issubclass(one, Exception) and "__init__" in vars(one):
            yield one.__qualname__, one.__init__, inspect.getdoc(one) or ""


def section(docstring: str, name: str) -> str:
    """What stands under a heading of a docstring; "" when there is no such heading."""
    found = re.search(rf"^{name}:\n((?:[ ].*\n?|\n)+)", docstring, re.MULTILINE)
    return found[1] if found else ""


PUBLIC = {name: (function, docstring) for name, function, docstring in public()}


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_and_results_are_described(name: str) -> None:
    function, docstring = PUBLIC[name]
    assert docstring
    signature = inspect.signature(function)
    described = re.findall(r"^    \*{0,2}(\w+): \S", section(docstring, "Args"), re.MULTILINE)
    assert described == [one for one in signature.parameters if one not in {"self", "cls"}]
    returns = bool(section(docstring, "Returns") or section(docstring, "Yields"))
    assert returns == (signature.return_annotation not in {None, "None"})
