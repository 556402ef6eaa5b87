"""Every mistake in a topic file gets one line: the place, the problem, the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.topic import Key, Topic

GOOD = 'seeds = ["https://a.example/"]\nkeywords = ["vertex"]\n'


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as error:
        Topic.load(path)
    assert "\n" not in str(error.value)
    assert error.value.remedy
    return error.value


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, so that messages show file names as a user gives them."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def message(folder: Path, text: str | bytes) -> str:
    path = folder / "graphs.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(refused(path.relative_to(folder)))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # names
        ("[scope]\nmax_dept = 3", "graphs.toml:4: unknown setting scope.max_dept; did you mean max_depth?"),
        ("[scop]\nmax_depth = 3", "graphs.toml:3: unknown table scop; did you mean scope?"),
        ("pages = 5", "graphs.toml:3: unknown setting pages; it belongs under [budget]"),
        ("max_dept = 5", "graphs.toml:3: unknown setting max_dept; did you mean scope.max_depth?"),
        (
            "[scope]\ndescription = 'x'",
            "graphs.toml:4: unknown setting scope.description; put description above the first [table]",
        ),
        ("budget = { page = 5 }", "graphs.toml:3: unknown setting budget.page; did you mean pages?"),
        ('budget."a\\nb" = 5', 'graphs.toml:3: unknown setting budget."a\\nb"'),
        # types
        (
            "[budget]\npages = '500'",
            'graphs.toml:4: pages must be a whole number, not "500"; write pages = 500',
        ),
        ("budget.pages = 1e3", "graphs.toml:3: pages must be a whole number, not 1000.0; write pages = 1000"),
        ("budget.pages = true", "graphs.toml:3: pages must be a whole number, not true; write pages = 1000"),
        ("budget.pages = 2020-01-01", "graphs.toml:3: pages must be a whole number, not 2020-01-01"),
        ("fetch.delay = 'soon'", 'graphs.toml:3: delay must be a number, not "soon"; write delay = 1.0'),
        ("fetch.delay = [1]", "graphs.toml:3: delay must be a number, not a list; write delay = 1.0"),
        ("fetch.robots = 1", "graphs.toml:3: robots must be true or false, not 1; write robots = true"),
        (
            "fetch.contact = 5",
            'graphs.toml:3: contact must be a string, not 5; write contact = "mailto:you@example.org"',
        ),
        *(
            (
                f"fetch.contact = {contact!r}",
                f'graphs.toml:3: contact must be an e-mail address or the URL of a page, not "{contact}"; write',
            )
            for contact in ("me", "me@home", "http://me", "call me @ home.example")
        ),
        (
            "scope.deny_types = 'pdf'",
            'graphs.toml:3: deny_types must be a list of strings, not "pdf"; write deny_types = ["pdf"]',
        ),
        (
            "scope.deny_types = [\n'pdf', 3]",
            "graphs.toml:3: deny_types must be a list of strings, not a list",
        ),
        ("scope = 3", "graphs.toml:3: scope must be a table, not 3; write [scope] on a line of its own"),
        ("[[scope]]\nmax_depth = 3", "graphs.toml:3: scope must be a table, not a list"),
        ("description = 3", "graphs.toml:3: description must be a string, not 3; put it in quotes"),
        ("name = 3", "graphs.toml:3: name must be a string, not 3; put it in quotes"),
        # what a room checks itself
        ("[urls]\nkeep_parameters = ['a=b']", "graphs.toml:4: 'a=b' is not the name of a query parameter"),
        (
            "[fetch]\ntypes = ['text/html', 'application/zip']",
            'graphs.toml:4: "application/zip" cannot be read; choose among text/html, application/xhtml+xml, ',
        ),
        # limits
        ("[budget]\n\npages = -1", "graphs.toml:5: pages must be at least 0, not -1; the default is 1000"),
        ("relevance.threshold = 2", "graphs.toml:3: threshold must be at most 1, not 2; the default is 0.0"),
        ("fetch.delay = inf", "graphs.toml:3: delay must be a finite number, not inf"),
        ("fetch.delay = nan", "graphs.toml:3: delay must be a finite number, not nan"),
        ("budget.pages = 9223372036854775808", "graphs.toml:3: pages is a number beyond 64 bits"),
        (
            f"fetch.delay = 0x{'f' * 5000}",
            "graphs.toml:3: delay must be a number, not a number beyond 64 bits",
        ),
        # choices
        ("strategy.name = 'best-fist'", "graphs.toml:3: no strategy 'best-fist'; did you mean best-first? There are"),
        (
            "strategy.name = '?'",
            "graphs.toml:3: no strategy '?'; use one of guide, best-first, ",
        ),
        (
            "strategy.name = 'btw(size=3)'",
            "graphs.toml:3: btw has no parameter size; it takes repeated=first, window=20",
        ),
        ("relevance.model = 'vms'", "graphs.toml:3: no model 'vms'; did you mean vsm? There are auto, vsm, feedback, "),
        ("relevance.model = 'atuo'", "graphs.toml:3: no model 'atuo'; did you mean auto?"),
        ("relevance.model = '?'", "graphs.toml:3: no model '?'; use one of auto, vsm, feedback, "),
        (
            "relevance.model = 'a-b:c'",
            "graphs.toml:3: 'a-b:c' is not the path of an object; write it as package.",
        ),
        ("relevance.model = 'no.such:Model'", "graphs.toml:3: there is no module no (for no.such:Model); install the"),
        (
            "relevance.model = 'json:dumps'",
            "graphs.toml:3: json:dumps is not a valid model; specify one: a ModelSpec, or a class",
        ),
        (
            "strategy.name = 'json:dumps(indent=1)'",
            "graphs.toml:3: json:dumps is not a valid strategy; specify one: a Recipe",
        ),
        # names of topics
        (
            "name = 'my topic'",
            'graphs.toml:3: "my topic" cannot be the name of a folder; use letters, digits',
        ),
        ("name = 'my topic'", 'as in name = "my-topic"'),
        ("name = '.hidden'", 'as in name = "hidden"'),
        ("name = '../..'", 'as in name = "my-topic"'),
        ("name = ''", 'graphs.toml:3: "" cannot be the name of a folder'),
        ("name = 'a/b'", 'as in name = "a-b"'),
        ('name = "a\\u0000"', '"a\\u0000" cannot be the name of a folder'),
        (f"name = '{'x' * 101}'", "graphs.toml:3: the name is too long; use at most 100 characters"),
        (f"name = '{'図' * 100}'", "graphs.toml:3: the name is too long"),
        # TOML
        ("a = ", "graphs.toml:3: not valid TOML"),
        *(
            (
                f"x = {text}",
                "graphs.toml:3: not valid TOML: a string is not closed; end it with the quote that it begins with",
            )
            for text in ('"y\nz = 1', "'y\nz = 1", '"y', '["a", "b]\nz = 1', '"""y\nz = 1', "'''y\nz = 1")
        ),
        (
            "\nname = graphs\n",
            "graphs.toml:4: not valid TOML at column 8: invalid value; put strings in quotes",
        ),
        ("keywords = 'edge'", "overwrite a value; set each name once, in one table"),
        (
            "[scope]\n[scope]\n",
            "graphs.toml:4: not valid TOML at column 7: cannot declare ('scope',) twice; set each",
        ),
        ("x = [1,", "graphs.toml:3: not valid TOML: "),
        (f"x = {'9' * 5000}", "graphs.toml: not valid TOML: "),
        (f"x = {'[' * 5000}", "graphs.toml: lists are nested too deeply"),
    ],
)
def test_mistakes_in_a_file(folder: Path, lines: str, expected: str) -> None:
    assert expected in message(folder, GOOD + lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "graphs.toml: seeds: there are no seeds; give at least one URL to start from"),
        ("seeds = []", "graphs.toml:1: there are no seeds"),
        ("seeds = 3", "graphs.toml:1: seeds must be a list of URLs, not 3"),
        ("seed = ['https://a.example/']", "graphs.toml:1: unknown setting seed; did you mean seeds?"),
        (
            "seeds = ['https://a.example/']",
            "graphs.toml: keywords: neither keywords nor description contains a word",
        ),
        (
            "seeds = ['a.example']\nkeywords = ' , -- ,'",
            "graphs.toml:2: neither keywords nor description contains a word",
        ),
        ("seeds = ['a.example']\nkeywords = ['a',\n3]", "graphs.toml:3: a keyword must be a string, not 3"),
        ("seeds = ['a.example']\nkeywords = 3", "graphs.toml:2: keywords must be a list of strings, not 3"),
        ("[budget]\npages = 5\nseeds = []", "graphs.toml:3: unknown setting budget.seeds; put seeds above"),
    ],
)
def test_topics_without_a_start_or_a_subject(folder: Path, text: str, expected: str) -> None:
    assert expected in message(folder, text)


