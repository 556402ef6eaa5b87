"""Fits the model of a crawl again, in a process of its own: ``python -m honeyguide.crawl.refit CRAWL MODEL``.

For every line on the standard input, a JSON object with the ``keywords`` of the crawl, it reads the labels and the
pages that they are about from the folder of the crawl, or from the file ``pages``, if that is given, and writes the
model to the other folder. Nothing is fetched. Lines
of JSON on the standard output say how far it is: first that the model is there, then how good it is, which takes longer
and is left out if the next line is there before. It ends with its input.
"""

from __future__ import annotations

import json
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

from honeyguide.crawl.lesson_pages import LessonPages
from honeyguide.crawl.model_schedule import ModelSchedule, first_pages
from honeyguide.crawl.readers import reader_config
from honeyguide.errors import HoneyguideError, InputError, one_line
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import choose, make_model
from honeyguide.relevance.text import Text
from honeyguide.relevance.validation import columns, cross_validate, quality
from honeyguide.store.crawl import Crawl
from honeyguide.store.stored_topic import stored_topic
from honeyguide.teaching.example_texts import FILE, load_material
from honeyguide.teaching.labelled_pages import LabelledPages, labelled_pages
from honeyguide.teaching.labels import read_labels
from honeyguide.teaching.refit import refit, with_answers


class _OutdatedError(Exception):
    """Something new was asked for meanwhile."""


def run(folder: Path, out: Path, asked: FileIO) -> None:
    """Fit, write the model, then cross-validate; again for every line of `asked`."""
    for keywords, pages in _lines(asked):
        try:
            _fit(folder, out, keywords, asked, pages)
        except (HoneyguideError, OSError, ValueError) as error:
            _say(problem=one_line(error))
        except _OutdatedError:
            pass


def _lines(asked: FileIO) -> Iterator[tuple[tuple[str, ...], Path | None]]:
    """The keywords and the file of each line; without a buffer, so that it can be seen whether there is another."""
    while line := asked.readline():
        found = json.loads(line)
        yield tuple(found["keywords"]), Path(found["pages"]) if found.get("pages") else None


def _fit(folder: Path, out: Path, keywords: tuple[str, ...], asked: FileIO, given: Path | None) -> None:
    place = folder / saved.FOLDER
    first = saved.load(place)
    with ExitStack() as stack:
        source: Crawl | LessonPages
        source = LessonPages.read(given) if given is not None else stack.enter_context(Crawl.open(folder))
        topic = replace(stored_topic(folder), keywords=keywords)
        material = load_material(topic, folder / FILE)
        pages = source.labelled() if isinstance(source, LessonPages) else labelled_pages(source, read_labels(folder))
        if list(keywords) == saved.read_about(place).get(saved.KEYWORDS, list(keywords)):
            base, is_first = _without_learning(first), True
        else:
            base, is_first = make_model(material), False
            if isinstance(base, Learner):
                some = source.first_pages() if isinstance(source, LessonPages) else first_pages(source)
                base = ModelSchedule(reader_config(topic, base), some).config.model
    model = refit(material, pages.relevant, pages.others, base) if any(pages) else None
    counts = {"relevant": len(pages.relevant), "others": len(pages.others)}
    if model is None and is_first:
        _say(model=None, **counts)
        return
    chosen = base if model is None else model
    saved.save(chosen, out, {"first": saved.fingerprint(first), saved.KEYWORDS: list(keywords)})
    _say(model=str(out), threshold=chosen.threshold, **counts)
    _say(quality=_quality(base, material, pages, asked) if model is not None else {})


def _without_learning(model: Relevance) -> Relevance:
    """A model that still waits for the crawl's first pages: the one that it uses until then."""
    return getattr(model, "interim", getattr(model, "model", model)) if isinstance(model, Learner) else model


def _quality(first: Relevance, material: Material, pages: LabelledPages, asked: FileIO) -> dict[str, Any]:
    """Precision and recall on the labelled pages: by the first model, and by others that have not seen them."""
    relevant, others = pages
    if len(relevant) < 2 or not others:
        return {}
    known = with_answers(material, relevant, others)
    spec = choose(known).model

    def make(positive: Sequence[Text], negative: Sequence[Text]) -> Relevance:
        if select.select([asked], [], [], 0)[0]:
            raise _OutdatedError
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
    with open(0, "rb", buffering=0) as given:
        run(Path(sys.argv[1]), Path(sys.argv[2]), given)
