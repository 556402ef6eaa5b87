"""Values as TOML text."""

from __future__ import annotations

_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def toml(value: object) -> str:
    """The value of a setting as TOML on one line: a boolean, a finite number, a string, or a tuple of these."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return f'"{"".join(map(_character, value))}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, value))}]"
    raise TypeError(f"no TOML for {type(value).__name__}")


def assignment(name: str, value: object, width: int) -> list[str]:
    """``name = value`` as lines. A list that does not fit on one line is wrapped over several."""
    line = f"{name} = {toml(value)}"
    if len(line) <= width or not isinstance(value, tuple):
        return [line]
    lines = [f"{name} = ["]
    row = ""
    for item in value:
        text = f"{toml(item)},"
        if row and len(row) + 1 + len(text) > width:
            lines.append(row)
            row = ""
        row = f"{row} {text}" if row else f"    {text}"
    return [*lines, row, "]"]


def _character(character: str) -> str:
    """A character, escaped if TOML requires it or if it is invisible: invisible characters hide mistakes."""
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
