"""The code on docs/extending.md is that of examples/, and what else is shown there works."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import honeyguide
from honeyguide.crawl.pacing import StandardPacing
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.strategy.guide import features, texts
from honeyguide.topic import Topic

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"<!-- (part of )?(examples/\S+) -->\n```\w+\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/pyproject.toml"))


@pytest.mark.parametrize(("part", "path", "code"), SHOWN, ids=[f"{part}{path}" for part, path, _ in SHOWN])
def test_the_code_is_that_of_the_examples(part: str, path: str, code: str) -> None:
    file = (ROOT / path).read_text(encoding="utf-8")
    if part:
        assert code in file
    else:
        assert code == file, f"docs/extending.md shows another version of {path}; copy the file into the page"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_shown(example: Path) -> None:
    whole = {path for part, path, _ in SHOWN if not part}
    modules = [path.relative_to(ROOT).as_posix() for path in (example / "src").rglob("*.py")]
    assert modules
    assert whole.issuperset(modules)
    ((group, names),) = tomllib.loads((example / "pyproject.toml").read_text())["project"]["entry-points"].items()
    ((name, value),) = names.items()
    assert f'[project.entry-points."{group}"]\n{name} = "{value}"\n' in TEXT


def test_another_pacing_rule(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(import honeyguide\n.*?class Considerate.*?)```", TEXT, re.DOTALL)
    shown: dict[str, Any] = {}
    exec(compile(code, "extending.md", "exec", dont_inherit=True), shown)
    considerate: type[StandardPacing] = shown["Considerate"]
    web = DemoWeb(pages=300, page_kb=1.0)
    topic = Topic.make(
        name="bees",
        seeds=web.seeds(web.subjects[0])[:1],
        keywords="honey",
        budget={"pages": 1},
        fetch={"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "robots": False},
    )
    used: list[StandardPacing] = []

    def pacing(settings: FetchSettings, frontier: Frontier, recorder: RecorderProtocol) -> StandardPacing:
        used.append(considerate(settings, frontier, recorder))
        return used[0]

    list(honeyguide.crawl(topic, out=tmp_path, fetcher=lambda: Slow(web), pacing=pacing))
    (made,) = used
    assert made.frontier.hosts.delay(made.frontier.urls.host(0)) == pytest.approx(5 * Slow.SECONDS)


def test_another_feature_for_guide() -> None:
    text, state = re.findall(r"^  ((?:TextOnPage|StateFeature)\(.*\))$", TEXT, re.MULTILINE)
    page = parse("<p>honey from <a href='/comb'>a comb</a> of bees", "http://bees.example/", UrlRules(UrlSettings()))
    spans = eval(text, vars(texts)).spans(texts.LinkContexts(page))
    assert [page.words[first:last] for first, last in spans.tolist()] == [page.words]
    facts = SimpleNamespace(depth=np.array([0, 1, 2]))
    assert eval(state, vars(features)).values(facts).tolist() == [False, True, False]


class Slow(DemoFetcher):
    """Says that every answer has taken its time."""

    SECONDS = 0.25

    async def fetch(self, request: Request) -> Response | Failure:
        result = await super().fetch(request)
        return replace(result, elapsed=self.SECONDS)
