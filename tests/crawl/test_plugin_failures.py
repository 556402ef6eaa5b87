"""A strategy or a model that fails ends the crawl, by name and loudly; nothing is lost, and corrected it goes on."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import honeyguide
from honeyguide.crawl import model_schedule
from honeyguide.crawl.explain import explain_url
from honeyguide.crawl.session import Session
from honeyguide.errors import PluginError, plugin_errors
from honeyguide.frontier import State
from honeyguide.relevance.learning import OnlineIdf
from honeyguide.relevance.vsm import Vsm
from honeyguide.strategy import reading, registry
from honeyguide.strategy.link_table import link_table
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Rule, inherited

from .kit import PaperWeb, about, answer, check_archive, check_tables, rows, run, topic

HOME = "http://a.example/"
BAD = f"{HOME}4"
PAGES = [HOME, *(f"{HOME}{place}" for place in range(10))]
STATES = "SELECT url, state FROM urls"


def web() -> PaperWeb:
    """Ten pages, one that is gone, and one that has moved to one of the ten."""
    pages: dict[str, Any] = {HOME: about("honey", *(f"/{place}" for place in range(10)), "/gone", "/moved")}
    pages |= {f"{HOME}{place}": about(f"honey bee {place}") for place in range(10)}
    pages[f"{HOME}moved"] = answer(f"{HOME}moved", "", ("Location", "/7"), status=301)
    return PaperWeb(pages)


Register = Callable[..., None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Makes a strategy known as "mine"; again, another one."""

    def make(rule: Callable[[Any], Any] = inherited, queue: Callable[[], Any] = PlainQueue) -> None:
        recipe = Recipe("mine", "test", "", lambda _: rule, lambda _: queue())
        monkeypatch.setitem(registry.REGISTRY._own, "mine", recipe)

    make()
    return make


def crawl(folder: Path, fetcher: PaperWeb, **tables: Any) -> Any:
    return run(topic([HOME], strategy={"name": "mine"}, **tables), folder, lambda: fetcher)


def failing_rule(fails: Callable[[Any], Any], url: str = BAD) -> Rule:
    return lambda view: fails(view) if view.page.url == url else inherited(view)


def divide(*_: object) -> float:
    return 1 / 0


class Failing(PlainQueue):
    """A queue that fails in one of its methods, on one URL or at once."""

    def __init__(self, method: str, url: str = "") -> None:
        super().__init__()
        self.failed = False
        inner = getattr(self, method)

        def failing(*arguments: Any) -> Any:
            if not url or arguments[0].urls.url(arguments[1]) == url:
                self.failed = True
                divide()
            return inner(*arguments)

        setattr(self, method, failing)


def check_saved(folder: Path, fetched: list[str], *lost: str) -> None:
    """All that was fetched is recorded but for what is lost, which has not failed."""
    check_tables(folder)
    check_archive(folder)
    kept = {url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id)")}
    assert kept == {url for url in fetched if url in PAGES} - set(lost)
    states = dict(rows(folder, STATES))
    assert all(states[url] in (State.WAITING, State.IN_FLIGHT) for url in lost)
    assert rows(folder, "SELECT value FROM meta WHERE key = 'stop'") == [("failed",)]
    (detail,) = [detail for (detail,) in rows(folder, "SELECT detail FROM events WHERE kind = 'plugin failed'")]
    assert "mine" in detail
    assert "ZeroDivisionError: division by zero" in detail


def check_goes_on(folder: Path, fetcher: PaperWeb, *twice: str) -> None:
    """Corrected, the crawl goes on to its end; what was lost is fetched again, and nothing else."""
    outcome = crawl(folder, fetcher)
    assert (outcome.stop.kind, outcome.tally.pages) == ("exhausted", len(PAGES))
    asked = [url for url in fetcher.asked_pages if url in (*PAGES, f"{HOME}moved", f"{HOME}gone")]
    assert sorted(asked) == sorted([*PAGES, f"{HOME}moved", f"{HOME}gone", *twice])
    assert dict(rows(folder, STATES)) == {
        **dict.fromkeys([*PAGES, f"{HOME}moved"], State.DONE),
        f"{HOME}gone": State.FAILED,
    }
    check_tables(folder)
    check_archive(folder)


# ---- strategies ----


