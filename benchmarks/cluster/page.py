"""results/cluster.md: all measurements, compared with the goals."""

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
        ["# Crawls on several machines", "", "`python -m benchmarks.cluster --help` shows how to repeat each part."],
        _simulations(results.all("simulation")),
        _loopback(results.all("loopback")),
        _throughput(results.all("throughput")),
        _faults(results.all("faults")),
        _politeness(results.all("politeness")),
        [machine.described("numpy").rstrip()],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def settings(key: str) -> dict[str, str]:
    """The settings of a measurement, from its name."""
    return dict(part.split("=") for part in key.split(" ")[1:])


def _reached(*, is_reached: bool) -> str:
    return "yes" if is_reached else "**no**"


_COLUMNS = (
    "web (seed)",
    "budget",
    "shards",
    "lost",
    "crashes",
    "relevant",
    "× one machine",
    "≥ .97",
    "largest share",
    "virtual s",
    "links sent",
    "bytes per link",
    "of which URL",
    "batches",
    "reports",
    "bytes per report",
    "CPU s",
)


def _row(values: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, values))} |"


def _simulations(found: dict[str, Figures]) -> list[str]:
    """Clusters on the virtual clock, each against one machine with the same web and budget."""
    groups: defaultdict[tuple[str, ...], dict[str, Figures]] = defaultdict(dict)
    for key, figures in found.items():
        spec = settings(key)
        groups[spec["web"], spec["budget"], spec["seed"], spec["connections"]][key] = figures
    lines = [
        "## On the virtual clock",
        "",
        "Shards are objects in one process, with their real databases and archives and the default politeness; a",
        "response takes 0.2 s, a message 20 ms on average. Relevant pages are compared with those of one machine at",
        "the same budget. Bytes are those of compressed messages, including resent ones; URLs are uncompressed.",
        "",
        _row(_COLUMNS),
        _row("---" for _ in _COLUMNS),
    ]
    ratios: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for members in groups.values():
        alone = next((figures for key, figures in members.items() if settings(key)["shards"] == "0"), None)
        for key, one in members.items():
            spec = settings(key)
            ratio = one["relevant"] / alone["relevant"] if alone else 0.0
            if spec["shards"] != "0":
                ratios[spec["web"], spec["shards"]].append(ratio)
            lines.append(_row(_cells(spec, one, ratio)))
    for (web, shards), several in ratios.items():
        if len(several) > 1:
            mean = sum(several) / len(several)
            lines += ["", f"demo:{web}, {shards} shards: {mean:.3f} × one machine, mean of {len(several)} webs."]
    return lines if found else []


