"""Benefit and cost of waiting for better pages, by the setting ``budget.haste``.

    python -m benchmarks.patience --web demo:10000 [--web WARC --labels TSV] --topic LABEL ... --out results/patience.md

Each case is crawled with one connection, strictly by priority, and with eight, as in a live crawl (delays of 1 s per
host and 0.5 s per domain), at several settings; then once more within a third of the time that never waiting takes,
where waiting should not happen. Topics that begin with "subject." are those of demo webs. A plot is saved next to the
page.

Strict order has host delays, but no domain delays. Its time with domain delays is also given: that is the time of a
crawl as polite as the others. The fastest polite crawl is the one that never waits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

from matplotlib.figure import Figure

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.kept import kept
from honeyguide.fetch.settings import FetchSettings
from honeyguide.lab.cases import Split
from honeyguide.lab.judges import Judge
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.replay import replay
from honeyguide.lab.trial import CaseRunner, Contender, TrialResult
from honeyguide.lab.visits import RequestTiming
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

STRICT, POLITE = "strict order", "strict order, domains rest"
HASTES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
DEFAULT, NEVER, CONNECTIONS = 0.5, 1.0, 8
LEAST_SHARE, MOST_MINUTES = 0.95, 0.5  # of those in strict order, at the default
_SEED = 7

_opened = lru_cache(maxsize=1)(open_plan)  # of this process


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one crawl."""

    share: float
    harvest: float
    minutes: float


@dataclass(frozen=True, slots=True)
class CaseTask:
    """All crawls of one case."""

    plan: Plan
    topic: str
    repeat: int
    hastes: tuple[float, ...]
    kept: Path | None

    @property
    def strategy(self) -> str:
        """The one strategy of the plan."""
        (name,) = self.plan.strategies
        return name


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """The figures of one case: of each way to crawl, and the relevant pages found within a time limit, by haste."""

    crawls: dict[str, Figures]
    limited: dict[str, int]


def measured(task: CaseTask) -> CaseFigures:
    """Crawl a case in all ways. What was crawled before, with the same code, is not crawled again."""
    opened = _opened(task.plan)
    contender, timing = Contender.named(task.strategy, task.plan.model), task.plan.timing
    polite = replace(timing, domain_delay=FetchSettings().domain_delay)

    @cache
    def runner() -> CaseRunner:  # only if needed: the oracle's crawl takes long
        judge = Judge.named(task.plan.judge)
        return CaseRunner(opened.judged_case(task.topic, task.repeat), judge, opened.fixture, timing)

    def crawled(name: str, timing: RequestTiming, **settings: Mapping[str, object]) -> Figures:
        made = kept(task.kept, [*key, name], lambda: _figures(runner().run(contender, timing, **settings)))
        print(f"{task.plan.webs[0]}, {task.topic}, {name}: {made}", file=sys.stderr, flush=True)
        return Figures(**made)

    key = [opened.key(task.topic, task.repeat, contender, task.plan.code(contender))]
    found = {STRICT: crawled(STRICT, timing), POLITE: crawled(POLITE, polite)}
    for haste in task.hastes:
        found[f"{haste:g}"] = crawled(f"{haste:g}", timing, fetch={"connections": CONNECTIONS}, budget={"haste": haste})
    minutes = found[f"{NEVER:g}"].minutes / 3
    limited = {
        f"{haste:g}": kept(task.kept, [*key, haste, minutes], partial(relevant_within, opened, task, haste, minutes))
        for haste in (DEFAULT, NEVER)
    }
    return CaseFigures(found, limited)


def _figures(result: TrialResult) -> dict[str, float]:
    """As `Figures` has them."""
    cell = result.cell
    return {"share": cell["share_of_oracle"], "harvest": cell["harvest_rate"], "minutes": cell["virtual_minutes"]}


def relevant_within(opened: OpenPlan, task: CaseTask, haste: float, minutes: float) -> int:
    """How many relevant pages a crawl finds within a time limit, whatever the number of pages."""
    fixture, plan = replace(opened.fixture, connections=CONNECTIONS, haste=haste), opened.plan
    case = opened.judged_case(task.topic, task.repeat).case
    limited = fixture.topic(case, model=plan.model, strategy=task.strategy)
    limited = limited.with_settings(budget={"pages": 0, "minutes": minutes})
    texts = [[fixture.text(url) for url in urls] for urls in (case.examples, case.others)]
    steps = replay(limited, make_model(material_of(limited, *texts)), fixture.web, plan.timing).steps
    return len({step.url for step in steps} & (case.relevant - case.given))


