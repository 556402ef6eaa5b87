"""What waiting for better pages brings and costs, over the setting ``budget.haste``.

    python -m benchmarks.patience --web demo:10000 [--web WARC --labels TSV] --topic LABEL ... --out results/patience.md

Each case is crawled with one connection, strictly by priority, and with eight, as live (hosts rest for 1 s, domains
for 0.5 s), at several settings; then once more within a third of the time that never waiting takes, where
waiting should not happen. Topics that begin with "subject." are those of demo webs. A picture is drawn beside the page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.lab.cases import Split
from honeyguide.lab.judges import Judge
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.replay import replay
from honeyguide.lab.trial import CaseRunner, Contender
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

STRICT = "strict order"
HASTES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
DEFAULT, CONNECTIONS = 0.5, 8
LEAST_SHARE, MOST_MINUTES = 0.95, 0.5  # of those in strict order, at the default


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one crawl."""

    share: float
    harvest: float
    minutes: float


def crawls(opened: OpenPlan, strategy: str, haste: float | None) -> list[Figures]:
    """The crawls of all topics and repeats; in strict order without a haste."""
    connections = 1 if haste is None else CONNECTIONS
    fixture = replace(opened.fixture, connections=connections, haste=DEFAULT if haste is None else haste)
    opened = replace(opened, fixture=fixture)
    plan, found = opened.plan, []
    for topic in plan.topics:
        for repeat in range(plan.repeats):
            runner = CaseRunner(opened.judged_case(topic, repeat), Judge.named(plan.judge), fixture, plan.timing)
            cell = runner.run(Contender.named(strategy, plan.model)).cell
            found.append(Figures(cell["share_of_oracle"], cell["harvest_rate"], cell["virtual_minutes"]))
    return found


def within(opened: OpenPlan, strategy: str, haste: float, minutes: Sequence[float]) -> float:
    """The mean number of relevant pages that crawls find within a time limit each, whatever the number of pages."""
    fixture = replace(opened.fixture, connections=CONNECTIONS, haste=haste)
    plan, relevant, limits = opened.plan, [], iter(minutes)
    for topic in plan.topics:
        for repeat in range(plan.repeats):
            case = opened.judged_case(topic, repeat).case
            limited = fixture.topic(case, model=plan.model, strategy=strategy)
            limited = limited.with_settings(budget={"pages": 0, "minutes": next(limits)})
            texts = [[fixture.text(url) for url in urls] for urls in (case.examples, case.others)]
            model = make_model(material_of(limited, *texts))
            steps = replay(limited, model, fixture.web, plan.timing).steps
            relevant.append(len({step.url for step in steps} & (case.relevant - case.given)))
    return fmean(relevant)


def section(web: str, found: dict[str, list[Figures]], limited: dict[float, float]) -> str:
    """The table of one web, and whether the figures are reached."""
    strict, default = found[STRICT], found[f"{DEFAULT:g}"]
    share = fmean(one.share for one in default) / fmean(one.share for one in strict)
    minutes = fmean(one.minutes for one in default) / fmean(one.minutes for one in strict)
    lines = [f"| {name} | {' | '.join(_row(of, strict))} |\n" for name, of in found.items()]
    fair = limited[DEFAULT] >= limited[1.0]
    return (
        f"## {web}\n\n| haste | share of the oracle's area | harvest | virtual minutes | share, by strict's |"
        f" minutes, by strict's |\n"
        f"|---|---|---|---|---|---|\n{''.join(lines)}\n"
        f"- Default: share {share:.2f} × that of strict order (reach: {LEAST_SHARE}):"
        f" {'yes' if share >= LEAST_SHARE else '**no**'}\n"
        f"- In {minutes:.2f} × its minutes (reach: {MOST_MINUTES}): {'yes' if minutes <= MOST_MINUTES else '**no**'}\n"
        f"- Relevant pages within a time limit: {limited[DEFAULT]:.1f}, never waiting {limited[1.0]:.1f}:"
        f" {'yes' if fair else '**no**'}\n\n"
    )


def _row(of: Sequence[Figures], strict: Sequence[Figures]) -> list[str]:
    share, harvest, minutes = (fmean(getattr(one, name) for one in of) for name in ("share", "harvest", "minutes"))
    return [
        *(f"{share:.3f}", f"{harvest:.3f}", f"{minutes:.2f}"),
        f"{share / fmean(one.share for one in strict):.2f}",
        f"{minutes / fmean(one.minutes for one in strict):.2f}",
    ]


def draw(webs: dict[str, dict[str, list[Figures]]], path: Path) -> None:
    """Share and minutes by strict order's, over haste: one line per web."""
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, name, label in zip(panels, ("share", "minutes"), ("share of the oracle's area", "minutes"), strict=True):
        for web, found in webs.items():
            strict = fmean(getattr(one, name) for one in found[STRICT])
            values = [fmean(getattr(one, name) for one in found[f"{haste:g}"]) / strict for haste in HASTES]
            axes.plot(HASTES, values, marker="o", label=web)
        axes.set(xlabel="haste", ylabel=f"{label}, by strict order's", ylim=(0, 1.1))
        axes.grid(alpha=0.3)
    panels[1].legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> int:
    """Measure, print and write down. 1 when a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patience")
    parser.add_argument("--web", action="append", required=True, help="demo:PAGES or a WARC file; repeatable")
    parser.add_argument("--labels", default="", help="the labels of the WARC files")
    parser.add_argument("--topic", action="append", required=True, help="a label; used on each web that has it")
    parser.add_argument("--pages", default="x2", help="budget (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="choices of seeds and examples (default: %(default)s)")
    parser.add_argument("--strategy", default="guide", help="(default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    spec = parser.parse_args()
    text, pictured = "# Waiting for better pages\n\n" + __doc__.partition("\n\n")[2].partition("\n\n")[2] + "\n", {}
    for web in spec.web:
        is_demo = web.startswith("demo")
        topics = tuple(topic for topic in spec.topic if topic.startswith("subject.") is is_demo)
        split = Split(pages=spec.pages, seed=7)
        plan = Plan((web,), "" if is_demo else spec.labels, topics, (spec.strategy,), split, spec.repeats)
        opened, found = open_plan(plan), {}
        for haste in (None, *HASTES):
            name = STRICT if haste is None else f"{haste:g}"
            found[name] = crawls(opened, spec.strategy, haste)
            print(f"{web}: {name}", file=sys.stderr, flush=True)
        minutes = [one.minutes / 3 for one in found["1"]]
        limited = {haste: within(opened, spec.strategy, haste, minutes) for haste in (DEFAULT, 1.0)}
        pictured[Path(web).name] = found
        text += section(Path(web).name, found, limited)
    if spec.out:
        picture = spec.out.with_suffix(".png")
        draw(pictured, picture)
        text += f"![Share and minutes over haste]({picture.name})\n\n"
    return written(text + machine.described("numpy"), spec.out)


if __name__ == "__main__":
    raise SystemExit(main())
