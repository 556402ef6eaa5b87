"""The figures of a comparison as rows: for files, for the terminal, for pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from honeyguide.document.page import shortened
from honeyguide.errors import InputError
from honeyguide.lab.report.model_table import model_notes
from honeyguide.lab.report.ranking import RankedStrategy, TableColumn, by_place, columns, deciding, standings

_LONGEST_NAME = 32
_VERDICTS = 5  # on the best strategy, below the ranking
_SHORT_HEADS = {
    "auc_recall": "area under recall",
    "share_of_oracle": "of oracle's",
    "target_recall": "recall",
    "harvest_rate": "harvest",
    "site_recall": "sites",
    "bytes_per_relevant": "bytes/relevant",
    "virtual_minutes": "minutes",
}


def rows(results: dict[str, Any]) -> list[dict[str, Any]]:
    """One row per trial: its single figures, without the curve. All have the same keys, with None for no value."""
    cells = results["cells"]
    keys = dict.fromkeys(key for cell in cells for key, value in cell.items() if not isinstance(value, list | dict))
    return [{key: cell.get(key) for key in keys} for cell in cells]


def to_csv(results: dict[str, Any]) -> str:
    """The rows as RFC 4180 has it, with a header; no value is an empty field."""
    found = rows(results)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(found[0]) if found else ["topic", "strategy", "repeat"])
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def to_frame(results: dict[str, Any]) -> Any:
    """The rows as a pandas DataFrame. Raises `InputError` when pandas is not installed."""
    try:
        import pandas as pd  # noqa: PLC0415 (not needed by anything else)
    except ImportError:
        raise InputError("to_frame", "needs the package pandas", "pip install pandas") from None
    return pd.DataFrame(rows(results))


def table(results: dict[str, Any]) -> str:
    """The ranking as plain text for a terminal: one line per strategy, then the verdicts on the best one.

    The oracle has no place in the ranking, and a strategy that failed is only named.
    """
    ranked = standings(results)
    failed = list(dict.fromkeys(failure["strategy"] for failure in results.get("failed", [])))
    parts = [
        _ranking(ranked) if ranked else "No trial was finished." if failed else "No trial was run.",
        "\n".join(_verdicts(results["tests"], ranked)),
        "\n".join(model_notes(results["cells"])),
        f"failed and left out: {', '.join(failed)}" if failed else "",
    ]
    return "\n\n".join(filter(None, parts))


def _verdicts(tests: Sequence[dict[str, Any]], ranked: Sequence[RankedStrategy]) -> list[str]:
    found = by_place(deciding(tests), ranked)
    return [str(test["verdict"]) for test in found if test["better"] == found[0]["better"]][:_VERDICTS]


def _ranking(ranked: Sequence[RankedStrategy]) -> str:
    contenders = sum(one.place is not None for one in ranked)
    shown = columns(ranked)
    heads = ["", "strategy", *(_SHORT_HEADS[column.key] for column in shown), "better than"]
    lines = [heads, *(_line(one, shown, contenders) for one in ranked)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number == 1 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _line(one: RankedStrategy, shown: Sequence[TableColumn], contenders: int) -> list[str]:
    first, *others = shown
    return [
        "" if one.place is None else str(one.place),
        shortened(one.strategy, _LONGEST_NAME),
        " ".join(one.formatted(first)).rstrip(),
        *(one.formatted(column)[0] for column in others),
        "" if one.place is None else f"{len(one.beats)} of {contenders - 1}",
    ]
