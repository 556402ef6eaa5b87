"""Pages of the demo web that are written by scripts: an empty page, the script that fills it, and its data."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from honeyguide.proxy.answer import Answer, html

SCRIPT: Final = "/app.js"
CONTENT: Final = "/content"
"""Comes before the path of a page in the path of what its script fetches."""

_SHELL = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Loading</title><script src="{SCRIPT}" defer></script></head>
<body><div id="root"></div><noscript>This site needs JavaScript.</noscript></body></html>
"""
_APP = f"""
fetch("{CONTENT}" + location.pathname + location.search)
  .then((answer) => answer.text())
  .then((text) => {{
    const page = new DOMParser().parseFromString(text, "text/html");
    document.title = page.title;
    document.getElementById("root").append(...page.body.childNodes);
  }});
"""

SHELL: Final = html(_SHELL)
"""What every page of such a site is before its script has run."""
APP: Final = Answer(200, (("Content-Type", "text/javascript; charset=utf-8"),), _APP.encode())


def is_scripted(seed: int, host: str, share: float) -> bool:
    """Whether scripts write the pages of a host: those of a share of all hosts, the same in every process."""
    return int.from_bytes(blake2b(f"{seed} {host}".encode(), digest_size=4).digest(), "big") < share * 2**32
