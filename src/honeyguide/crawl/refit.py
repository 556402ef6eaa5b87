"""Fits the model of a crawl again, in a process of its own: ``python -m honeyguide.crawl.refit CRAWL MODEL``.

Reads the labels of the crawl and the pages that they are about from its folder, and writes the model to another one.
Nothing is fetched. Lines of JSON on the standard output say how far it is: first that the model is there, then how good
it is, which takes longer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.errors import InputError
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import choose, make_model
from honeyguide.relevance.text import Text
from honeyguide.relevance.validation import columns, cross_validate, quality
from honeyguide.store.crawl import Crawl
from honeyguide.teaching.example_texts import FILE, load_material
from honeyguide.teaching.labelled_pages import LabelledPages, labelled_pages
from honeyguide.teaching.labels import read_labels
from honeyguide.teaching.refit import refit, with_answers


def run(folder: Path, out: Path) -> None:
    """Fit, write the model, then cross-validate. Says what it does on the standard output."""
    with Crawl.open(folder) as crawl:
        first = saved.load(folder / saved.FOLDER)
        material = load_material(crawl.topic, folder / FILE)
        pages = labelled_pages(crawl, read_labels(folder))
    model = refit(material, pages.relevant, pages.others, _without_learning(first))
    counts = {"relevant": len(pages.relevant), "others": len(pages.others)}
    if model is None:
        _say(model=None, **counts)
        return
    saved.save(model, out, {"first": saved.fingerprint(first)})
    _say(model=str(out), threshold=model.threshold, **counts)
    _say(quality=_quality(first, material, pages))


def _without_learning(model: Relevance) -> Relevance:
    """A model that still waits for the crawl's first pages: the one that it uses until then."""
    return getattr(model, "interim", getattr(model, "model", model)) if isinstance(model, Learner) else model


def _quality(first: Relevance, material: Material, pages: LabelledPages) -> dict[str, Any]:
    """Precision and recall on the labelled pages: by the first model, and by others that have not seen them."""
    relevant, others = pages
    if len(relevant) < 2 or not others:
        return {}
    known = with_answers(material, relevant, others)
    spec = choose(known).model

    def make(positive: Sequence[Text], negative: Sequence[Text]) -> Relevance:
        held = replace(known, positive=[*material.positive, *positive], negative=[*material.negative, *negative])
        return make_model(held, spec)

    try:
        verdicts = cross_validate(relevant, others, make)
        after = quality(*columns(verdicts), make(relevant, others).threshold)
    except InputError:  # too few of one kind, when some are held out
        return {}
    scored = [replace(one, score=float(first.score(one.text, whole(one.text))[0])) for one in verdicts]
    before = quality(*columns(scored), first.threshold)
    return {
        name: {"precision": round(one.precision, 3), "recall": round(one.recall, 3), "f1": round(one.f1, 3)}
        for name, one in (("before", before), ("after", after))
    }


def _say(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
