"""docs/topic-file.md says of every setting whether it may change on an existing crawl."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from honeyguide.store.folder import FIXED
from honeyguide.topic import Topic
from honeyguide.topic.material import MODELLED

TEXT = (Path(__file__).parents[2] / "docs" / "topic-file.md").read_text(encoding="utf-8")


def test_what_is_fixed_and_what_may_change() -> None:
    table = TEXT.partition("## What may change")[2].partition("\n## ")[0]
    rows = [re.findall(r"`\[?(\w+)\]?`", first) for first in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)]
    fixed, judged_again, free = rows
    assert set(fixed) == set(FIXED)
    assert set(judged_again) == set(MODELLED) - set(FIXED)
    assert {*fixed, *judged_again, *free} == {field.name for field in fields(Topic)} - {"name"}
