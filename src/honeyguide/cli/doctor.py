"""``honeyguide doctor``: show what is installed, or check the integrity of a crawl."""

from __future__ import annotations

import json
import platform
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import installation
from honeyguide.cli.bar import Bar
from honeyguide.cli.complete import crawl_folders
from honeyguide.cli.output import say, say_columns
from honeyguide.document import words
from honeyguide.errors import HoneyguideError
from honeyguide.kernel import is_compiled
from honeyguide.store.soundness import examine
from honeyguide.version import VERSION

_COMPILED = "compiled"
_NOT_COMPILED = "not compiled, so crawls are slower; install a C compiler and reinstall honeyguide"


def doctor(
    crawl: Annotated[
        Path | None,
        typer.Argument(help="Folder of a crawl to check, like crawls/NAME.", autocompletion=crawl_folders),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Read every record of the archive, instead of about 200 of them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show progress.")] = False,
) -> None:
    """Show what is installed, including extras; or check the integrity of a crawl."""
    if crawl is None:
        _installation(as_json=as_json)
    else:
        _crawl(crawl, full=full, as_json=as_json, quiet=quiet)


def _crawl(folder: Path, *, full: bool, as_json: bool, quiet: bool) -> None:
    with Bar(quiet=quiet) as bar:
        findings = list(examine(folder, full=full, progress=lambda done, total: bar.show("records", done, total)))
    wrong = [finding for finding in findings if not finding.sound]
    if as_json:
        found = {"crawl": str(folder), "sound": not wrong, "checks": [asdict(finding) for finding in findings]}
        say(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        say_columns((one.check, one.text if one.sound else "not sound, see below") for one in findings)
    if wrong:
        raise HoneyguideError("; ".join(f"{one.check}: {one.text}" for one in wrong))
    if not as_json:
        say(f"{folder} is sound")


def _installation(*, as_json: bool) -> None:
    needed, extras = installation.requirements(), installation.extras()
    browser, wordnet, disk = installation.browser(), _wordnet(), shutil.disk_usage(Path())
    missing = [name for name, version in needed.items() if version is None]
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if as_json:
        found: dict[str, Any] = {
            "honeyguide": VERSION,
            "python": platform.python_version(),
            "platform": system,
            "compiled": is_compiled(),
            "requirements": needed,
            "extras": {
                one.name: {"installed": one.is_installed, "packages": one.packages, "install": one.remedy}
                for one in extras
            },
            "chromium": browser,
            "wordnet": wordnet,
            "disk_free": disk.free,
        }
        say(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        say_columns(
            [
                ("honeyguide", VERSION),
                ("Python", f"{platform.python_version()}, {system}"),
                ("kernel", _COMPILED if is_compiled() else _NOT_COMPILED),
                ("packages", _installed(needed)),
                ("Chromium", browser or "not found; `apt install chromium`, or put another Chromium or Chrome on PATH"),
                ("WordNet", wordnet or "not found; run `honeyguide wordnet` for the models that need it"),
                ("disk", f"{words.size(disk.free)} free in this folder"),
            ]
        )
        say("\nextras:")
        say_columns(
            (f"  {one.name}", _installed(one.packages) + ("" if one.is_installed else f"; to install: {one.remedy}"))
            for one in extras
        )
    if missing:
        raise HoneyguideError(f"{', '.join(missing)}: not installed; reinstall honeyguide: pip install honeyguide")


def _installed(packages: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version or '(missing)'}" for name, version in packages.items())


def _wordnet() -> str | None:
    from honeyguide.relevance.semantic import find  # noqa: PLC0415 (imports numpy)

    try:
        found = find.look()
    except HoneyguideError:
        return None
    return str(found[0]) if found else None