def test_a_rule_that_raises_ends_the_crawl_with_its_name_and_the_page(tmp_path: Path, register: Register) -> None:
    register(failing_rule(divide))
    fetcher = web()
    with pytest.raises(PluginError) as raised:
        crawl(tmp_path, fetcher)
    error = raised.value
    assert (error.kind, error.name, error.url) == ("strategy", "mine", BAD)
    log = tmp_path / "errors.log"
    assert str(error) == f"strategy mine failed on {BAD}: ZeroDivisionError: division by zero; traceback in {log}"
    assert isinstance(error.__cause__, ZeroDivisionError)
    text = log.read_text()
    assert f"failed on {BAD}" in text
    assert "in divide\n    return 1 / 0\n" in text
    assert text.count("Traceback") == 1
    check_saved(tmp_path, fetcher.asked_pages, BAD)
    ((detail,),) = rows(tmp_path, "SELECT detail FROM events WHERE kind = 'plugin failed'")
    problem = "ZeroDivisionError: division by zero"
    assert json.loads(detail) == {"part": "strategy", "name": "mine", "url": BAD, "problem": problem}

    # As long as the fault is there the crawl ends with the same page, and the log has both.
    with pytest.raises(PluginError):
        crawl(tmp_path, fetcher)
    assert log.read_text().count("Traceback") == 2

    register()
    check_goes_on(tmp_path, fetcher, BAD, BAD)


@pytest.mark.parametrize("connections", [1, 8])
def test_pages_that_came_in_with_the_bad_one_are_kept(tmp_path: Path, register: Register, connections: int) -> None:
    register(failing_rule(divide))
    fetcher = web()
    together = {"connections": connections, "per_host": connections, "per_domain": connections, "per_ip": connections}
    with pytest.raises(PluginError):
        crawl(tmp_path, fetcher, fetch=together)
    check_saved(tmp_path, fetcher.asked_pages, BAD)


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (lambda view: view.table(np.zeros(3)), "ValueError: the column 'scores' has 3 rows for 12 links"),
        (lambda view: link_table({BAD: 0.5}), "ValueError: returned 1 rows for 12 links"),
        (lambda view: np.zeros(12), "TypeError: returned ndarray instead of a LinkTable"),
        (lambda view: None, "TypeError: returned NoneType instead of a LinkTable"),
    ],
)
def test_a_rule_returns_a_score_per_link(tmp_path: Path, register: Register, returned: Any, problem: str) -> None:
    register(failing_rule(returned, HOME))
    with pytest.raises(PluginError) as raised:
        crawl(tmp_path, web())
    assert raised.value.problem == problem
    assert raised.value.url == HOME


def test_a_link_without_a_score_is_dropped_and_no_failure(tmp_path: Path, register: Register) -> None:
    register(failing_rule(lambda view: view.table(np.array([np.nan] * 9 + [1.0] * 3)), HOME))
    assert crawl(tmp_path, web()).tally.refused == {"strategy": 9}


