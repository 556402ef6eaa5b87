"""The web server of the dashboard: routes, and the checks before every request."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from aiohttp import web

from honeyguide.dashboard.access import HEADERS, Access
from honeyguide.dashboard.control import Controls, back_to
from honeyguide.dashboard.host_list import ORDERS, host_number, host_numbered, list_hosts, site_number, troubles_of
from honeyguide.dashboard.indexer import Indexer
from honeyguide.dashboard.live import LiveEvents
from honeyguide.dashboard.marks import Marks
from honeyguide.dashboard.page_details import fetched_links, page_details
from honeyguide.dashboard.page_list import BEST, KINDS, NEWEST, PageFilter, list_pages, newest_pages
from honeyguide.dashboard.reader_process import ReaderProcess
from honeyguide.dashboard.reader_thread import ReaderThread
from honeyguide.dashboard.reading_again import PageReading
from honeyguide.dashboard.site_map import site_map
from honeyguide.dashboard.source import CrawlSource, SlowQueryError
from honeyguide.dashboard.status import curve_of, milestones_of, status_of
from honeyguide.dashboard.views.controls import ControlForms
from honeyguide.dashboard.views.frame import frame, message
from honeyguide.dashboard.views.hosts import host_list, host_view
from honeyguide.dashboard.views.overview import Overview, fragments, overview
from honeyguide.dashboard.views.page import page_view
from honeyguide.dashboard.views.pages import page_list, row
from honeyguide.dashboard.views.site_map import map_view
from honeyguide.dashboard.views.waiting import seeds_view, waiting_view
from honeyguide.document.markup import Html, element, html
from honeyguide.document.page import shortened
from honeyguide.errors import HoneyguideError
from honeyguide.page.url import host_of
from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.dashboard")

_STREAM = 20  # pages in the stream
_HOSTS_SHOWN = 10
_MILESTONES_SHOWN = 15
_EXPLAINED_AT_ONCE = 20_000  # URLs of a crawl up to which evidence is worked out with every page view
_EXPLAINED = 500_000  # and up to which on demand: a frontier takes seconds and some 300 bytes for each URL
_LONGEST_SEARCH = 200  # characters
_LARGEST_FORM = 65_536  # bytes
_NUMBER = r"{number:\d{1,15}}"
_ALLOWED = "Open the address that honeyguide has printed, with its token."

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Dashboard:
    """The dashboard of one crawl, as an aiohttp application."""

    def __init__(self, folder: Path, topic: Topic, access: Access, targets: Sequence[str] = ()) -> None:
        """`targets` are the canonical URLs of the pages that are to be found, if they are known."""
        self.topic = topic
        self.access = access
        self._targets = tuple(targets)
        self.indexer = Indexer(folder, self._targets)
        self._reader = ReaderThread(folder, lambda: self.indexer.path)
        self._rereader = ReaderProcess(folder)
        self._live = LiveEvents(self._changes)
        self._controls = Controls(folder)
        self._marks = Marks(folder)
        self._seen: tuple[Any, ...] = ()

    def application(self) -> web.Application:
        """The application. Starting and stopping it starts and stops everything else."""
        app = web.Application(middlewares=[self._guarded], client_max_size=_LARGEST_FORM)
        app.add_routes(
            [
                web.get("/", self._overview),
                web.get("/events", self._live.serve),
                web.get("/pages", self._pages),
                web.get(f"/page/{_NUMBER}", self._page),
                web.get("/hosts", self._hosts),
                web.get(f"/host/{_NUMBER}", self._host),
                web.get("/waiting", self._waiting),
                web.get("/seeds", self._seeds),
                web.get("/map", self._map),
                web.get("/static/{name}", self._static),
                web.post("/control", self._control),
            ]
        )
        app.on_startup.append(self._start)
        app.on_shutdown.append(self._stop)
        return app

    async def _start(self, _app: web.Application) -> None:
        self.indexer.start()

    async def warm_up(self) -> None:
        """Prepare for the view of a page, which is slow otherwise when it is opened for the first time."""
        await self._rereader.warm_up()

    async def _stop(self, _app: web.Application) -> None:
        await self._live.close()
        await self._rereader.close()
        await self._reader.close()
        self.indexer.stop()

    # ---- checks ----

    @web.middleware
    async def _guarded(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        response = await self._answer(request, handler)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    async def _answer(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        access = self.access
        if not access.is_host_known(request.headers.get("Host", "")):
            return self._message(421, "Wrong address", "This name does not belong to the dashboard.")
        if (token := request.query.get("token")) is not None and request.method == "GET":
            if not access.is_token(token):
                return self._message(403, "Wrong token", _ALLOWED)
            # To the same view, without the token: it stays out of the history, and nothing can send it on.
            admitted = web.Response(status=303, headers={"Location": request.rel_url.raw_path})
            access.admit(admitted)
            return admitted
        if not access.is_known(request):
            return self._message(403, "Not allowed", _ALLOWED)
        try:
            if request.method not in ("GET", "HEAD"):
                form = await request.post()
                if not access.is_own(request, str(form.get("form_token", ""))):
                    return self._message(403, "Not allowed", "This request does not come from the dashboard itself.")
            return await handler(request)
        except web.HTTPException as error:
            return self._message(
                error.status, error.reason, "There is nothing here." if error.status == 404 else error.text or ""
            )
        except SlowQueryError as error:
            return self._message(503, "Too slow", str(error))
        except HoneyguideError as error:
            _log.warning("a view failed: %s", error)
            return self._message(500, "It cannot be shown", str(error))
        except Exception:  # noqa: BLE001 (the page of an error needs the same headers as any other)
            _log.exception("a view failed: %s", request.path)
            return self._message(500, "It cannot be shown", "This is a bug in honeyguide; see its log.")

    def _message(self, status: int, title: str, text: str) -> web.Response:
        return _html(message("honeyguide", title, text), status)

    # ---- views ----

    def _framed(self, request: web.Request, title: str, content: Sequence[str], **more: str) -> web.Response:
        answer = self._controls.answer(request.query.get("told", ""))
        notice = [element("p", shortened(answer, 1000), class_="notice told", role="status")] if answer else []
        return _html(frame(self.topic.name, title, [*notice, *content], **more))

    def _forms(self, request: web.Request) -> ControlForms:
        return ControlForms(self.access.form_token, request.rel_url.without_query_params("told").raw_path_qs)

    def _look(self, source: CrawlSource) -> Overview:
        return Overview(
            topic=self.topic,
            status=status_of(source),
            curve=curve_of(source),
            census=self.indexer.census,
            targets=len(self._targets),
            hosts=list_hosts(source, "found", size=_HOSTS_SHOWN)[0],
            newest=newest_pages(source, -1, _STREAM),
            marks=self._marks.now(),
            milestones=milestones_of(source, _MILESTONES_SHOWN),
            indexed=self.indexer.share,
            problem=self.indexer.problem,
        )

    async def _overview(self, request: web.Request) -> web.Response:
        seen, forms = await self._reader.run(self._look), self._forms(request)
        content = [*overview(seen, forms.overview(seen.status)), forms.marks()]
        return self._framed(request, "Overview", content, path="/", live="/events")

    async def _changes(self) -> dict[str, Any]:
        """What has changed since the last look, for `LiveEvents`."""

        def look(source: CrawlSource) -> dict[str, Any]:
            census = self.indexer.census
            status = status_of(source)
            newest = newest_pages(source, -1, 1)
            state = (
                status.committed,
                status.is_running,
                newest[0].seq if newest else -1,
                census and census.time,
                self.indexer.share,
                self.indexer.problem,
                self._marks.now(),
            )
            if state == self._seen:
                return {}
            self._seen = state
            now = self._look(source)
            # All rows of the stream: viewers skip those that they have, so that none is missed.
            rows = [str(row(page, now.marks.get(page.url))) for page in reversed(now.newest)]
            return {"fragments": {name: str(part) for name, part in fragments(now).items()}, "rows": rows}

        return await self._reader.run(look)

    async def _pages(self, request: web.Request) -> web.Response:
        given = request.query
        host, site = given.get("host", ""), given.get("site", "")
        words = given.get("q", "").strip()[:_LONGEST_SEARCH]
        show, order = given.get("show", "all"), given.get("order", NEWEST)
        if show not in KINDS or order not in (NEWEST, BEST):
            raise web.HTTPNotFound
        after = _key(given["after"], float, int) if "after" in given else None

        def view(source: CrawlSource) -> list[Html]:
            number = host_number(source, host) if host else 0
            place = site_number(source, site) if site else 0
            if (host and not number) or (site and not place):
                raise web.HTTPNotFound
            chosen = PageFilter(words, show, number, place, order, after)
            within = "host" if host else "site" if site else ""
            shown = page_list(list_pages(source, chosen), chosen, within, host or site, self._marks.now())
            return [*shown, self._forms(request).marks()]

        return self._framed(request, "Pages", await self._reader.run(view), path="/pages", search=words)

    async def _page(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        details = await self._reader.run(lambda source: page_details(source, number))
        if details is None:
            raise web.HTTPNotFound
        reading = await self._asked("read", number)
        evidence: Any = None
        if details.urls > _EXPLAINED:
            evidence = "The crawl has too many URLs to compute this here. In a terminal:"
        elif details.urls <= _EXPLAINED_AT_ONCE or "why" in request.query:
            evidence = await self._asked("evidence", number)
        urls = [link.url for link in reading.links] if isinstance(reading, PageReading) else []
        host = host_of(details.page.url)
        fetched, blocked, marks = await self._reader.run(
            lambda source: (fetched_links(source, urls), status_of(source).blocked, self._marks.now())
        )
        forms = self._forms(request)
        controls = html(forms.marks(), forms.host(host, blocked))
        content = page_view(details, reading, evidence, fetched, marks.get(details.page.url), controls)
        return self._framed(request, details.page.title or details.page.url, content, path="/pages")

    async def _asked(self, method: str, number: int) -> Any:
        """The result of reading a page again; a text if that fails."""
        try:
            return await self._rereader.ask(method, number)
        except HoneyguideError as error:
            return str(error)

    async def _hosts(self, request: web.Request) -> web.Response:
        order = request.query.get("order", "found")
        if order not in ORDERS:
            raise web.HTTPNotFound
        after = _key(request.query["after"], int, int, int) if "after" in request.query else None

        def view(source: CrawlSource) -> list[Html]:
            hosts, following = list_hosts(source, order, after)
            controls = self._forms(request).blocked(status_of(source).blocked)
            return [*host_list(hosts, order, following), controls]

        return self._framed(request, "Hosts", await self._reader.run(view), path="/hosts")

    async def _host(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])

        def view(source: CrawlSource) -> tuple[str, list[Html]]:
            host = host_numbered(source, number)
            if host is None:
                raise web.HTTPNotFound
            pages = list_pages(source, PageFilter(host=number), size=20).pages
            forms = self._forms(request)
            controls = html(forms.marks(), forms.host(host.row.name, status_of(source).blocked))
            marks = self._marks.now()
            return host.row.name, host_view(host, pages, marks, troubles_of(source, number), controls)

        name, content = await self._reader.run(view)
        return self._framed(request, name, content, path="/hosts")

    async def _waiting(self, request: web.Request) -> web.Response:
        hosts, _ = await self._reader.run(lambda source: list_hosts(source, "waiting", size=20))
        return self._framed(request, "Waiting", waiting_view(self.indexer.census, hosts), path="/waiting")

    async def _seeds(self, request: web.Request) -> web.Response:
        return self._framed(
            request, "Seeds", seeds_view(self.indexer.census, self._forms(request).seeds()), path="/seeds"
        )

    async def _map(self, request: web.Request) -> web.Response:
        return self._framed(request, "Map", map_view(await self._reader.run(site_map)), path="/map")

    async def _control(self, request: web.Request) -> web.Response:
        form = {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
        told = await self._controls.tell(form)
        if request.headers.get("Accept") == "application/json":  # a view that goes on showing what it shows
            return web.json_response({"ok": told.ok, "text": told.text})
        return web.Response(status=303, headers={"Location": back_to(form, told)})

    async def _static(self, request: web.Request) -> web.Response:
        found = static_files().get(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        text, kind = found
        return web.Response(text=text, content_type=kind, charset="utf-8")


@cache
def static_files() -> dict[str, tuple[str, str]]:
    """The files that pages load, by name: text and content type. There are no others, whatever a path says."""
    sheets = (
        ("honeyguide.document", "base.css"),
        ("honeyguide.store.report", "style.css"),
        (__package__, "static/dashboard.css"),
    )
    style = "".join((files(package) / name).read_text(encoding="utf-8") for package, name in sheets)
    script = (files(__package__) / "static/dashboard.js").read_text(encoding="utf-8")
    return {"dashboard.css": (style, "text/css"), "dashboard.js": (script, "text/javascript")}


def _html(text: str, status: int = 200) -> web.Response:
    body = text.encode("utf-8", "replace")
    return web.Response(body=body, status=status, content_type="text/html", charset="utf-8")


def _key(text: str, *kinds: Callable[[str], Any]) -> Any:
    """The key of a part of a list, as its address has it."""
    parts = text.split(",")
    try:
        key = tuple(kind(part) for kind, part in zip(kinds, parts, strict=True))
    except ValueError:
        raise web.HTTPNotFound from None
    if any(not abs(part) < 1 << 62 for part in key):  # also true for NaN
        raise web.HTTPNotFound
    return key
