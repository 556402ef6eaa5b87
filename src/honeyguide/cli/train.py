"""``honeyguide train``: train the relevance model and show its quality and its strongest terms."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.console import Console

from honeyguide.atomic_write import output_errors, refuse_unwritable
from honeyguide.cli.output import say
from honeyguide.cli.run import run
from honeyguide.crawl.model_store import Examples, ModelPaths, keep_model, keep_texts, read_material
from honeyguide.errors import InputError
from honeyguide.topic import Topic
from honeyguide.topic.material import has_examples

if TYPE_CHECKING:
    from honeyguide.relevance.base import Relevance
    from honeyguide.relevance.top_terms import Weighed
    from honeyguide.relevance.training import Training
    from honeyguide.teaching.labels import Label

_WRONG_SHOWN = 10
_ELSEWHERE = "choose another folder with --out"


def train(
    topic: Annotated[Path, typer.Argument(help=r"Topic file with an \[examples] table.")],
    folds: Annotated[int, typer.Option(help="Number of folds of the cross-validation.", min=2, max=50)] = 5,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Crawl whose labels are used as further examples.", show_default="crawls/NAME, if it has labels"
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the model.", show_default="TOPIC.model")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show progress.")] = False,
) -> None:
    """Train the relevance model with the examples, cross-validate it, show its terms and store it for `crawl`."""
    wanted = Topic.load(topic)
    crawl = labels or Path("crawls") / wanted.name
    answers = _labels(crawl, is_given=labels is not None)
    if not has_examples(wanted) and not answers:
        remedy = "list pages under [examples]; without any, `honeyguide crawl` uses the words of the topic"
        raise InputError(str(topic), "contains no examples to learn from", remedy)
    places = ModelPaths.beside(topic)
    folder = out or places.model
    if folder.exists() and not (folder / "model.json").is_file():
        raise InputError(str(folder), "exists and is not a model", _ELSEWHERE)
    refuse_unwritable(folder, _ELSEWHERE)
    given = read_material(wanted, places.examples, run=lambda session: run(session, quiet=quiet))
    examples = _with_labels(given, crawl, answers) if answers else given
    training = fit(examples, folds, quiet=quiet)
    with output_errors(folder, _ELSEWHERE):
        keep_model(training.model, wanted, folder, _about(training))
        keep_texts(given, places)
    say(f"stored in {folder}; to crawl with it, run: honeyguide crawl {quote(str(topic))}")


def _labels(crawl: Path, *, is_given: bool) -> dict[str, Label]:
    """The labels of a crawl, including those that wait to be applied."""
    from honeyguide.teaching.labels import current_labels  # noqa: PLC0415 (takes its time)

    labels = current_labels(crawl) if crawl.is_dir() else {}
    if is_given and not labels:
        raise InputError("--labels", f"{crawl} has no labels", "give some with `honeyguide label`")
    return labels


def _with_labels(examples: Examples, crawl: Path, labels: dict[str, Label]) -> Examples:
    """The examples, and the pages of a crawl that have labels."""
    from honeyguide.store.crawl import Crawl  # noqa: PLC0415
    from honeyguide.teaching.labelled_pages import labelled_pages  # noqa: PLC0415
    from honeyguide.teaching.refit import with_answers  # noqa: PLC0415

    with Crawl.open(crawl) as opened:
        pages = labelled_pages(opened, labels)
    say(f"labels of {crawl}: {len(pages.relevant)} relevant, {len(pages.others)} not")
    places = {id(text): text.url for side in pages for text in side}
    return Examples(with_answers(examples.material, *pages), {**examples.place_of, **places})


def fit(examples: Examples, folds: int = 5, *, quiet: bool) -> Training:
    """Train, and print the results."""
    from honeyguide.relevance.example_checks import log_problems  # noqa: PLC0415 (scikit-learn takes a second)
    from honeyguide.relevance.top_terms import top_terms  # noqa: PLC0415
    from honeyguide.relevance.training import train as trained  # noqa: PLC0415

    material = examples.material
    counts = {"positive": material.positive, "negative": material.negative, "unlabelled": material.unlabelled}
    say("examples: " + ", ".join(f"{len(texts)} {kind}" for kind, texts in counts.items() if texts))
    with Console(stderr=True, quiet=quiet).status("training") as status:
        training = trained(material, folds, lambda what: status.update(f"training: {what}"))
    log_problems(material, dict(examples.place_of))
    model = training.choice.model
    say(f"model: {model.name}, {model.summary}; {training.choice.reason}")
    _print_mixtures(training.model)
    _print_quality(training)
    _print_terms("for", top_terms(training.model, material)[0])
    _print_terms("against", top_terms(training.model, material)[1])
    _print_wrong(training, examples)
    return training


def _print_mixtures(model: Relevance) -> None:
    """The parts of a `Fields` model, and the reasons for them."""
    from honeyguide.relevance.classifiers.fields import Fields  # noqa: PLC0415 (NumPy and SciPy take their time)

    if not isinstance(model, Fields) or not model.mixtures:
        return
    say("evidence, by how well it predicts held-out examples and blank pages (log loss; guessing gives 0.69):")
    for mixture in sorted(model.mixtures, key=lambda one: -one.weight):
        if mixture.weight:
            say(f"  {mixture.weight:4.0%}  {mixture.loss:.3f}  words {mixture.name}")
    for what, used in (
        ("title and address", [one.is_named for one in model.mixtures]),
        ("similarity to the positive examples", [one.is_like for one in model.mixtures]),
        ("similarity to the topic's own words", [one.has_keywords for one in model.mixtures]),
    ):
        if not any(used):
            continue
        weight = sum(one.weight for one, uses in zip(model.mixtures, used, strict=True) if uses)
        best = [
            min(one.loss for one, uses in zip(model.mixtures, used, strict=True) if uses is side)
            for side in (True, False)
        ]
        say(f"  {what}: {weight:.0%} of the weight; best log loss {best[0]:.3f} with, {best[1]:.3f} without")


def _print_quality(training: Training) -> None:
    found = training.folds()
    if not found:
        _print_without_others(training)
        return
    against = f"positive against {training.against}"
    if training.against == "unlabelled":
        against += ", some of which may be relevant too: the true precision is at least this"
    say(f"cross-validation ({len(found)} folds, {against}):")
    for name in ("precision", "recall", "f1", "auc"):
        values = np.array([getattr(quality, name) for quality in found])
        say(f"  {name.upper() if name in {'f1', 'auc'} else name:<10} {values.mean():.3f} ± {values.std():.3f}")
    say(f"threshold: {training.threshold:.3f}{_reason(training)}")
    say("  threshold  precision  recall     F1")
    for at, quality in training.curve():
        mark = " <" if at == training.threshold else ""
        say(f"      {at:.3f}      {quality.precision:.3f}   {quality.recall:.3f}  {quality.f1:.3f}{mark}")


def _reason(training: Training) -> str:
    """Where the threshold comes from."""
    if training.given:
        return ", set by the topic"
    if not training.choice.model.tuned:
        return ", fixed by the method"
    if training.against:
        return ", best F1" if training.against == "negative" else ", best recall² / share classified as relevant"
    return ", reached by 90 % of the examples" if training.verdicts else ""


def _print_without_others(training: Training) -> None:
    if training.verdicts:
        scores = [verdict.score for verdict in training.verdicts]
        say(f"scores of held-out examples: {min(scores):.3f} to {max(scores):.3f}, median {np.median(scores):.3f}")
    say(f"threshold: {training.threshold:.3f}{_reason(training)}; precision cannot be measured without other examples")


def _print_terms(side: str, terms: Weighed) -> None:
    if terms:
        say(f"terms {side}: " + ", ".join(f"{word} {weight:+.2f}" for word, weight in terms))


def _print_wrong(training: Training, examples: Examples) -> None:
    wrong = training.wrong()
    if not wrong:
        return
    say(f"{len(wrong)} of {len(training.verdicts)} held-out examples classified wrongly:")
    for verdict in wrong[:_WRONG_SHOWN]:
        kind = "positive" if verdict.positive else training.against
        say(f"  {verdict.score:.3f}  {kind}  {examples.place_of[id(verdict.text)]}")
    if len(wrong) > _WRONG_SHOWN:
        say(f"  and {len(wrong) - _WRONG_SHOWN} more")


def _about(training: Training) -> dict[str, object]:
    """The metadata stored with the model."""
    found = training.folds()
    names = ("precision", "recall", "f1", "auc")
    return {
        "model": training.choice.model.name,
        "reason": training.choice.reason,
        "threshold": training.threshold,
        "cross_validation": {name: [round(getattr(quality, name), 6) for quality in found] for name in names if found},
    }
