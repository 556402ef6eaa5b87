"""guide against all other strategies that need only examples: by topic, with significance tests.

    python -m benchmarks.guide --web WARC --labels TSV --topic LABEL ... [--seed-urls FILE] --out results/guide-WEB.md

The measure is the area under target recall within twice the topic's size, relative to the oracle's, over several
samples of seeds and examples. The lead over each of the others is tested by a one-tailed t-test, paired over topics,
without correction: the question is whether guide beats the best of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from math import inf
from pathlib import Path
from statistics import fmean

import honeyguide
from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.lab.statistics import bootstrap, t_test

OURS = "guide"
OTHERS = (
    *("breadth-first", "best-first", "anchor-only", "link-context", "slc", "cbp", "cbp-slc"),
    *("link-context-prediction", "opic", "otie", "text-window", "block", "page+block", "btw", "page+btw", "vsm"),
    *("fish-search", "shark-search", "link-classifier", "host-bandit", "tres", "link-bandit"),
)
_STARTS = {
    "auto": " guide also starts at the examples; so does the oracle.",
    "always": " All strategies also start at the examples.",
    "never": " No strategy starts at the examples, but the oracle does.",
}
FLOOR = 0.9  # of the best of the others, on every topic

Shares = Mapping[str, Mapping[str, float]]
"""Shares of the oracle's area, by strategy and topic."""


def shares(cells: list[dict[str, object]]) -> dict[str, dict[str, float]]:
    """The mean share of the oracle's area over the samples of seeds and examples."""
    found: dict[str, dict[str, list[float]]] = {}
    for cell in cells:
        if cell["share_of_oracle"] is not None:
            of = found.setdefault(str(cell["strategy"]), {})
            of.setdefault(str(cell["topic"]), []).append(float(str(cell["share_of_oracle"])))
    return {name: {topic: fmean(values) for topic, values in of.items()} for name, of in found.items()}


def _p(ours: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    tested = t_test([ours[topic] - theirs[topic] for topic in ours])
    return f"{tested[1]:.3f}" if tested else "-"


def _interval(ours: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    """The bootstrap interval of guide's lead: of the mean over topics."""
    ends = bootstrap([ours[topic] - theirs[topic] for topic in ours])
    return f"{ends[0]:+.3f} to {ends[1]:+.3f}" if ends else "-"


def table(found: Shares) -> str:
    """The strategies, best first, with the share on each topic, and guide's lead: its 95 % interval and p value."""
    ours = found[OURS]
    topics = list(ours)
    lines = [
        f"| {name} | {fmean(of.values()):.3f} | {' | '.join(f'{of[topic]:.2f}' for topic in topics)} |"
        f" {' | ' if name == OURS else f'{_interval(ours, of)} | {_p(ours, of)}'} |\n"
        for name, of in sorted(found.items(), key=lambda one: -fmean(one[1].values()))
    ]
    names = " | ".join(topic.rpartition(".")[2].replace("_", " ") for topic in topics)
    head = f"| | mean | {names} | guide's lead, 95 % interval | p |\n"
    return f"{head}|---|---|{'---|' * len(topics)}---|---|\n{''.join(lines)}"


def verdict(found: Shares, reach: float) -> str:
    """The goals, and whether they are met."""
    ours, others = found[OURS], {name: of for name, of in found.items() if name != OURS}
    mean = fmean(ours.values())
    best = max(others, key=lambda name: fmean(others[name].values()))
    p = _p(ours, others[best])
    bests = {topic: max(of[topic] for of in others.values()) for topic in ours}
    ratios = {topic: ours[topic] / bests[topic] if bests[topic] else inf for topic in ours}
    worst = min(ratios, key=lambda topic: ratios[topic])
    is_lead = p != "-" and float(p) < 0.05
    return (
        f"- Relative to the oracle: {mean:.3f} (goal: {reach}): {'yes' if mean >= reach else '**no**'}\n"
        f"- Better than {best}, the best of the others on average: p = {p}: {'yes' if is_lead else '**no**'}\n"
        f"- On every topic at least {FLOOR} × the best of the others; lowest on {worst}, {ratios[worst]:.2f} ×:"
        f" {'yes' if ratios[worst] >= FLOOR else '**no**'}\n"
    )


def main() -> int:
    """Compare, print and write the page. Returns 1 if a goal is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guide")
    parser.add_argument("--web", required=True, help="a WARC file")
    parser.add_argument("--labels", required=True, help="its labels")
    parser.add_argument("--topic", action="append", required=True, help="a label")
    parser.add_argument("--seed-urls", type=Path, help="file of URLs to start from, instead of pages of the topic")
    parser.add_argument("--seeds", type=int, default=5, help="pages of the topic to start from (default: %(default)s)")
    parser.add_argument("--against", action="append", help="a strategy (default: all that need only examples)")
    parser.add_argument("--repeats", type=int, default=5, help="samples of seeds and examples (default: %(default)s)")
    parser.add_argument(
        "--examples", type=int, default=30, help="of the topic; 0: its name as the only keyword (default: %(default)s)"
    )
    parser.add_argument("--model", default="fields", help="relevance model (default: %(default)s)")
    parser.add_argument(
        "--start-at-examples",
        default="auto",
        help="as for `honeyguide compare`; always: for all strategies (default: %(default)s)",
    )
    parser.add_argument("--reach", type=float, default=0.75, help="share of the oracle's area (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--kept", type=Path, help="folder of finished trials, to resume from")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    spec = parser.parse_args()
    seeds = spec.seed_urls.read_text(encoding="utf-8").split() if spec.seed_urls else []
    compared = honeyguide.compare(
        web=spec.web, labels=spec.labels, topics=spec.topic, strategies=[OURS, *(spec.against or OTHERS)],
        pages="x2", seed=7, seeds=spec.seeds, seed_urls=seeds, examples=spec.examples, repeats=spec.repeats,
        model=spec.model, jobs=spec.jobs, out=spec.kept, start_at_examples=spec.start_at_examples,
        progress=lambda what, done, whole: print(f"{what}: {done} of {whole}", file=sys.stderr, flush=True),
    )  # fmt: skip
    found = shares(compared.results["cells"])
    pages = "one page" if spec.seeds == 1 else f"{spec.seeds} pages"
    start = f"from {len(seeds)} given pages" if seeds else f"from {pages} of the topic"
    known = f"{spec.examples} examples (at most half the topic)" if spec.examples else "the topic's name as keywords"
    starts = _STARTS[spec.start_at_examples] if spec.examples else ""
    text = (
        f"# guide on {Path(spec.web).name}\n\nArea under target recall, relative to the oracle; budget twice the"
        f" topic's size, {start}, {known}, {spec.repeats} samples, model {spec.model} for all"
        f" (`vsm` has its own).{starts}\n\n"
        f"{verdict(found, spec.reach)}\n{table(found)}\n{machine.described('numpy')}"
    )
    return written(text, spec.out)


if __name__ == "__main__":
    raise SystemExit(main())
