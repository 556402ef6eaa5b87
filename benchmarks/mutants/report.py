"""The page about a run."""

from __future__ import annotations

import tomllib
from collections import Counter
from math import sqrt
from pathlib import Path

from benchmarks.machine import described
from benchmarks.mutants.run import INVALID, KILLED, SURVIVED, TIMEOUT, Result

_VERDICTS = Path(__file__).with_name("verdicts.toml")
_Z = 1.96  # 95 %
_INTRODUCTION = """\
# Mutants

How many small faults in the code the tests detect. A mutant is one change by an operator of mutmut. It is killed if a
test of its package fails or does not finish (timeout); the score is the share of both. The mutants of a package were
sampled (seed {seed}); the interval (95 %) is for all of them. Messages, types and decorators are not mutated.

"""


def report(packages: list[tuple[str, int, list[Result]]], seed: int) -> str:
    """Tables by package, module and operator, and every survivor with its verdict."""
    valid = {name: [one for one in found if one.outcome != INVALID] for name, _, found in packages}
    lines = [
        *_INTRODUCTION.format(seed=seed).splitlines(),
        *_head("package", "mutants"),
        *(_row(name, valid[name], f"{every:,}") for name, every, _ in packages),
    ]
    results = [one for found in valid.values() for one in found]
    for title, key in (("module", _module), ("operator", lambda one: one.operator)):
        names = sorted({key(one) for one in results})
        lines += ["", *_head(title), *(_row(name, [one for one in results if key(one) == name]) for name in names)]
    lines += ["", "## Survivors", ""]
    verdicts = _verdicts()
    for one in results:
        if one.outcome == SURVIVED:
            verdict = verdicts.get((_module(one), one.before, one.after), "not reviewed yet")
            lines += [f"- {_module(one)}:{one.line}: {verdict}", f"  - `{one.before}`", f"  - `{one.after}`"]
    return "\n".join([*lines, "", described("mutmut", "pytest", "coverage")])


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Wilson's interval for the share that is killed."""
    if not tried:
        return 0.0, 1.0
    share, scale = killed / tried, 1 + _Z**2 / tried
    middle = share + _Z**2 / (2 * tried)
    spread = _Z * sqrt(share * (1 - share) / tried + _Z**2 / (4 * tried**2))
    return max((middle - spread) / scale, 0.0), min((middle + spread) / scale, 1.0)


def _head(title: str, *more: str) -> list[str]:
    names = [title, *more, "tried", "killed", "timeout", "survived", "score", "interval"]
    return [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]


def _row(name: str, found: list[Result], *more: str) -> str:
    counts = Counter(one.outcome for one in found)
    killed = counts[KILLED] + counts[TIMEOUT]
    low, high = interval(killed, len(found))
    cells = [name, *more, len(found), counts[KILLED], counts[TIMEOUT], counts[SURVIVED]]
    score = f"{killed / len(found):.0%}" if found else ""
    return f"| {' | '.join(map(str, cells))} | {score} | {low:.0%} to {high:.0%} |"


def _module(one: Result) -> str:
    return one.file.removeprefix("src/honeyguide/")


def _verdicts() -> dict[tuple[str, str, str], str]:
    """What looking at survivors has shown, by module and change: line numbers would not last."""
    if not _VERDICTS.exists():
        return {}
    found = tomllib.loads(_VERDICTS.read_text(encoding="utf-8"))["survivor"]
    return {(one["module"], one["before"], one["after"]): one["verdict"] for one in found}
