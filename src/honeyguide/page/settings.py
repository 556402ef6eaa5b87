"""Which URLs are the same, and which are followed."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting

_NO_PAGES = tuple(
    """
    7z apk avi bin bmp bz2 css csv deb dmg doc docx eot epub exe flv gif gz ico iso jar jpeg jpg js json m4a m4v
    mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg otf pdf png ppt pptx ps rar rpm rss svg swf tar tgz tif tiff
    ttf wav webm webp wmv woff woff2 xls xlsx xml xz zip
    """.split()
)


@dataclass(frozen=True, slots=True)
class UrlSettings:
    """The ``[urls]`` table: when two spellings are one page."""

    sort_query: bool = setting(False, "put query parameters into alphabetical order")
    drop_tracking: bool = setting(True, "drop parameters that only track visitors (utm_source, fbclid, ...)")
    drop_sessions: bool = setting(True, "drop session ids from path and query (;jsessionid=, PHPSESSID, sid, ...)")
    drop_parameters: tuple[str, ...] = setting((), "further query parameters to drop", example='["ref", "sort"]')
    keep_parameters: tuple[str, ...] = setting((), "query parameters never to drop", example='["sid"]')


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """The ``[scope]`` table: which links are followed. Seeds are in scope wherever they are."""

    allow_domains: tuple[str, ...] = setting(
        (),
        "follow links only to these registered domains or hosts, sub-domains included; empty = all",
        example='["example.org", "docs.example.com"]',
    )
    deny_domains: tuple[str, ...] = setting((), "never follow links to these", example='["facebook.com"]')
    allow_paths: tuple[str, ...] = setting(
        (), "follow only URLs whose path matches one of these patterns (* = anything)", example='["/wiki/*"]'
    )
    deny_paths: tuple[str, ...] = setting((), "never follow paths that match", example='["/login*", "*/print/*"]')
    deny_types: tuple[str, ...] = setting(
        _NO_PAGES,
        "file types, by the end of the path, that are not followed",
    )
    max_url_length: int = setting(1000, "longest URL followed, in characters", minimum=10)
    max_query_parameters: int = setting(8, "most query parameters followed", minimum=0)
    max_path_depth: int = setting(16, "most path segments followed", minimum=1)
    max_repeats: int = setting(
        3, "how often one path segment may stand in a path before it counts as a trap", minimum=1
    )
    max_depth: int = setting(0, "most links away from a seed; 0 = any", minimum=0)
    pages_per_host: int = setting(0, "most pages fetched from one host; 0 = any", minimum=0)
