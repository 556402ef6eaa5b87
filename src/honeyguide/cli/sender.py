"""Who sends a command, for the record of a crawl."""

from __future__ import annotations

import getpass
import socket


def sender(command: str) -> str:
    """The command, the user and the host: ``tell: ann@example``."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        user = "?"
    return f"{command}: {user}@{socket.gethostname()}"