def test_a_file_name_that_is_no_folder_name(folder: Path) -> None:
    (folder / "my topic.toml").write_text(GOOD, encoding="utf-8")
    error = refused((folder / "my topic.toml").relative_to(folder))
    assert error.place == "my topic.toml: name"
    assert error.remedy.endswith('as in name = "my-topic"')


def test_a_file_that_is_not_utf_8(folder: Path) -> None:
    text = (GOOD + "description = 'Gräser'\n").encode("latin-1")
    assert message(folder, text) == "graphs.toml:3: not UTF-8 text; save the file as UTF-8"


def test_files_that_cannot_be_read(folder: Path) -> None:
    here = folder.relative_to(folder)
    assert str(refused(here / "trees.toml")) == (
        "trees.toml: there is no file trees.toml; `honeyguide init trees` writes a new topic file"
    )
    (folder / "trees.toml").mkdir()
    assert str(refused(here / "trees.toml")) == "trees.toml: trees.toml is a folder; name a file"
    (folder / "graphs.toml").write_text(GOOD, encoding="utf-8")
    assert refused(here / "graphs").remedy == "did you mean graphs.toml?"
    assert "cannot be read" in refused(here / "a\0b").problem
    assert "cannot be read" in refused(here / "graphs.toml" / "x").problem
    assert "cannot be read" in refused(here / ("x" * 300)).problem