def test_a_strategy_that_cannot_be_made(tmp_path: Path, register: Register) -> None:
    register(queue=divide)
    Session(topic([HOME], strategy={"name": "mine"}), tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(PluginError, match="strategy mine failed to start: ZeroDivisionError: division by zero"):
        crawl(tmp_path, web())
    assert "Traceback" in (tmp_path / "errors.log").read_text()
    register()
    check_goes_on(tmp_path, web())


@pytest.mark.parametrize(
    ("method", "url"), [("page", BAD), ("page", HOME), ("on_failed", f"{HOME}gone"), ("on_redirect", f"{HOME}moved")]
)
def test_a_queue_that_raises_has_the_page_again(tmp_path: Path, register: Register, method: str, url: str) -> None:
    register(queue=lambda: Failing(method, url))
    fetcher = web()
    with pytest.raises(PluginError) as raised:
        crawl(tmp_path, fetcher)
    assert (raised.value.kind, raised.value.name, raised.value.url) == ("strategy", "mine", url)
    check_saved(tmp_path, fetcher.asked_pages, url)
    register()
    check_goes_on(tmp_path, fetcher, url)


@pytest.mark.parametrize(
    ("method", "occasion"), [("begin", "at the start of the crawl"), ("dirty_state", "to hand over what it has learnt")]
)
def test_a_queue_that_fails_on_no_page(tmp_path: Path, register: Register, method: str, occasion: str) -> None:
    register(queue=lambda: Failing(method))
    fetcher = web()
    with pytest.raises(PluginError, match=f"strategy mine failed {occasion}: ZeroDivisionError"):
        crawl(tmp_path, fetcher)
    check_saved(tmp_path, fetcher.asked_pages)
    register()
    check_goes_on(tmp_path, fetcher)


def test_a_queue_that_cannot_say_what_it_has_learnt_at_the_end_loses_no_page(
    tmp_path: Path, register: Register
) -> None:
    class Late(PlainQueue):
        calls = 0

        def dirty_state(self) -> Iterator[tuple[str, bytes]]:
            self.calls += 1
            yield "half", b"of it"
            if self.calls > 1:
                divide()

    register(queue=Late)
    fetcher = web()
    with pytest.raises(PluginError, match="to hand over what it has learnt"):
        crawl(tmp_path, fetcher)
    assert sorted(set(fetcher.asked_pages) & set(PAGES)) == sorted(PAGES)
    check_saved(tmp_path, fetcher.asked_pages)


def test_of_several_failures_the_first_is_told(tmp_path: Path, register: Register) -> None:
    class Worse(Failing):
        def dirty_state(self) -> Any:
            return divide() if self.failed else ()

    register(queue=lambda: Worse("page", BAD))
    fetcher = web()
    with pytest.raises(PluginError, match=f"strategy mine failed on {BAD}: ZeroDivisionError"):
        crawl(tmp_path, fetcher)
    check_saved(tmp_path, fetcher.asked_pages, BAD)


def test_a_queue_that_cannot_go_on(tmp_path: Path, register: Register) -> None:
    fetcher = web()
    crawl(tmp_path, fetcher, budget={"pages": 3})
    register(queue=lambda: Failing("restore"))
    with pytest.raises(PluginError, match="strategy mine failed to go on from what it had learnt: ZeroDivisionError"):
        crawl(tmp_path, fetcher)
    register()
    check_goes_on(tmp_path, fetcher)


def test_a_queue_that_cannot_explain(tmp_path: Path, register: Register) -> None:
    class Mute(PlainQueue):
        def parts(self, frontier: Any, number: int) -> Any:
            return divide()

    register(queue=Mute)
    crawl(tmp_path, web())
    with (
        honeyguide.Crawl.open(tmp_path) as kept,
        pytest.raises(PluginError, match=f"strategy mine failed on {BAD}: ZeroDivisionError"),
    ):
        explain_url(kept, BAD)


# ---- models ----


@pytest.fixture
def failing_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Any], bool], Callable[[Any], Any]], None]:
    """Has the vector space model fail for some texts."""
    score = Vsm.score

    def fail(when: Callable[[Any], bool], how: Callable[[Any], Any]) -> None:
        monkeypatch.setattr(
            Vsm, "score", lambda self, text, spans: how(spans) if when(text) else score(self, text, spans)
        )

    return fail


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        (divide, "ZeroDivisionError: division by zero"),
        (lambda spans: np.full(len(spans), np.nan), "ValueError: returned nan as the relevance of the page"),
        (lambda spans: np.full(len(spans), 1.5), "ValueError: returned 1.5 as the relevance of the page"),
        (lambda spans: np.full(len(spans), -0.1), "ValueError: returned -0.1 as the relevance of the page"),
        (lambda _: np.zeros(3), "ValueError: returned 3 scores for 1 spans"),
        (lambda _: None, "TypeError: object of type 'NoneType' has no len()"),
    ],
)
def test_a_model_that_fails_on_a_page(tmp_path: Path, failing_model: Any, how: Any, problem: str) -> None:
    failing_model(lambda text: text.url == BAD, how)
    fetcher = web()
    with pytest.raises(PluginError) as raised:
        run(topic([HOME], strategy={"name": "best-first"}, relevance={"model": "vsm"}), tmp_path, lambda: fetcher)
    error = raised.value
    assert (error.kind, error.name, error.url) == ("model", "vsm", BAD)
    assert error.problem.startswith(problem)
    assert BAD not in {url for (url,) in rows(tmp_path, "SELECT url FROM pages JOIN urls USING (id)")}


