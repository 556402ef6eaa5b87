"""The settings of guide, chosen on all webs except the reported one: left-out and in-sample figures.

    python -m benchmarks.guide_settings --web WARC LABELS SEEDS TOPIC ... [--web ...] --out results/guide-settings.md

LABELS is "-" for a demo web. SEEDS is a file of URLs to start from, or "-" for pages of the topic. Each setting crawls
every topic; the figure of a web is the mean area, relative to the oracle's, over its topics and samples of seeds and
examples. For each web, the setting with the best mean on the others is reported.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from statistics import fmean

import honeyguide
from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.guide import shares

GRID = {"clarity": (0.5, 1.0), "caution": (0.0, 1.0, 2.0), "boldness": (0.0, 0.3)}
DEFAULT = "guide(clarity=0.5, caution=1.0, boldness=0.3)"

Figures = Mapping[str, Mapping[str, float]]
"""By setting and web."""


def settings() -> list[str]:
    """Every combination, as the spec of a strategy."""
    return [
        f"guide({', '.join(f'{name}={value}' for name, value in zip(GRID, values, strict=True))})"
        for values in product(*GRID.values())
    ]


def left_out(found: Figures, web: str) -> str:
    """The setting with the best mean on the other webs."""
    return max(found, key=lambda setting: fmean(value for other, value in found[setting].items() if other != web))


def page(found: Figures, webs: list[str]) -> str:
    """The tables."""
    rows = [("default", DEFAULT), *((setting, setting) for setting in found)]
    lines = [
        f"| {name.removeprefix('guide')} | {' | '.join(f'{found[of][web]:.3f}' for web in webs)} |"
        f" {fmean(found[of].values()):.3f} |\n"
        for name, of in rows
    ]
    chosen = {web: left_out(found, web) for web in webs}
    best = {web: max(found, key=lambda setting, web=web: found[setting][web]) for web in webs}  # type: ignore[misc]
    apart = [
        f"| {web} | {found[chosen[web]][web]:.3f} | {chosen[web].removeprefix('guide')} | {found[best[web]][web]:.3f} |"
        f" {found[DEFAULT][web]:.3f} |\n"
        for web in webs
    ]
    return (
        f"| left out | chosen on the others | which is | best in sample | default |\n"
        f"|---|---|---|---|---|\n{''.join(apart)}\n"
        f"| | {' | '.join(webs)} | mean |\n|---|{'---|' * (len(webs) + 1)}\n{''.join(lines)}"
    )


def main() -> int:
    """Compare, print and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guide_settings")
    parser.add_argument("--web", nargs="+", action="append", required=True, metavar=("WARC", "LABELS, SEEDS, TOPIC"))
    parser.add_argument("--repeats", type=int, default=2, help="samples of seeds and examples (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--kept", type=Path, help="folder of finished trials, to resume from")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    spec = parser.parse_args()
    found: dict[str, dict[str, float]] = {setting: {} for setting in settings()}
    for web, labels, seeds, *topics in spec.web:
        name = Path(web).name
        compared = honeyguide.compare(
            web=web, labels="" if labels == "-" else labels, topics=topics, strategies=settings(), pages="x2", seed=11,
            seed_urls=[] if seeds == "-" else Path(seeds).read_text(encoding="utf-8").split(), repeats=spec.repeats,
            jobs=spec.jobs, out=spec.kept / name if spec.kept else None,
        )  # fmt: skip
        print(f"{name}: done", file=sys.stderr, flush=True)
        for setting, of in shares(compared.results["cells"]).items():
            found[setting][name] = fmean(of.values())
    text = (
        f"# The settings of guide\n\nArea under target recall, relative to the oracle; budget twice the"
        f" topic's size, 30 examples (at most half the topic), {spec.repeats} samples of seeds and examples.\n\n"
        f"{page(found, [Path(web).name for web, *_ in spec.web])}\n{machine.described('numpy')}"
    )
    return written(text, spec.out)


if __name__ == "__main__":
    raise SystemExit(main())
