"""``honeyguide init``: write a topic file to fill in."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from honeyguide.atomic_write import output_file
from honeyguide.cli.output import say
from honeyguide.errors import InputError
from honeyguide.topic import template


def init(
    name: Annotated[str, typer.Argument(help="Name of the topic; the file will be NAME.toml.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a topic file with every setting explained."""
    text = template(name.removesuffix(".toml"))
    path = Path(f"{name.removesuffix('.toml')}.toml")
    if path.exists() and not force:
        raise InputError(str(path), "already exists", "choose another name, or overwrite it with --force")
    with output_file(path) as file:
        file.write(text.encode())
    say(f"wrote {path}: fill in seeds and keywords, then run: honeyguide crawl {quote(str(path))}")
