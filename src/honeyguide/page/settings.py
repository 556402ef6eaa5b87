"""Settings for URL normalisation and crawl scope."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import ALWAYS, AUTO, NEVER, setting

_NO_PAGES = tuple(
    """
    7z apk avi bin bmp bz2 css csv deb dmg doc docx eot epub exe flv gif gz ico iso jar jpeg jpg js json m4a m4v
    mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg otf png ppt pptx ps rar rpm rss svg swf tar tgz tif tiff
    ttf wav webm webp wmv woff woff2 xls xlsx xml xz zip
    """.split()
)


@dataclass(frozen=True, slots=True)
class UrlSettings:
    """The ``[urls]`` table: when two spellings of a URL are the same page."""

    sort_query: bool = setting(False, "sort query parameters alphabetically")
    drop_tracking: bool = setting(True, "remove parameters that only track visitors (utm_source, fbclid, ...)")
    drop_sessions: bool = setting(True, "remove session ids from path and query (;jsessionid=, PHPSESSID, sid, ...)")
    drop_parameters: tuple[str, ...] = setting((), "further query parameters to remove", example='["ref", "sort"]')
    keep_parameters: tuple[str, ...] = setting((), "query parameters that are never removed", example='["sid"]')


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """The ``[scope]`` table: which links are followed, and from which pages. Seeds are always in scope."""

    allow_domains: tuple[str, ...] = setting(
        (),
        "follow links only to these registered domains or hosts and their subdomains; empty = all",
        example='["example.org", "docs.example.com"]',
    )
    deny_domains: tuple[str, ...] = setting(
        (), "never follow links to these registered domains or hosts", example='["facebook.com"]'
    )
    allow_paths: tuple[str, ...] = setting(
        (), "follow only URLs whose path matches one of these patterns (* = any text)", example='["/wiki/*"]'
    )
    deny_paths: tuple[str, ...] = setting(
        (), "never follow URLs whose path matches one of these patterns", example='["/login*", "*/print/*"]'
    )
    deny_types: tuple[str, ...] = setting(
        _NO_PAGES,
        "file name extensions that are never followed",
    )
    languages: tuple[str, ...] = setting(
        (),
        "languages of pages, as codes; those in others do not count as relevant, and their links are not followed; "
        "empty = all",
        example='["de", "en"]',
    )
    max_url_length: int = setting(1000, "longest URL that is followed, in characters", minimum=10)
    max_query_parameters: int = setting(8, "maximum number of query parameters in a URL", minimum=0)
    max_path_depth: int = setting(16, "maximum number of path segments in a URL", minimum=1)
    max_repeats: int = setting(
        3, "how often a path segment may be repeated in a URL; more is treated as a trap", minimum=1
    )
    max_depth: int = setting(0, "maximum number of links from a seed to a page; 0 = no limit", minimum=0)
    pages_per_host: int = setting(0, "maximum number of pages per host; 0 = no limit", minimum=0)
    hosts_per_domain: int = setting(
        20,
        "hosts of a registered domain after which further ones that only it links to are put on probation; "
        "0 = no limit",
        minimum=0,
    )
    domains_per_address: int = setting(
        20,
        "domains at an IP address after which further ones that only it links to are put on probation; 0 = no limit",
        minimum=0,
    )
    probation: float = setting(
        0.05,
        "pages from hosts on probation per page from other hosts, as long as there are others",
        minimum=0,
        maximum=1,
    )
    sitemaps: str = setting(
        AUTO,
        "whether to read the sitemaps and feeds that sites declare, and follow their entries; auto: of sites that turn "
        "out to be relevant, and when nothing better is waiting. Those among the seeds are always read",
        choices=(AUTO, NEVER, ALWAYS),
    )
    max_waiting: int = setting(
        3_000_000,
        "maximum number of waiting URLs (3,000,000 take 1 GB of memory); near it, only better links are added; "
        "0 = no limit",
        minimum=0,
    )
