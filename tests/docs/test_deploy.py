"""The files of deploy/ agree with each other and with the package. `make lint-deploy` checks their form."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; make lint-deploy installs it")

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))


def pods() -> list[Any]:
    _, cluster = documents("kuberay.yaml")
    spec = cluster["spec"]
    return [group["template"]["spec"] for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"])]


def test_the_containers_of_a_cluster_are_built_with_an_extra_that_there_is() -> None:
    (compose,) = documents("compose.yaml")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for service in compose["services"].values():
        assert service["build"]["args"]["EXTRAS"] in extras
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


def test_all_nodes_have_the_same_image_and_the_same_folder_of_crawls() -> None:
    (compose,) = documents("compose.yaml")
    services = compose["services"].values()
    (container,) = {pod["containers"][0]["image"] for pod in pods()} | {service["image"] for service in services}
    assert container
    assert {tuple(service["volumes"]) for service in services} == {("crawls:/crawls",)}
    claim, _ = documents("kuberay.yaml")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    for pod in pods():
        assert pod["volumes"] == [{"name": "crawls", "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}]
        assert pod["containers"][0]["volumeMounts"] == [{"name": "crawls", "mountPath": "/crawls"}]


def test_what_the_container_copies_is_not_ignored() -> None:
    copied = [
        name
        for line in (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for name in line.split()[1:-1]
    ]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert copied
    assert {f"!{name}" for name in copied} <= set(ignored)
    assert all((ROOT / name).exists() for name in copied)


def test_the_version_of_ray_is_the_pinned_one() -> None:
    _, cluster = documents("kuberay.yaml")
    assert f"ray=={cluster['spec']['rayVersion']}" in (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
