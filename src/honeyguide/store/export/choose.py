"""Selects the pages of an export, once, into a temporary table, so that memory use stays small."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from honeyguide.page.language_codes import ALIKE
from honeyguide.store.crawl import Crawl
from honeyguide.store.export.options import UNKNOWN_LANGUAGE, ExportOptions

PageKey = tuple[str, int]
"""Identifies a page, even after a repair of the crawl: its URL, and the time of its request in seconds."""


def choose(crawl: Crawl, options: ExportOptions, exported: Iterable[PageKey] = ()) -> None:
    """Fill the table `temp.chosen` with the numbers of the pages, in the order of fetching.

    Duplicates are determined among the pages that the other options select. Pages that were `exported` before are left
    out last, so that an addition to an export never repeats a page.
    """
    write = crawl.write_temporary
    for table in ("chosen", "exported", "ends_before"):  # of an earlier export
        write(f"DROP TABLE IF EXISTS temp.{table}")
    write("CREATE TEMP TABLE chosen (place INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE)")
    condition, values = _condition(options)
    write(
        "INSERT INTO temp.chosen (id) SELECT pages.id FROM pages JOIN urls USING (id) "  # noqa: S608 (own text)
        f"WHERE {condition} ORDER BY pages.seq",
        [values],
    )
    if options.left_out != "none":
        # The shards of a crawl on several machines do not know each other's pages.
        # Pages that a browser has made of the same answer differ: each has a place of its own in the archive.
        same = "pages.digest, pages.rendered_file, pages.rendered_offset"
        _keep(f"SELECT min(place) FROM temp.chosen JOIN pages USING (id) GROUP BY {same}", crawl)  # noqa: S608 (own text)
    if options.sample is not None and options.sample >= 1:
        most = int(min(options.sample, 1 << 60))
        ranked = "SELECT place FROM temp.chosen JOIN urls USING (id) ORDER BY sample_rank(urls.url, ?) LIMIT ?"
        _keep(ranked, crawl, options.seed, most)
    write("CREATE TEMP TABLE exported (url TEXT, fetched INTEGER, PRIMARY KEY (url, fetched)) WITHOUT ROWID")
    write("INSERT OR IGNORE INTO temp.exported VALUES (?, ?)", exported)
    _keep(
        "SELECT place FROM temp.chosen JOIN pages USING (id) JOIN urls USING (id) WHERE NOT EXISTS (SELECT 1 FROM "
        "temp.exported WHERE exported.url = urls.url AND exported.fetched = CAST(pages.fetched AS INTEGER))",
        crawl,
    )


def _condition(options: ExportOptions) -> tuple[str, list[Any]]:
    """The condition that each page fulfils by itself, and its values."""
    conditions, values = ["TRUE"], list[Any]()
    if options.relevant_only:
        conditions.append("pages.relevant")
    if options.left_out == "near":
        conditions.append("pages.duplicate_of IS NULL")
    if options.language:
        codes = _codes(options.language)
        conditions.append(f"pages.language IN ({', '.join('?' * len(codes))})")
        values += codes
    if options.min_relevance:
        conditions.append("pages.relevance >= ?")
        values.append(options.min_relevance)
    if options.since:
        conditions.append("pages.fetched >= ?")
        values.append(options.since)
    if options.sample is not None and options.sample < 1:
        conditions.append("sample_rank(urls.url, ?) < ?")
        values += [options.seed, options.sample]
    return " AND ".join(conditions), values


def _codes(wanted: Collection[str]) -> list[str]:
    """The codes that pages in these languages may have: also those of languages that cannot be told from them."""
    alike = {ALIKE.get(code, code) for code in wanted}
    others = {code for code, same in ALIKE.items() if same in alike}
    return sorted({"" if code == UNKNOWN_LANGUAGE else code for code in {*wanted, *alike, *others}})


def _keep(places: str, crawl: Crawl, *values: Any) -> None:
    """Keep only these places."""
    crawl.write_temporary(f"DELETE FROM temp.chosen WHERE place NOT IN ({places})", [values])  # noqa: S608 (own text)