@pytest.mark.parametrize("strategy", ["guide", "page+btw", "shark-search"])
def test_a_model_that_a_strategy_asks_is_told_by_its_own_name(
    tmp_path: Path, failing_model: Any, strategy: str
) -> None:
    failing_model(lambda text: not text.url or "spans" in text.url, divide)
    pages = {HOME: about("honey", "/1"), f"{HOME}1": about("bee", "/2", "/3")}
    pages[HOME] += '<a href="/4"><img src="x" alt="honey"></a>'  # the text of an image is a text without an address
    with pytest.raises(PluginError) as raised:
        run(topic([HOME], strategy={"name": strategy}), tmp_path, lambda: PaperWeb(pages))
    assert (raised.value.kind, raised.value.name, raised.value.url) == ("model", "Feedback", HOME)


def test_a_model_that_cannot_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_schedule, "MILESTONES", (5, 8))
    learned = OnlineIdf.learned
    monkeypatch.setattr(OnlineIdf, "learned", divide)
    fetcher = web()
    wanted = topic([HOME], relevance={"model": "vsm", "idf": "crawl"}, strategy={"name": "best-first"})
    message = "model vsm failed to learn from 5 pages: ZeroDivisionError: division by zero; traceback in "
    for _ in range(2):  # the second run learns from what the first one has kept
        with pytest.raises(PluginError, match=message):
            run(wanted, tmp_path, lambda: fetcher)
        assert rows(tmp_path, "SELECT count(*) FROM pages") == [(5,)]
    monkeypatch.setattr(OnlineIdf, "learned", learned)
    assert run(wanted, tmp_path, lambda: fetcher).tally.pages == len(PAGES)
    assert len(fetcher.asked_pages) == len(PAGES) + 2
    check_tables(tmp_path)


# ---- what costs one page only, or is not ours to catch ----


@pytest.mark.parametrize("part", ["parse", "as_html"])
def test_a_document_that_crashes_the_parser_costs_one_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    original = getattr(reading, part)

    def crashing(content: Any, *arguments: Any, **options: Any) -> Any:
        if (b"honey bee 4 " if part == "as_html" else "honey bee 4 ") in content:
            divide()
        return original(content, *arguments, **options)

    monkeypatch.setattr(reading, part, crashing)
    outcome = run(topic([HOME]), tmp_path, web)
    assert (outcome.tally.pages, outcome.tally.errors["reader"]) == (len(PAGES) - 1, 1)
    assert dict(rows(tmp_path, STATES))[BAD] == State.FAILED


def test_memory_that_runs_out_is_nobodys_fault(tmp_path: Path, register: Register) -> None:
    def exhaust(_: object) -> None:
        raise MemoryError

    register(failing_rule(exhaust))
    assert crawl(tmp_path, web()).tally.errors["reader"] == 1


def test_ctrl_c_inside_a_plugin_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), plugin_errors("strategy", "mine"):
        raise KeyboardInterrupt


# ---- from Python ----


def test_iterating_over_a_crawl_raises_it_after_the_pages_before(tmp_path: Path, register: Register) -> None:
    register(failing_rule(divide))
    fetcher = web()
    wanted = topic([HOME], strategy={"name": "mine"})
    pages: list[str] = []

    def crawling() -> Any:
        return honeyguide.crawl(wanted, out=tmp_path, fetcher=lambda: fetcher, all_pages=True, workers=0)

    with pytest.raises(honeyguide.PluginError, match=f"strategy mine failed on {BAD}"):
        pages.extend(page.url for page in crawling())
    assert pages == [url for url in fetcher.asked_pages if url != BAD]

    async def main() -> None:
        pages.extend([page.url async for page in crawling()])

    with pytest.raises(honeyguide.PluginError, match=f"strategy mine failed on {BAD}"):
        asyncio.run(main())


def test_a_log_that_cannot_be_written_hides_nothing(tmp_path: Path, register: Register) -> None:
    (tmp_path / "errors.log").mkdir()
    (tmp_path / ".lock").touch()
    register(failing_rule(divide, HOME))
    with pytest.raises(PluginError) as raised:
        crawl(tmp_path, web())
    assert str(raised.value) == f"strategy mine failed on {HOME}: ZeroDivisionError: division by zero"
    assert "in divide" in raised.value.traceback


def test_it_can_be_sent_to_another_process_whatever_the_cause() -> None:
    class Unsendable(Exception):  # noqa: N818 (a local class cannot be pickled)
        pass

    with pytest.raises(PluginError) as raised, plugin_errors("model", "mine", "http://a.example/"):
        raise Unsendable("line one\nline two")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert str(copy) == str(raised.value) == "model mine failed on http://a.example/: Unsendable: line one"
    assert copy.traceback == raised.value.traceback
    assert "line two" in copy.traceback
