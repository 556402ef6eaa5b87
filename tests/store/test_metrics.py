"""The metrics for Prometheus: their names in the documentation and on the board, and where they are served."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from urllib.request import urlopen

import pytest

from honeyguide.errors import InputError
from honeyguide.store.metrics import METRICS, metrics_server
from honeyguide.store.status import Status, status_of

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "examples" / "grafana" / "honeyguide.json"
PAGE = (ROOT / "docs" / "control.md").read_text(encoding="utf-8")


def served(port: int) -> str:
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text: str = answer.read().decode()
    return text


def test_every_metric_has_the_value_of_the_status(demo_folder: Path) -> None:
    now = status_of(demo_folder)
    with metrics_server(demo_folder, "0") as port:
        text = served(port)
    for metric in METRICS:
        sample = re.compile(rf'^{metric.name}{{crawl="bees"(?:,\w+="(.*)")?}} (\S+)$', re.MULTILINE)
        found = {label: float(value) for label, value in sample.findall(text)}
        value = metric.value(now)
        assert found == (dict(value) if isinstance(value, dict) else {"": float(value)}), metric.name  # type: ignore[arg-type]
    assert set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE)) == {metric.name for metric in METRICS}


def test_there_are_no_metrics_before_there_is_a_crawl(tmp_path: Path) -> None:
    with metrics_server(tmp_path / "none", "127.0.0.1:0") as port:
        assert "honeyguide_" not in served(port)


@pytest.mark.parametrize("where", ["many", "localhost", "127.0.0.1:", "70000", "-1", "²"])
def test_an_address_without_a_port_is_refused(tmp_path: Path, where: str) -> None:
    with pytest.raises(InputError, match="is not a port"), metrics_server(tmp_path, where):
        pass


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with (
        metrics_server(tmp_path, "0") as port,
        pytest.raises(InputError, match=f"cannot serve at {port}: Address already in use; choose another port"),
        metrics_server(tmp_path, str(port)),
    ):
        pass


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(InputError, match=r'pip install "honeyguide\[metrics\]"'), metrics_server(tmp_path, "0"):
        pass


def test_the_board_uses_metrics_that_exist() -> None:
    board = json.loads(BOARD.read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    queries += [variable["query"]["query"] for variable in board["templating"]["list"] if variable["type"] == "query"]
    used = set(re.findall(r"honeyguide_\w+", " ".join(queries)))
    assert len(queries) > 10
    assert used <= {metric.name for metric in METRICS}
    labels = {label for query in queries for label in re.findall(r"by \((\w+)\)", query)}
    assert labels <= {metric.label for metric in METRICS}


def test_the_documentation_has_every_metric_and_every_value_of_the_status() -> None:
    tables = re.findall(r"^\| (\w+) \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    named = {head: re.findall(r"^\| `(\w+)", rows, re.MULTILINE) for head, rows in tables}
    assert named["value"] == [field.name for field in fields(Status)]
    assert named["metric"] == [metric.name for metric in METRICS]
