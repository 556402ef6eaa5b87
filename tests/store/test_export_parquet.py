"""Parquet, by the programs that people read it with."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import FIELDS, USUAL_FIELDS, ExportOptions, export, export_shards
from honeyguide.store.export import parquet as ours

NEEDED = "make test installs it: pip install 'honeyguide[export-tests]'"
DOCS = Path(__file__).parents[2] / "docs" / "export.md"
STORY = (
    "<html lang=en><head><title>Bees \ud83d\udc1d</title><meta name=author content='A. Keeper'>"
    "<meta property='article:published_time' content='2024-05-31T08:00Z'></head><p>honey bee м\u0451д</p>"
)


def test_without_the_extra(demo_crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for write in (
        lambda: export(demo_crawl, "parquet", tmp_path / "out"),
        lambda: export_shards(demo_crawl, "parquet", tmp_path / "out", shard_pages=5),
    ):
        with pytest.raises(InputError, match=r'format: parquet needs pyarrow; pip install "honeyguide\[parquet\]"'):
            write()
    assert not list(tmp_path.iterdir())


def test_the_schema_is_as_documented(demo_crawl: Crawl) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason=NEEDED)
    out = io.BytesIO()
    export(demo_crawl, "parquet", out, ExportOptions(fields=FIELDS))
    assert not out.closed
    schema = parquet.read_schema(io.BytesIO(out.getvalue()))
    (table,) = re.findall(r"^\| column \| type \|.*\n\|[-|]+\n((?:\|.*\n)+)", DOCS.read_text("utf-8"), re.MULTILINE)
    documented = re.findall(r"^\| `([^`]+)` \| `([^`]+)`(,? or null)? \|", table, re.MULTILINE)
    found = [(field.name, str(field.type), " or null" if field.nullable else "") for field in schema]
    assert documented == found
    assert [name for name, *_ in found] == list(FIELDS) == list(ours.TYPES)
    about = json.loads(schema.metadata[ours.METADATA])
    assert (about["schema"], about["crawl"], about["options"]["relevant_only"]) == (1, "bees", True)


def test_values_are_those_of_json_lines(demo_crawl: Crawl) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason=NEEDED)
    table, lines = io.BytesIO(), io.BytesIO()
    count = export(demo_crawl, "parquet", table, ExportOptions(relevant_only=False))
    export(demo_crawl, "jsonl", lines, ExportOptions(relevant_only=False))
    rows = parquet.read_table(table).to_pylist()
    assert len(rows) == count == 100
    for row, line in zip(rows, map(json.loads, lines.getvalue().splitlines()), strict=True):
        assert row.pop("fetched") == datetime.fromisoformat(line.pop("fetched"))
        assert {name: "" if value is None else value for name, value in row.items()} == line


def test_what_pages_state_and_what_they_do_not(scripted: Callable[..., Crawl]) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason=NEEDED)
    out = io.BytesIO()
    export(scripted({"http://a.example/": STORY.encode("utf-8", "replace").decode()}), "parquet", out)
    (row,) = parquet.read_table(out).to_pylist()
    assert (row["author"], row["date"], row["language"]) == ("A. Keeper", date(2024, 5, 31), "en")
    assert row["parent"] is row["duplicate_of"] is row["licence"] is None
    assert row["fetched"].tzinfo is not None
    assert row["text"].endswith("м\u0451д")


def test_row_groups_fit_into_memory(demo_crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason=NEEDED)
    for name, value, most in (("_GROUP_ROWS", 30, 30), ("_GROUP_CHARACTERS", 1, 1)):
        with monkeypatch.context() as patch:
            patch.setattr(ours, name, value)
            out = io.BytesIO()
            export(demo_crawl, "parquet", out, ExportOptions(relevant_only=False))
        metadata = parquet.ParquetFile(out).metadata
        groups = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        assert max(groups) == most
        assert sum(groups) == 100


# ---- readers ----


@pytest.fixture
def folder(demo_crawl: Crawl, tmp_path: Path) -> Path:
    """Shards of an export that was added to."""
    pytest.importorskip("pyarrow", reason=NEEDED)
    options = ExportOptions(relevant_only=False)
    assert export_shards(demo_crawl, "parquet", tmp_path / "out", options, shard_pages=40) == (100, 3)
    assert export_shards(demo_crawl, "parquet", tmp_path / "out", options, shard_pages=40, add=True) == (0, 0)
    return tmp_path / "out"


def test_duckdb(folder: Path, demo_crawl: Crawl) -> None:
    duckdb: Any = pytest.importorskip("duckdb", reason=NEEDED)
    sql = f"SELECT count(*), sum(relevant::INT), max(relevance) FROM '{folder}/*.parquet'"
    pages = list(demo_crawl.pages(relevant=False))
    expected = (100, sum(page.relevant for page in pages), max(page.relevance for page in pages))
    assert duckdb.sql(sql).fetchall() == [expected]
    described = dict(row[:2] for row in duckdb.sql(f"DESCRIBE SELECT * FROM '{folder}/*.parquet'").fetchall())
    assert described["fetched"] == "TIMESTAMP WITH TIME ZONE"
    assert (described["date"], described["warc_offset"]) == ("DATE", "BIGINT")


def test_pandas(folder: Path, demo_crawl: Crawl) -> None:
    pandas: Any = pytest.importorskip("pandas", reason=NEEDED)
    table = pandas.read_parquet(folder)
    assert list(table.columns) == list(USUAL_FIELDS)
    assert list(table["url"]) == [page.url for page in demo_crawl.pages(relevant=False)]
    assert str(table.dtypes["fetched"]) == "datetime64[us, UTC]"


def test_polars(folder: Path, demo_crawl: Crawl) -> None:
    polars: Any = pytest.importorskip("polars", reason=NEEDED)
    table = polars.scan_parquet(folder / "*.parquet").filter(polars.col("relevant")).select("url", "fetched").collect()
    assert table["url"].to_list() == [page.url for page in demo_crawl.pages(relevant=False) if page.relevant]
    assert table["fetched"][0].tzinfo is not None


def test_hugging_face_datasets(
    folder: Path, demo_crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets: Any = pytest.importorskip("datasets", reason=NEEDED)
    files = str(folder / "*.parquet")
    rows = datasets.load_dataset("parquet", data_files=files, split="train", streaming=True)
    assert [row["url"] for row in rows] == [page.url for page in demo_crawl.pages(relevant=False)]
    table = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    assert len(table) == 100
    assert table[0]["fetched"].astimezone(UTC).timestamp() > 0