def _cells(spec: dict[str, str], one: Figures, ratio: float) -> list[str]:
    """The cells of one simulated crawl."""
    common = [f"demo:{spec['web']} ({spec['seed']})", f"{one['pages']:,}"]
    end = [f"{one['cpu']:,.0f}"]
    if spec["shards"] == "0":
        counts = ["one machine", "", "", f"{one['relevant']:,}", "", "", "", f"{one['seconds']:,.0f}"]
        return [*common, *counts, *[""] * 6, *end]
    links, reports = max(one["links"], 1), max(one["reports"], 1)
    return [
        *common,
        spec["shards"],
        f"{float(spec['lost']):.0%}",
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


def _loopback(found: dict[str, Figures]) -> list[str]:
    """Clusters on webs served on loopback, each against one machine."""
    alone: dict[tuple[str, ...], Figures] = {}
    for key, figures in found.items():
        if (spec := settings(key))["shards"] == "0":
            alone[_crawl_spec(spec)] = figures
    lines = [
        "## On loopback",
        "",
        "The web is served by another process, and crawled in real time. Pages are judged by their labels.",
        "Each host of a recorded web has been moved to its own domain, in URLs and links: a shard owns whole",
        "registered domains, and all of uci-ics is one domain, so that it would be crawled by a single shard.",
        "Seeds are five pages of the topic; the only keyword is its name. The delay is that between two requests to",
        "a host.",
        "",
        "| web | topic | seeds | delay | pages | shards | one machine | shards | × | ≥ .97 | largest share |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    ratios: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for key, one in found.items():
        spec = settings(key)
        if spec["shards"] == "0" or _crawl_spec(spec) not in alone:
            continue
        other = alone[_crawl_spec(spec)]
        where = f"{spec['shards']}{' on Ray' if spec['ray'] == '1' else ''}"
        ratio = one["relevant"] / other["relevant"]
        ratios[spec["web"].split(":")[0]].append((one["relevant"], other["relevant"]))
        about = [spec["web"], spec["topic"], spec["seed"], f"{float(spec['delay']):g} s"]
        cells = [*about, f"{one['pages']:,}", where, other["relevant"]]
        verdict = _reached(is_reached=ratio >= 0.97)
        lines.append(_row([*cells, one["relevant"], f"{ratio:.3f}", verdict, f"{one['largest share']:.0%}"]))
    for web, several in ratios.items():
        together = sum(one for one, _ in several) / sum(other for _, other in several)
        verdict = _reached(is_reached=together >= 0.97)
        lines += ["", f"{web}: {together:.3f} × the relevant pages of one machine, all crawls together; {verdict}."]
    return lines if ratios else []


def _crawl_spec(spec: dict[str, str]) -> tuple[str, ...]:
    """The settings shared by a cluster and the single machine that it is compared with."""
    return tuple(spec[name] for name in ("web", "topic", "budget", "delay", "seed"))


_CRAWLERS = {
    "alone": "one process",
    "side-by-side": "two such processes side by side, no cluster",
    "in-process": "2 shards in one process",
    "ray": "2 shards on Ray",
}


def _throughput(found: dict[str, Figures]) -> list[str]:
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    loads: list[float] = []
    for key, one in found.items():
        spec = settings(key)
        times[spec["pages"], spec["kind"]].append(1000 * one["cpu"] / one["pages"])
        loads.append(one["load"])
    lines = [
        "## Pages per second of CPU time",
        "",
        "Pages, page server and politeness as in results/throughput.md: 60 hosts, no delays, guide, no workers. The",
        "CPU time is that of the shards' processes, including Ray's threads, and of the coordinator; Ray's own",
        "processes and start-up are not counted. The ratio is CPU time of one process / CPU time of the shards; the",
        "goal is at least .85. Two independent crawls side by side show the effect of two busy cores alone: of shared",
        f"caches and memory. Load up to {max(loads, default=0.0):.1f}.",
        "",
        "| pages | | rounds | CPU ms per page: best | median | ratio: best | median | ≥ .85 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    order = list(_CRAWLERS)
    for (pages, kind), several in sorted(times.items(), key=lambda one: (one[0][0], order.index(one[0][1]))):
        alone = times.get((pages, "alone"), several)
        best, middle = min(alone) / min(several), median(alone) / median(several)
        ratios = [f"{best:.2f}", f"{middle:.2f}", _reached(is_reached=middle >= 0.85)] if kind != "alone" else [""] * 3
        figures = [len(several), f"{min(several):.2f}", f"{median(several):.2f}"]
        lines.append(_row([pages, _CRAWLERS[kind], *figures, *ratios]))
    return lines if found else []


def _faults(found: dict[str, Figures]) -> list[str]:
    if not found:
        return []
    lines = [
        "## Kills",
        "",
        "Whole webs on Ray clusters with three shards; SIGKILL at a random moment. Checked: the same pages as on one",
        "machine, no page in two shards, no page with a row requested again, archives and databases intact.",
        "",
        "| killed | crawls | pages | same result as uninterrupted |",
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
            f"- {one['requests']:,} requests by {one['shards']} shards to {one['hosts']:,} hosts of "
            f"{one['domains']:,} domains at {one['addresses']:,} addresses in {one['seconds']:,.0f} s. "
            f"Violations: {violations}; goal met: "
            f"{_reached(is_reached=not one['violations'])}."
        )
        lines += [f"  - {example}" for example in one["examples"][:5]]
    return lines
