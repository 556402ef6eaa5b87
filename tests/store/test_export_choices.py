"""Which pages are exported: duplicates, languages, relevance, dates and samples, the same in every format."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from honeyguide.errors import InputError
from honeyguide.store.connection import sample_rank
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import ExportOptions, export, export_formats
from honeyguide.store.export.options import parse_sample, parse_time

Scripted = Callable[..., Crawl]
HOME = "http://a.example/"
EN = "the honey bee lives in a hive with thousands of others and makes honey from what it finds in the flowers " * 4
DE = "die Biene lebt mit tausenden anderen in einem Stock und macht aus dem, was sie in Blüten findet, honey " * 4


@pytest.fixture
def crawl(scripted: Scripted) -> Crawl:
    links = "".join(f"<a href=/{name}>{name}</a> " for name in ("one", "same", "near", "de", "cars", "none"))
    pages = {
        HOME: f"<html lang=en><p>bee {EN}</p>{links}",
        f"{HOME}one": f"<html lang=en><title>One</title><p>{EN} honey bee honey bee</p>",
        f"{HOME}same": f"<html lang=en><title>One</title><p>{EN} honey bee honey bee</p>",
        f"{HOME}near": f"<html lang=en><title>Near</title><p>{EN} honey bee honey bee</p>",
        f"{HOME}de": f"<html lang=de><p>{DE} bee</p>",
        f"{HOME}cars": "<html lang=en><p>cars and engines</p>",
        f"{HOME}none": "<p>honey bee</p>",
    }
    return scripted(pages, strategy={"name": "breadth-first"})


def urls(crawl: Crawl, form: str = "jsonl", **options: Any) -> list[str]:
    """The pages that are exported, without what their URLs have in common."""
    out = io.BytesIO()
    count = export(crawl, form, out, ExportOptions(**options))
    if form == "warc":
        out.seek(0)
        records = [record for record in ArchiveIterator(out) if record.rec_type in {"response", "revisit"}]
        found = [record.rec_headers.get_header("WARC-Target-URI") for record in records]
    else:
        found = [json.loads(line)["url"] for line in out.getvalue().splitlines()]
    assert len(found) == count
    return [url.removeprefix(HOME) for url in found]


@pytest.mark.parametrize("form", ["jsonl", "warc"])
def test_each_choice(crawl: Crawl, form: str) -> None:
    assert urls(crawl, form) == ["", "de", "none"]
    assert urls(crawl, form, dedup="near") == ["", "de", "none"]
    assert urls(crawl, form, dedup="exact") == ["", "one", "near", "de", "none"]
    assert urls(crawl, form, dedup="none") == ["", "one", "same", "near", "de", "none"]
    assert urls(crawl, form, relevant_only=False, dedup="near") == ["", "de", "cars", "none"]
    assert urls(crawl, form, language=("de",)) == ["de"]
    assert urls(crawl, form, language=("und", "de")) == ["de", "none"]
    best = max(page.relevance for page in crawl.pages())
    chosen = urls(crawl, form, min_relevance=best)
    assert chosen == [page.url.removeprefix(HOME) for page in crawl.pages() if page.relevance == best]
    assert 0 < len(chosen) < 3
    times = sorted(page.fetched for page in crawl.pages(relevant=False))
    assert urls(crawl, form, relevant_only=False, since=times[4]) == ["de", "cars", "none"]
    assert urls(crawl, form, since=times[-1] + 1) == []


def test_languages_that_cannot_be_told_apart_are_one(scripted: Scripted) -> None:
    crawl = scripted({HOME: "<html lang=nb><p>honey bee"})
    assert urls(crawl, language=("no",)) == urls(crawl, language=("nn",)) == [""]
    assert urls(crawl, language=("sv",)) == []


def test_shards_of_a_cluster_do_not_know_each_others_duplicates(crawl: Crawl) -> None:
    """The database of such a crawl has equal pages of which neither is called a duplicate."""
    with closing(sqlite3.connect(crawl.path / "crawl.sqlite")) as database, database:
        database.execute("UPDATE pages SET duplicate_of = NULL, same_as = NULL")
    assert "same" not in urls(crawl)
    assert "near" in urls(crawl)


def test_a_sample_is_the_same_every_time_and_part_of_larger_ones(demo_crawl: Crawl) -> None:
    every = urls(demo_crawl, relevant_only=False)
    samples = {size: urls(demo_crawl, relevant_only=False, sample=size) for size in (1, 10, 50, 1000)}
    assert [len(sample) for sample in samples.values()] == [1, 10, 50, 100]
    assert set(samples[1]) < set(samples[10]) < set(samples[50]) < set(every)
    assert samples[10] == urls(demo_crawl, relevant_only=False, sample=10)
    assert samples[10] == [url for url in every if url in samples[10]]  # in the order of the crawl
    assert samples[10] != urls(demo_crawl, relevant_only=False, sample=10, seed=1)
    assert urls(demo_crawl, "warc", sample=5) == urls(demo_crawl, sample=5)


def test_a_share_keeps_its_pages_as_a_crawl_grows(demo_crawl: Crawl) -> None:
    third = urls(demo_crawl, relevant_only=False, sample=1 / 3)
    assert 20 < len(third) < 47
    ranks = {
        url: sample_rank(HOME + url if "://" not in url else url, 0) for url in urls(demo_crawl, relevant_only=False)
    }
    assert third == [url for url, rank in ranks.items() if rank < 1 / 3]


@settings(max_examples=50)
@given(st.text(), st.integers(-9, 9))
def test_ranks_are_between_0_and_1(text: str, seed: int) -> None:
    assert 0 <= sample_rank(text, seed) < 1
    assert sample_rank(text, seed) == sample_rank(text, seed) != sample_rank(text, seed + 1)


@pytest.mark.parametrize(
    ("text", "size"), [("1000", 1000), ("1", 1), ("10%", 0.1), ("0.25", 0.25), ("0.5%", 0.005), ("100%", 1 << 60)]
)
def test_sizes_of_samples(text: str, size: float) -> None:
    assert parse_sample(text, "--sample") == size


@pytest.mark.parametrize("text", ["0", "0%", "-1", "1.5", "101%", "ten", "nan", "inf", "%"])
def test_what_is_no_size_of_a_sample(text: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"--sample: '{text}' is not a sample size; give a number of pages")):
        parse_sample(text, "--sample")


def test_times() -> None:
    assert parse_time("1970-01-02", "") == parse_time("1970-01-02T01:00+01:00", "") == 86_400
    with pytest.raises(InputError, match="--since: 'tomorrow' is not a time; write it as 2026-05-31"):
        parse_time("tomorrow", "--since")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"language": ("xx",)}, "language: 'xx' is not the code of a language"),
        ({"dedup": "all"}, "dedup: there is no 'all'; use near or exact or none"),
        ({"min_relevance": 1.5}, "min_relevance: 1.5 is not a relevance score; give 0 to 1"),
        ({"min_relevance": float("nan")}, "min_relevance: nan is not a relevance score"),
        ({"sample": 0}, "sample: 0 is not a sample size"),
        ({"sample": 1.5}, "sample: 1.5 is not a sample size"),
    ],
)
@pytest.mark.parametrize("form", export_formats())
def test_wrong_choices_are_refused_by_every_format(
    demo_crawl: Crawl, tmp_path: Path, form: str, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=re.escape(problem).replace("'", "[\"']")):
        export(demo_crawl, form, tmp_path / "out", ExportOptions(**options))
    assert not list(tmp_path.iterdir())
