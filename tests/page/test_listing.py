"""Sitemaps and feeds: which addresses they list, and that nothing in them does harm."""

from __future__ import annotations

import gzip

import pytest

from honeyguide.page.listing import FEED, INDEX, MOST_BYTES, MOST_URLS, SITEMAP, listing_form, read_listing

SITEMAP_XML = """<?xml version="1.0" encoding="UTF-8"?>
<!-- <urlset><url><loc>http://a.example/comment</loc></url> -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas">
<url><loc> http://a.example/1?a=1&amp;b=2 </loc><image:image><image:loc>/picture.png</image:loc></image:image></url>
<url><loc><![CDATA[http://a.example/2?a&b]]></loc></url><url><loc>http://a.example/2?a&#38;b</loc></url>
</urlset>"""
LISTED = (SITEMAP, ["http://a.example/1?a=1&b=2", "http://a.example/2?a&b"])


def listed(body: bytes, content_type: str = "") -> tuple[str, list[str]] | None:
    found = read_listing(body, content_type)
    return None if found is None else (found.form, found.addresses)


@pytest.mark.parametrize(
    "body",
    [
        SITEMAP_XML.encode(),
        gzip.compress(SITEMAP_XML.encode()),
        b"\xef\xbb\xbf" + SITEMAP_XML.encode(),
        SITEMAP_XML.encode("utf-16"),
        SITEMAP_XML.replace("<url", "<s:url").replace("<loc", "<s:loc").replace("</loc", "</s:loc").encode(),
        SITEMAP_XML.partition("</urlset>")[0].encode(),  # cut off
    ],
)
def test_a_sitemap_in_any_form(body: bytes) -> None:
    assert listed(body, "application/xml") == LISTED


def test_an_index_and_feeds() -> None:
    index = b"<sitemapindex><sitemap><loc>/s.xml.gz</loc></sitemap></sitemapindex>"
    assert listed(index) == (INDEX, ["/s.xml.gz"])
    rss = """<rss version="2.0"><channel><link>http://a.example/home</link><atom:link href="/self" rel="self"/>
        <item><title>&lt;link&gt;</title><link>/1</link><guid>other</guid></item>
        <item><guid isPermaLink="false">tag:2</guid></item><item><guid>/3</guid></item></channel></rss>"""
    assert listed(rss.encode()) == (FEED, ["/1", "/3"])
    rdf = "<rdf:RDF><channel><link>/home</link></channel><item rdf:about='x'><link>/1</link></item></rdf:RDF>"
    assert listed(rdf.encode()) == (FEED, ["/1"])
    atom = """<feed><link href="/home"/><entry><link rel="edit" href="/edit"/><link href='/1?a=1&amp;b=2'/></entry>
        <entry><link href="/2" rel="alternate" type="text/html"/></entry></feed>"""
    assert listed(atom.encode()) == (FEED, ["/1?a=1&b=2", "/2"])


@pytest.mark.parametrize(
    "body",
    [b"", b"%PDF-1.3", b"<!DOCTYPE html><html><loc>x</loc>", b"<x><loc>/1</loc></x>", b"\x1f\x8b\x08junk", b"[1]"],
)
def test_what_is_none(body: bytes) -> None:
    assert listed(body) is None


def test_entities_are_not_expanded_and_nothing_is_read_from_elsewhere() -> None:
    bomb = """<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">
        <!ENTITY file SYSTEM "file:///etc/passwd">]>
        <urlset><url><loc>http://a.example/&b;</loc></url><url><loc>/&file;</loc></url></urlset>"""
    assert listed(bomb.encode()) == (SITEMAP, ["http://a.example/&b;", "/&file;"])


def test_a_listing_is_bounded() -> None:
    many = "".join(f"<loc>/{number}</loc>" for number in range(MOST_URLS + 10))
    found = read_listing(f"<urlset>{many}</urlset>".encode())
    assert found is not None
    assert len(found.addresses) == MOST_URLS
    bomb = gzip.compress(b"<urlset><loc>/1</loc>" + b" " * (2 * MOST_BYTES), 1)
    assert listed(bomb) == (SITEMAP, ["/1"])


@pytest.mark.parametrize("piece", ["<loc>", "<loc ", "<item>", "<item><link ", "<entry><link a='", "<!--", "<guid>"])
@pytest.mark.parametrize("root", ["urlset", "rss"])
def test_what_is_repeated_without_end_is_read_in_proportion(root: str, piece: str) -> None:
    found = read_listing(f"<{root}>{piece * 50_000}".encode())
    assert found is not None
    assert found.addresses == []


def test_what_is_said_about_an_address() -> None:
    sitemap = """<urlset xmlns:news="x"><url><loc>/1</loc><lastmod>2026-01-31T10:00Z</lastmod><priority>0.8</priority>
        <news:news><news:title>Bees &amp; &#104;oney</news:title></news:news></url>
        <url><loc>/2</loc><priority>inf</priority><lastmod>soon</lastmod></url></urlset>"""
    found = read_listing(sitemap.encode())
    assert found is not None
    first, second = found.entries
    assert (first.title, first.day, first.priority) == ("Bees & honey", "2026-01-31", 0.8)
    assert (second.title, second.day, second.priority) == ("", "", 0.5)
    rss = """<rss><channel><title>All</title><item><title><![CDATA[A <b>bee</b>]]></title><link>/1</link>
        <description>&lt;p&gt;On &amp;eacute;t&amp;eacute;&lt;/p&gt;</description>
        <pubDate>Sat, 31 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>"""
    found = read_listing(rss.encode())
    assert found is not None
    (entry,) = found.entries
    assert (found.title, entry.title, entry.text, entry.day) == ("All", "A bee", "On \u00e9t\u00e9", "2026-01-31")


def test_a_list_in_plain_text() -> None:
    text = b"\xef\xbb\xbfhttp://a.example/1\r\n\r\nhttps://a.example/2\n"
    found = read_listing(text, "text/plain", as_text=True)
    assert found is not None
    assert (found.form, found.addresses) == (SITEMAP, ["http://a.example/1", "https://a.example/2"])
    assert read_listing(text) is None
    assert read_listing(b"http://a.example/1 is a page\nabout bees", as_text=True) is None
    assert read_listing(b"http://a.example/1\nabout bees", as_text=True) is None


def test_a_cut_gzip_gives_what_it_has() -> None:
    whole = gzip.compress("".join(["<urlset>", *(f"<loc>/{n}-{n * n % 997}</loc>" for n in range(5000))]).encode())
    found = read_listing(whole[: len(whole) // 2])
    assert found is not None
    assert 1000 < len(found.addresses) < 5000
    assert listing_form(whole[:100]) == SITEMAP