def section(web: str, cases: Sequence[CaseFigures]) -> str:
    """The table of one web, and whether the goals are met."""
    means = {name: _mean([case.crawls[name] for case in cases]) for name in cases[0].crawls}
    strict, polite, fastest, default = (means[name] for name in (STRICT, POLITE, f"{NEVER:g}", f"{DEFAULT:g}"))
    lines = [
        f"| {name} | {of.share:.3f} | {of.harvest:.3f} | {of.minutes:.2f} | {of.share / strict.share:.2f} |"
        f" {of.minutes / strict.minutes:.2f} | {of.minutes / polite.minutes:.2f} |"
        f" {of.minutes / fastest.minutes:.2f} |\n"
        for name, of in means.items()
    ]
    share, minutes = default.share / strict.share, default.minutes / strict.minutes
    reached = _verdict(share >= LEAST_SHARE)
    limited = {name: fmean(case.limited[name] for case in cases) for name in cases[0].limited}
    ours, never = limited[f"{DEFAULT:g}"], limited[f"{NEVER:g}"]
    return (
        f"## {web}\n\n| haste | area, relative to the oracle | harvest | virtual minutes | area / strict |"
        f" minutes / strict | minutes / strict with domain delays | minutes / never waiting |\n"
        f"|---|---|---|---|---|---|---|---|\n{''.join(lines)}\n"
        f"- Default: area {share:.2f} × that of strict order (goal: {LEAST_SHARE}): {reached}\n"
        f"- Time: {minutes:.2f} × that of strict order (goal: {MOST_MINUTES}): {_verdict(minutes <= MOST_MINUTES)};"
        f" {default.minutes / polite.minutes:.2f} × if strict order also has domain delays. Never waiting takes"
        f" {fastest.minutes / strict.minutes:.2f} × and {fastest.minutes / polite.minutes:.2f} ×\n"
        f"- Relevant pages within a time limit: {ours:.1f}, never waiting {never:.1f}: {_verdict(ours >= never)}\n\n"
    )


def _verdict(reached: bool) -> str:
    return "yes" if reached else "**no**"


def _mean(of: Sequence[Figures]) -> Figures:
    return Figures(*(fmean(getattr(one, name) for one in of) for name in ("share", "harvest", "minutes")))


def draw(webs: Mapping[str, Sequence[CaseFigures]], path: Path) -> None:
    """Share and minutes, relative to strict order, over haste: one line per web."""
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, name, label in zip(panels, ("share", "minutes"), ("area", "minutes"), strict=True):
        for web, cases in webs.items():
            hastes = sorted(float(way) for way in cases[0].crawls if way not in (STRICT, POLITE))
            means = {way: fmean(getattr(case.crawls[way], name) for case in cases) for way in cases[0].crawls}
            axes.plot(hastes, [means[f"{haste:g}"] / means[STRICT] for haste in hastes], marker="o", label=web)
        axes.set(xlabel="haste", ylabel=f"{label}, relative to strict order", ylim=(0, 1.1))
        axes.grid(alpha=0.3)
    panels[1].legend(frameon=False)
    figure.savefig(path, dpi=110)


def tasks(spec: argparse.Namespace) -> list[CaseTask]:
    """The cases of all webs."""
    found = []
    for web in (*spec.web, *spec.big_web):
        is_demo, is_big = web.startswith("demo"), web in spec.big_web
        topics = tuple(topic for topic in spec.topic if topic.startswith("subject.") is is_demo)
        split = Split(pages=spec.big_pages if is_big else spec.pages, seed=_SEED)
        plan = Plan((web,), "" if is_demo else spec.labels, topics, (spec.strategy,), split, spec.repeats)
        hastes = (DEFAULT, NEVER) if is_big else HASTES
        found += [CaseTask(plan, topic, one, hastes, spec.kept) for topic in topics for one in range(spec.repeats)]
    return found


def main() -> int:
    """Measure, print and write down. 1 when a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patience")
    parser.add_argument("--web", action="append", default=[], help="demo:PAGES or a WARC file; repeatable")
    parser.add_argument("--big-web", action="append", default=[], help="the same, at two settings only")
    parser.add_argument("--labels", default="", help="the labels of the WARC files")
    parser.add_argument("--topic", action="append", required=True, help="a label; used on each web that has it")
    parser.add_argument("--pages", default="x2", help="budget (default: %(default)s)")
    parser.add_argument("--big-pages", default="x2", help="budget on big webs (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="samples of seeds and examples (default: %(default)s)")
    parser.add_argument("--strategy", default="guide", help="(default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--kept", type=Path, help="folder of finished crawls, to resume from")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    spec = parser.parse_args()
    todo, webs = tasks(spec), dict[str, list[CaseFigures]]()
    with ProcessPoolExecutor(spec.jobs, get_context("spawn")) as pool:
        for task, figures in zip(todo, pool.map(measured, todo), strict=True):
            webs.setdefault(Path(task.plan.webs[0]).name, []).append(figures)
    about = __doc__.partition("\n\n")[2].partition("\n\n")[2]
    text = f"# Waiting for better pages\n\n{about}\n{''.join(section(web, cases) for web, cases in webs.items())}"
    if spec.out:
        picture = spec.out.with_suffix(".png")
        draw(webs, picture)
        text += f"![Share and minutes over haste]({picture.name})\n\n"
    return written(text + machine.described("numpy"), spec.out)


if __name__ == "__main__":
    raise SystemExit(main())