def test_a_made_topic_names_the_argument() -> None:
    def place_of(**arguments: object) -> str:
        given: dict[str, object] = {"name": "g", "seeds": ["https://a.example/"], "keywords": "x"}
        with pytest.raises(InputError) as error:
            Topic.make(**(given | arguments))  # type: ignore[arg-type]  # wrong on purpose
        return error.value.place

    assert place_of(seeds=["https://a.example/", "b c"]) == "seeds[1]"
    assert place_of(seeds=None) == "seeds"
    assert place_of(seeds=[b"https://a.example/"]) == "seeds[0]"
    assert place_of(keywords="") == "keywords"
    assert place_of(keywords=["a", 5]) == "keywords[1]"
    assert place_of(keywords=None) == "keywords"
    assert place_of(name="a b") == "name"
    assert place_of(budget={"pages": -1}) == "budget.pages"
    assert place_of(budgets={"pages": 1}) == "budgets"
    assert place_of(description="\udcff") == "description"
    assert place_of(scope={"deny_types": ["pdf", "\udcff"]}) == "scope.deny_types[1]"


def test_the_caller_can_name_the_places() -> None:
    def option(key: Key) -> str:
        return f"--seed {int(key[1]) + 1}" if key[0] == "seeds" and len(key) > 1 else f"--{key[-1]}"

    with pytest.raises(InputError, match=r"^--seed 2: "):
        Topic.make(name="g", seeds=["https://a.example/", "ftp://b.example/"], keywords="x", place=option)
    topic = Topic.make(name="g", seeds=["https://a.example/"], keywords="x")
    with pytest.raises(InputError, match=r"^--pages: pages must be at least 0, not -1"):
        topic.with_settings(budget={"pages": -1}, place=option)
