"""``honeyguide train``: fit the relevance model, say how good it is and what it has learnt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from honeyguide.cli.run import run
from honeyguide.crawl.trained import Examples, Places, has_examples, keep_model, read_material
from honeyguide.errors import InputError
from honeyguide.topic import Topic

if TYPE_CHECKING:
    from honeyguide.relevance.top_terms import Weighed
    from honeyguide.relevance.training import Training

_WRONG_SHOWN = 10


def train(
    topic: Annotated[Path, typer.Argument(help="Topic file with an [examples] table.")],
    folds: Annotated[int, typer.Option(help="Parts that are held back in turn to measure.", min=2, max=50)] = 5,
    out: Annotated[Path | None, typer.Option(help="Folder for the model.", show_default="TOPIC.model")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Fit the relevance model to the examples, cross-validate it, show what it learnt, and keep it for `crawl`."""
    wanted = Topic.load(topic)
    if not has_examples(wanted):
        remedy = "name pages under [examples]; without any, `honeyguide crawl` goes by the topic's words"
        raise InputError(str(topic), "there are no examples to learn from", remedy)
    places = Places.beside(topic)
    folder = out or places.model
    if folder.exists() and not (folder / "model.json").is_file():
        raise InputError(str(folder), "exists and is no model", "choose another place with --out")
    examples = read_material(wanted, places.examples, run=lambda session: run(session, quiet=quiet))
    training = fit(examples, folds, quiet=quiet)
    keep_model(training.model, wanted, folder, _about(training))
    print(f"in {folder}; crawl with it: honeyguide crawl {topic}")


def fit(examples: Examples, folds: int = 5, *, quiet: bool) -> Training:
    """Train, and print what came of it."""
    from honeyguide.relevance.example_checks import check_examples  # noqa: PLC0415 (scikit-learn takes a second)
    from honeyguide.relevance.top_terms import top_terms  # noqa: PLC0415
    from honeyguide.relevance.training import train as trained  # noqa: PLC0415

    material = examples.material
    counts = {"positive": material.positive, "negative": material.negative, "unlabelled": material.unlabelled}
    print("examples: " + ", ".join(f"{len(texts)} {kind}" for kind, texts in counts.items() if texts))
    for problem in check_examples(material, dict(examples.place_of)):
        print(f"warning: {problem}")

    def progress(what: str) -> None:
        if not quiet and sys.stderr.isatty():
            print(f"\r\x1b[Ktraining: {what}", end="", file=sys.stderr, flush=True)

    training = trained(material, folds, progress)
    if not quiet and sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    model = training.choice.model
    print(f"model: {model.name}, {model.summary}; {training.choice.reason}")
    _print_quality(training)
    _print_terms("for", top_terms(training.model, material)[0])
    _print_terms("against", top_terms(training.model, material)[1])
    _print_wrong(training, examples)
    return training


def _print_quality(training: Training) -> None:
    found = training.folds()
    if not found:
        _print_without_others(training)
        return
    against = f"positive against {training.against}"
    if training.against == "unlabelled":
        against += ", of which some may be relevant too: precision is at least this"
    print(f"cross-validation ({len(found)} folds, {against}):")
    for name in ("precision", "recall", "f1", "auc"):
        values = np.array([getattr(quality, name) for quality in found])
        print(f"  {name.upper() if name in {'f1', 'auc'} else name:<10} {values.mean():.3f} ± {values.std():.3f}")
    print(f"threshold: {training.threshold:.3f}{_reason(training)}")
    print("  threshold  precision  recall     F1")
    for at, quality in training.curve():
        mark = " <" if at == training.threshold else ""
        print(f"      {at:.3f}      {quality.precision:.3f}   {quality.recall:.3f}  {quality.f1:.3f}{mark}")


def _reason(training: Training) -> str:
    """Where the threshold comes from."""
    if training.given:
        return ", as the topic has it"
    if not training.choice.model.tuned:
        return ", a part of the method"
    if training.against:
        return ", of best F1" if training.against == "negative" else ", of best recall² by the share taken for relevant"
    return ", which nine of ten examples reach" if training.verdicts else ""


def _print_without_others(training: Training) -> None:
    if training.verdicts:
        scores = [verdict.score for verdict in training.verdicts]
        print(f"scores of examples held back: {min(scores):.3f} to {max(scores):.3f}, median {np.median(scores):.3f}")
    print(f"threshold: {training.threshold:.3f}{_reason(training)}; there is nothing to measure precision with")


def _print_terms(side: str, terms: Weighed) -> None:
    if terms:
        print(f"terms {side}: " + ", ".join(f"{word} {weight:+.2f}" for word, weight in terms))


def _print_wrong(training: Training, examples: Examples) -> None:
    wrong = training.wrong()
    if not wrong:
        return
    print(f"wrong about {len(wrong)} of {len(training.verdicts)}, when they were held back:")
    for verdict in wrong[:_WRONG_SHOWN]:
        kind = "positive" if verdict.positive else training.against
        print(f"  {verdict.score:.3f}  {kind}  {examples.place_of[id(verdict.text)]}")
    if len(wrong) > _WRONG_SHOWN:
        print(f"  and {len(wrong) - _WRONG_SHOWN} more")


def _about(training: Training) -> dict[str, object]:
    """What is kept beside the model."""
    found = training.folds()
    names = ("precision", "recall", "f1", "auc")
    return {
        "model": training.choice.model.name,
        "reason": training.choice.reason,
        "threshold": training.threshold,
        "cross_validation": {name: [round(getattr(quality, name), 6) for quality in found] for name in names if found},
    }
