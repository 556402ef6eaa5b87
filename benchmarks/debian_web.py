"""A web anyone can rebuild, out of documentation that Debian ships.

    python benchmarks/debian_web.py --out DIR

fetches the packages below (``apt-get download``, no root) and writes DIR/debian.warc.gz and DIR/labels.tsv. Each
package is a host, PACKAGE.example, with its pages and links as they are; a link to the public address of a page that
is also in one of the packages leads to that package's host. Each subject has a portal that lists its packages, and
portals know each other. Of a package the pages that can be reached from its start pages are taken, breadth first, at
most --most. Pages are labelled SUBJECT.PACKAGE, portals portal.SUBJECT. The same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import re
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import quote, unquote
from uuid import NAMESPACE_URL, uuid5

from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

MOST = 400
DATE = "2020-01-01T00:00:00Z"  # a web that stands still has one
RULES = UrlRules(UrlSettings())
HTML = (".html", ".htm")
LINK = re.compile(rb"""(href\s*=\s*["']?\s*)https?://([^"'\s>#]+)""", re.IGNORECASE)


@dataclass(frozen=True)
class Package:
    """A documentation package."""

    subject: str
    name: str
    root: str
    """The folder that becomes the host's."""
    addresses: tuple[str, ...] = ()
    """Where the same pages stand in public, without scheme."""
    starts: tuple[str, ...] = ("index.html",)

    @property
    def site(self) -> str:
        """The address of the host."""
        return f"http://{self.name.replace('.', '-')}.example/"


DOC = "usr/share/doc"
PACKAGES = (
    Package("databases", "postgresql-doc-15", f"{DOC}/postgresql-doc-15/html",
            ("www.postgresql.org/docs/15/", "www.postgresql.org/docs/current/", "www.postgresql.org/")),
    Package("databases", "sqlite3-doc", f"{DOC}/sqlite3", ("www.sqlite.org/", "sqlite.org/")),
    Package("databases", "python-sqlalchemy-doc", f"{DOC}/python-sqlalchemy-doc/html",
            ("docs.sqlalchemy.org/en/14/", "docs.sqlalchemy.org/en/latest/", "www.sqlalchemy.org/")),
    Package("databases", "python-psycopg2-doc", f"{DOC}/python-psycopg2-doc/html",
            ("www.psycopg.org/docs/", "initd.org/psycopg/docs/", "initd.org/psycopg/")),
    Package("mathematics", "maxima-doc", f"{DOC}/maxima-doc/html", ("maxima.sourceforge.net/",), ("maxima_toc.html",)),
    Package("mathematics", "octave-doc", f"{DOC}/octave/octave.html",
            ("docs.octave.org/latest/", "www.octave.org/", "octave.org/", "www.gnu.org/software/octave/")),
    Package("mathematics", "gap-doc", "usr/share/gap/doc", ("www.gap-system.org/Manuals/doc/", "www.gap-system.org/"),
            ("ref/chap0.html", "tut/chap0.html")),
    Package("mathematics", "python-sympy-doc", f"{DOC}/python-sympy-doc/html",
            ("docs.sympy.org/latest/", "docs.sympy.org/dev/", "docs.sympy.org/", "www.sympy.org/", "sympy.org/")),
    Package("mathematics", "python-mpmath-doc", f"{DOC}/python-mpmath-doc/html",
            ("mpmath.org/doc/current/", "www.mpmath.org/doc/current/", "mpmath.org/", "www.mpmath.org/")),
    Package("music", "lilypond-doc-html", f"{DOC}/lilypond/html", ("lilypond.org/doc/v2.24/", "lilypond.org/",
            "www.lilypond.org/"), ("Documentation/web/index.html", "index.html")),
    Package("music", "csound-doc", f"{DOC}/csound-doc/html",
            ("csound.com/docs/manual/", "www.csounds.com/manual/html/", "csound.com/", "csound.github.io/")),
    Package("music", "mma", f"{DOC}/mma/html", ("www.mellowood.ca/mma/", "www.mellowood.ca/mma/online-docs/html/"),
            ("ref/index.html", "tut/index.html", "lib/index.html")),
    Package("astronomy", "python-astropy-doc", f"{DOC}/python-astropy-doc/html",
            ("docs.astropy.org/en/stable/", "docs.astropy.org/en/latest/", "docs.astropy.org/", "www.astropy.org/",
             "astropy.org/")),
    Package("astronomy", "wcslib-doc", f"{DOC}/wcslib-dev/html", ("www.atnf.csiro.au/people/mcalabre/WCS/wcslib/",
            "www.atnf.csiro.au/people/mcalabre/WCS/")),
    Package("astronomy", "libcfitsio-doc", f"{DOC}/libcfitsio-dev", ("heasarc.gsfc.nasa.gov/docs/software/fitsio/",
            "heasarc.gsfc.nasa.gov/fitsio/"), ("cfitsio/index.html", "fitsio/index.html", "quick/index.html")),
    Package("astronomy", "python-gwcs-doc", f"{DOC}/python-gwcs-doc/html",
            ("gwcs.readthedocs.io/en/latest/", "gwcs.readthedocs.io/en/stable/", "gwcs.readthedocs.io/")),
    Package("astronomy", "python-asdf-doc", f"{DOC}/python-asdf-doc/html",
            ("asdf.readthedocs.io/en/latest/", "asdf.readthedocs.io/en/stable/", "asdf.readthedocs.io/")),
    Package("medicine", "dcmtk-doc", f"{DOC}/dcmtk/dcmtk/html",
            ("support.dcmtk.org/docs/", "www.dcmtk.org/", "dicom.offis.de/dcmtk")),
    Package("medicine", "python-nibabel-doc", f"{DOC}/python-nibabel-doc/html",
            ("nipy.org/nibabel/", "nipy.sourceforge.net/nibabel/")),
    Package("medicine", "python-nipy-doc", f"{DOC}/python-nipy-doc/html", ("nipy.org/nipy/", "nipy.org/")),
    Package("medicine", "python-nipype-doc", f"{DOC}/python3-nipype/html",
            ("nipype.readthedocs.io/en/latest/", "nipype.readthedocs.io/", "nipype.readthedocs.org/",
             "nipy.org/nipype/")),
    Package("medicine", "python-pydicom-doc", f"{DOC}/python-pydicom-doc/html",
            ("pydicom.github.io/pydicom/stable/", "pydicom.github.io/pydicom/dev/", "pydicom.github.io/")),
    Package("medicine", "gnumed-doc", f"{DOC}/gnumed/user-manual/Gnumed",
            ("wiki.gnumed.de/bin/view/Gnumed/", "wiki.gnumed.de/")),
    Package("medicine", "python-dipy-doc", f"{DOC}/python-dipy-doc/html", ("dipy.org/documentation/", "dipy.org/",
            "www.dipy.org/", "nipy.org/dipy/")),
    Package("graphics", "gnuplot-doc", f"{DOC}/gnuplot/htmldocs", ("gnuplot.sourceforge.net/", "www.gnuplot.info/")),
    Package("graphics", "povray-doc", f"{DOC}/povray/html", ("www.povray.org/documentation/", "www.povray.org/")),
    Package("graphics", "libcairo2-doc", "usr/share/gtk-doc/html/cairo",
            ("www.cairographics.org/manual/", "cairographics.org/manual/", "www.cairographics.org/",
             "cairographics.org/")),
    Package("graphics", "python-pil-doc", f"{DOC}/python-pil-doc/html",
            ("pillow.readthedocs.io/en/stable/", "pillow.readthedocs.io/en/latest/", "pillow.readthedocs.io/")),
    Package("graphics", "asymptote-doc", f"{DOC}/asymptote", ("asymptote.sourceforge.io/doc/",
            "asymptote.sourceforge.io/", "asymptote.sourceforge.net/"), ("html/index.html", "faq/index.html")),
    Package("graphics", "graphviz-doc", f"{DOC}/graphviz/html", ("www.graphviz.org/", "graphviz.org/")),
    Package("finance", "quantlib-refman-html", f"{DOC}/quantlib-refman-html/html",
            ("www.quantlib.org/reference/", "quantlib.org/reference/", "www.quantlib.org/", "quantlib.org/")),
    Package("finance", "homebank-data", f"{DOC}/homebank-data/help", ("homebank.free.fr/help/", "homebank.free.fr/")),
    Package("finance", "ledger", f"{DOC}/ledger", ("www.ledger-cli.org/3.0/doc/", "ledger-cli.org/3.0/doc/",
            "www.ledger-cli.org/", "ledger-cli.org/"), ("ledger3.html", "ledger.1.html")),
    Package("finance", "tryton-server-doc", f"{DOC}/tryton-server/html", ("docs.tryton.org/projects/server/en/latest/",
            "docs.tryton.org/", "www.tryton.org/")),
    Package("chemistry", "rdkit-doc", f"{DOC}/rdkit/html", ("www.rdkit.org/docs/", "rdkit.org/docs/",
            "www.rdkit.org/", "rdkit.org/")),
    Package("chemistry", "python-ase-doc", f"{DOC}/python-ase-doc/html", ("wiki.fysik.dtu.dk/ase/",)),
    Package("chemistry", "python-pymatgen-doc", f"{DOC}/python-pymatgen-doc/html", ("pymatgen.org/",)),
    Package("servers", "apache2-doc", f"{DOC}/apache2-doc/manual/en",
            ("httpd.apache.org/docs/2.4/", "httpd.apache.org/docs/current/", "httpd.apache.org/")),
    Package("servers", "bind9-doc", f"{DOC}/bind9-doc/arm",
            ("bind9.readthedocs.io/en/latest/", "bind9.readthedocs.io/")),
    Package("servers", "exim4-doc-html", f"{DOC}/exim4-doc-html/spec_html",
            ("www.exim.org/exim-html-current/doc/html/spec_html/", "www.exim.org/")),
    Package("servers", "postfix-doc", f"{DOC}/postfix/html", ("www.postfix.org/",)),
    Package("programming", "python3.11-doc", f"{DOC}/python3.11/html",
            ("docs.python.org/3.11/", "docs.python.org/3/", "docs.python.org/dev/", "docs.python.org/",
             "www.python.org/")),
)  # fmt: skip


@dataclass
class Site:
    """A package unpacked."""

    package: Package
    folder: Path
    title: str
    files: frozenset[str]
    """All HTML files, as paths under the host."""
    pages: list[str] = field(default_factory=list)
    """Those that are taken, in the order they were reached."""


def main() -> None:
    given = _arguments()
    given.out.mkdir(parents=True, exist_ok=True)
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        sys.exit("apt-get and dpkg-deb are needed: run this on Debian or one of its kin")
    with TemporaryDirectory() as scratch:
        sites = list(_sites(given.out / "packages", Path(scratch), given.most))
        if not sites:
            sys.exit("none of the packages could be had: run apt-get update, and look at the lines above")
        pages, crossing = _write(sites, given.out)
    subjects = len({site.package.subject for site in sites})
    print(
        f"{given.out / 'debian.warc.gz'}: {pages:,} pages of {len(sites)} packages and {subjects} portals; "
        f"{crossing:,} links to public addresses lead to other packages or back"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to; packages are kept in it")
    parser.add_argument("--most", type=int, default=MOST, help="pages of one package (%(default)s)")
    return parser.parse_args()


# ---- packages ----


def _sites(downloads: Path, scratch: Path, most: int) -> Iterator[Site]:
    downloads.mkdir(exist_ok=True)
    for package in PACKAGES:
        try:
            deb = _download(package.name, downloads)
            unpacked = scratch / package.name
            subprocess.run(["dpkg-deb", "-x", str(deb), str(unpacked)], check=True, capture_output=True)
            title = _said("dpkg-deb", "-f", str(deb), "Description").partition("\n")[0].strip()
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"passed over: {package.name}: {_reason(error)}")
            continue
        folder = unpacked / package.root
        files = (path for path in folder.rglob("*") if path.name.endswith(HTML) and path.is_file())
        site = Site(package, folder, title, frozenset(path.relative_to(folder).as_posix() for path in files))
        site.pages = _reached(site, most)
        if not site.pages:
            print(f"passed over: {package.name}: {', '.join(package.starts)} not in {package.root}")
            continue
        print(f"{package.subject:12} {deb.name}: {len(site.pages):,} of {len(site.files):,} pages")
        yield site


def _download(name: str, folder: Path) -> Path:
    """The package's file: the one that is there, or fetched now."""
    if not (found := sorted(folder.glob(f"{name}_*.deb"))):
        subprocess.run(["apt-get", "download", name], cwd=folder, check=True, capture_output=True)
        found = sorted(folder.glob(f"{name}_*.deb"))
    return found[-1]


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _reason(error: Exception) -> str:
    said = error.stderr.decode(errors="replace") if isinstance(error, subprocess.CalledProcessError) else str(error)
    return next((line for line in said.splitlines() if line.startswith("E:")), said.strip()) or str(error)


def _reached(site: Site, most: int) -> list[str]:
    """The pages that links lead to from the start pages, breadth first."""
    waiting = deque(start for start in site.package.starts if start in site.files)
    seen = set(waiting)
    reached: list[str] = []
    while waiting and len(reached) < most:
        path = waiting.popleft()
        reached.append(path)
        content = decode((site.folder / path).read_bytes())
        for link in parse(content, _url(site.package, path), RULES).links.url:
            target = _page(site, link.removeprefix(site.package.site)) if link.startswith(site.package.site) else ""
            if target and target not in seen:
                seen.add(target)
                waiting.append(target)
    return reached


def _page(site: Site, rest: str) -> str:
    """The file that an address under the host stands for; "" when there is none."""
    path = unquote(rest.partition("?")[0])
    candidates = (path, f"{path}index.html", f"{path}/index.html") if path else site.package.starts
    return next((candidate for candidate in candidates if candidate in site.files), "")


def _url(package: Package, path: str) -> str:
    return package.site + quote(path)


# ---- the web ----


def _write(sites: list[Site], out: Path) -> tuple[int, int]:
    """Write both files. How many pages there are, and how many links were mapped to a package's host."""
    public = {address: site for site in sites for address in site.package.addresses}
    longest_first = dict(sorted(public.items(), key=lambda pair: (-len(pair[0]), pair[0])))
    pages = crossing = 0
    with (out / "debian.warc.gz").open("wb") as warc, (out / "labels.tsv").open("w", encoding="utf-8") as labels:
        for url, content, subject in _portals(sites):
            warc.write(_record(url, 200, "text/html; charset=utf-8", content))
            labels.write(f"{url}\tportal.{subject}\n")
        for site in sites:
            package = site.package
            for path in site.pages:
                mapped, count = _mapped((site.folder / path).read_bytes(), longest_first)
                crossing += count
                warc.write(_record(_url(package, path), 200, "text/html", mapped))
                labels.write(f"{_url(package, path)}\t{package.subject}.{package.name}\n")
            pages += len(site.pages)
            for folder, target in _folders(site):
                warc.write(_record(package.site + quote(folder), 301, "text/html", b"", _url(package, target)))
    return pages, crossing


def _folders(site: Site) -> Iterator[tuple[str, str]]:
    """Folders with an index page, and the host itself: they redirect there."""
    yield "", site.pages[0]
    for path in site.pages:
        here = PurePosixPath(path)
        if here.name == "index.html" and here.parent.as_posix() != ".":
            yield f"{here.parent.as_posix()}/", path


def _mapped(content: bytes, public: Mapping[str, Site]) -> tuple[bytes, int]:
    """A page with its links to public addresses of pages in the packages leading there. Others stay as they are."""
    count = 0

    def replace(found: re.Match[bytes]) -> bytes:
        nonlocal count
        address = html.unescape(found[2].decode("ascii", "replace"))
        for prefix, site in public.items():
            if address.startswith(prefix) or f"{address}/" == prefix:
                page = _page(site, address[len(prefix) :])
                if page:
                    count += 1
                    return found[1] + _url(site.package, page).encode()
        return found[0]

    return LINK.sub(replace, content), count


def _portals(sites: list[Site]) -> Iterator[tuple[str, bytes, str]]:
    """A page a subject: its packages, each with what it says of itself, and the other portals."""
    subjects = list(dict.fromkeys(site.package.subject for site in sites))
    for subject in subjects:
        lines = [f"<!DOCTYPE html><html><head><title>{subject}</title></head><body><h1>{subject}</h1>", "<ul>"]
        for site in sites:
            if site.package.subject == subject:
                where = html.escape(_url(site.package, site.pages[0]))
                lines.append(
                    f'<li><a href="{where}">{html.escape(site.package.name)}</a>: {html.escape(site.title)}</li>'
                )
        others = ", ".join(f'<a href="{_portal(other)}">{other}</a>' for other in subjects if other != subject)
        lines.append(f"</ul><p>Other subjects: {others}</p></body></html>")
        yield _portal(subject), "\n".join(lines).encode(), subject


def _portal(subject: str) -> str:
    return f"http://{subject}.portals.example/"


def _record(url: str, status: int, kind: str, body: bytes, location: str = "") -> bytes:
    """A response as a gzip member. Its number follows from the URL, so that the same page gives the same bytes."""
    reason = "OK" if status == 200 else "Moved Permanently"
    lines = [f"HTTP/1.1 {status} {reason}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"Location: {location}"] if location else []
    block = "\r\n".join([*lines, "", ""]).encode() + body
    head = [
        "WARC/1.1",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, url)}>",
        f"WARC-Target-URI: {url}",
        f"WARC-Date: {DATE}",
        f"WARC-Block-Digest: sha256:{hashlib.sha256(block).hexdigest()}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
    ]
    return gzip.compress("\r\n".join([*head, "", ""]).encode() + block + b"\r\n\r\n", mtime=0)


if __name__ == "__main__":
    main()
