"""results/cluster.md: all that was measured, against what should be reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Any

from benchmarks import machine
from benchmarks.cluster.results import Results

Figures = dict[str, Any]


def text(results: Results) -> str:
    """The page."""
    parts = [
        ["# Crawls on several machines", "", "`python -m benchmarks.cluster --help` says how to repeat each part."],
        _simulations(results.all("simulation")),
        _throughput(results.all("throughput")),
        _faults(results.all("faults")),
        _politeness(results.all("politeness")),
        [machine.described("numpy").rstrip()],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def settings(key: str) -> dict[str, str]:
    """What a measurement was made with, from its name."""
    return dict(part.split("=") for part in key.split(" ")[1:])


def _reached(*, is_reached: bool) -> str:
    return "yes" if is_reached else "**no**"


_COLUMNS = (
    "web (seed)",
    "budget",
    "shards",
    "lost",
    "deaths",
    "relevant",
    "× one machine",
    "≥ .97",
    "largest share",
    "virtual s",
    "links sent",
    "bytes a link",
    "of which URL",
    "parcels",
    "reports",
    "bytes a report",
    "CPU s",
)


def _row(values: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, values))} |"


def _simulations(found: dict[str, Figures]) -> list[str]:
    """Clusters on the virtual clock, each against one machine with the same web and budget."""
    groups: defaultdict[tuple[str, ...], dict[str, Figures]] = defaultdict(dict)
    for key, figures in found.items():
        told = settings(key)
        groups[told["web"], told["budget"], told["seed"], told["connections"]][key] = figures
    lines = [
        "## On the virtual clock",
        "",
        "Shards are objects in one process, with their real databases and archives; the default politeness; an answer",
        "takes 0.2 s, a message 20 ms on average. Relevant pages are compared with those of one machine at the same",
        "budget. Bytes are those of compressed parcels, sent again ones included; URLs are counted before compression.",
        "",
        _row(_COLUMNS),
        _row("---" for _ in _COLUMNS),
    ]
    ratios: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for members in groups.values():
        alone = next((figures for key, figures in members.items() if settings(key)["shards"] == "0"), None)
        for key, one in members.items():
            told = settings(key)
            ratio = one["relevant"] / alone["relevant"] if alone else 0.0
            if told["shards"] != "0":
                ratios[told["web"], told["shards"]].append(ratio)
            lines.append(_row(_cells(told, one, ratio)))
    for (web, shards), several in ratios.items():
        if len(several) > 1:
            mean = sum(several) / len(several)
            lines += ["", f"demo:{web}, {shards} shards: {mean:.3f} × one machine on average of {len(several)} webs."]
    return lines if found else []


def _cells(told: dict[str, str], one: Figures, ratio: float) -> list[str]:
    """The cells of one simulated crawl."""
    common = [f"demo:{told['web']} ({told['seed']})", f"{one['pages']:,}"]
    end = [f"{one['cpu']:,.0f}"]
    if told["shards"] == "0":
        counts = ["one machine", "", "", f"{one['relevant']:,}", "", "", "", f"{one['seconds']:,.0f}"]
        return [*common, *counts, *[""] * 6, *end]
    links, reports = max(one["links"], 1), max(one["reports"], 1)
    return [
        *common,
        told["shards"],
        f"{float(told['lost']):.0%}",
        str(one["deaths"]),
        f"{one['relevant']:,}",
        f"{ratio:.3f}",
        _reached(is_reached=ratio >= 0.97),
        f"{one['largest share']:.1%}",
        f"{one['seconds']:,.0f}",
        f"{links:,}",
        f"{one['parcel bytes'] / links:.0f}",
        f"{one['url bytes'] / links:.0f}",
        f"{one['parcels']:,}",
        f"{reports:,}",
        f"{one['report bytes'] / reports:,.0f}",
        *end,
    ]


def _throughput(found: dict[str, Figures]) -> list[str]:
    if not found:
        return []
    rates: defaultdict[str, list[float]] = defaultdict(list)
    for key, figures in found.items():
        rates[settings(key)["shards"]].append(figures["pages per CPU second"])
    lines = [
        "## Pages per second of CPU time",
        "",
        "Two shards on Ray, with the coordinator, against one process; no delays; the time to make the demo web's",
        "pages is taken off. Medians of the rounds. Processes of Ray itself and the start are not counted.",
        "",
        "| | pages per CPU second | rounds | load |",
        "|---|---|---|---|",
    ]
    for shards, several in sorted(rates.items()):
        loads = [one["load"] for key, one in found.items() if settings(key)["shards"] == shards]
        name = "one process" if shards == "0" else f"{shards} shards"
        lines.append(f"| {name} | {median(several):.1f} | {len(several)} | {max(loads):.1f} |")
    if {"0", "2"} <= rates.keys():
        ratio = median(rates["2"]) / median(rates["0"])
        lines += ["", f"Ratio: {ratio:.2f}; at least .85 asked for: {_reached(is_reached=ratio >= 0.85)}."]
    return lines


def _faults(found: dict[str, Figures]) -> list[str]:
    if not found:
        return []
    lines = [
        "## Kills",
        "",
        "Whole webs on clusters of Ray with three shards; SIGKILL at a random moment. Checked: the same pages as one",
        "machine, no page in two shards, none requested again that had a row, archives and databases whole.",
        "",
        "| killed | crawls | pages | as if undisturbed |",
        "|---|---|---|---|",
    ]
    for kind in ("node", "coordinator", "driver"):
        several = [one for key, one in found.items() if settings(key)["kind"] == kind]
        good = [one for one in several if not one["problem"]]
        if several:
            pages = sum(one["pages"] for one in good)
            verdict = _reached(is_reached=len(good) == len(several))
            lines.append(f"| {kind} | {len(several)} | {pages:,} | {len(good)} of {len(several)}: {verdict} |")
        lines += [f"| | | | {one['problem']} |" for one in several if one["problem"]]
    return lines


def _politeness(found: dict[str, Figures]) -> list[str]:
    lines = ["## Politeness, by the server's own checks", ""] if found else []
    for one in found.values():
        violations = one["violations"] or "none"
        lines.append(
            f"- {one['requests']:,} requests of {one['shards']} shards to {one['hosts']:,} hosts of "
            f"{one['domains']:,} domains at {one['addresses']:,} addresses in {one['seconds']:,.0f} s. "
            f"Violations: {violations}; none asked for: "
            f"{_reached(is_reached=not one['violations'])}."
        )
        lines += [f"  - {example}" for example in one["examples"][:5]]
    return lines
