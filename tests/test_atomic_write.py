"""Files and folders are whole or not there, whatever happens on the way."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import honeyguide.atomic_write
from honeyguide.atomic_write import atomic_folder, atomic_write, is_draft, output_file
from honeyguide.errors import HoneyguideError, InputError

WRITERS = (atomic_write, output_file)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_gets_its_name_when_it_is_complete(
    tmp_path: Path, writer: Callable[[Path], AbstractContextManager[Any]], before: bytes | None
) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    with writer(path) as file:
        file.write(b"new")
        file.flush()
        assert (path.read_bytes() if path.exists() else None) == before
    assert path.read_bytes() == b"new"
    assert _names(tmp_path) == ["file"]


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt()])
def test_a_block_that_fails_changes_nothing(
    tmp_path: Path, writer: Callable[[Path], AbstractContextManager[Any]], error: BaseException
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(type(error)), writer(path) as file:  # noqa: PT012 (what fails is the block)
        file.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert _names(tmp_path) == ["file"]


def test_what_a_killed_process_leaves_is_known_as_a_draft(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "topic.toml"):
        (left,) = _names(tmp_path)
        assert is_draft(left)
    with atomic_folder(tmp_path / "model"):
        left = next(name for name in _names(tmp_path) if name != "topic.toml")
        assert is_draft(left)
    assert not any(map(is_draft, ("topic.toml", ".lock", ".topic.toml", "a.0123456789abcdef.part", ".part", "x.part")))


def test_a_link_where_the_draft_would_be_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    monkeypatch.setattr(honeyguide.atomic_write, "token_hex", lambda _: "0" * 16)
    trap = tmp_path / f".file.{'0' * 16}.part"
    trap.symlink_to(victim)
    with pytest.raises(FileExistsError), atomic_write(tmp_path / "file"):
        pytest.fail("written through a link")
    assert victim.read_bytes() == b"precious"
    assert trap.is_symlink()  # it was not ours to delete


def test_a_link_under_the_name_itself_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "target").read_bytes() == b"old"
    assert (tmp_path / "link").read_bytes() == b"new"


def test_the_mode_is_that_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "file"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_missing_folders_are_made_on_request_only(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    with pytest.raises(FileNotFoundError), atomic_write(path):
        pytest.fail("begun")
    assert not _names(tmp_path)
    with atomic_write(path, parents=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_folder_in_the_way_is_found_before_the_work_begins(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), atomic_write(tmp_path):
        pytest.fail("begun")
    with pytest.raises(InputError, match="cannot be written: Is a directory"), output_file(tmp_path):
        pytest.fail("begun")


def test_the_longest_name_a_file_may_have(tmp_path: Path) -> None:
    name = "ü" * 127 + "x"
    with atomic_write(tmp_path / name):
        pass
    assert _names(tmp_path) == [name]


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    came: list[bytes] = []
    reader = threading.Thread(target=lambda: came.append(pipe.read_bytes()))
    reader.start()
    with output_file(pipe) as file:
        file.write(b"new")
    reader.join()
    assert (came, pipe.is_fifo()) == ([b"new"], True)


def test_durable_means_that_file_and_folder_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(Path(f"/proc/self/fd/{descriptor}").readlink()))
    with atomic_write(tmp_path / "file") as file:
        file.write(b"x")
    assert not synced
    with output_file(tmp_path / "file", durable=True) as file:
        file.write(b"x")
    draft, folder = synced
    assert is_draft(draft.name)  # before it got its name
    assert folder == tmp_path


def test_many_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    start = threading.Barrier(8)

    def write(content: bytes) -> None:
        start.wait()
        for _ in range(20):
            with atomic_write(path) as file:
                file.write(content * 50_000)

    writers = [threading.Thread(target=write, args=(bytes([letter]),)) for letter in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (len(set(path.read_bytes())), path.stat().st_size) == (1, 50_000)
    assert _names(tmp_path) == ["file"]


def test_a_place_that_cannot_be_written_is_the_users_matter(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none/file: cannot be written: No such file .*; choose"):
        output_file(tmp_path / "none" / "file").__enter__()


def test_a_disk_that_fills_up_later_is_said_in_one_line() -> None:
    full = Path("/dev/full")
    with (
        pytest.raises(
            HoneyguideError, match=r"^/dev/full: cannot be written: No space left.*; choose another"
        ) as raised,
        output_file(full) as file,
    ):
        file.write(b"x" * 1_000_000)
    assert not isinstance(raised.value, InputError)
    assert full.is_char_device()


# ---- folders ----


@pytest.mark.parametrize("before", [False, True])
def test_a_folder_gets_its_name_when_it_is_complete(tmp_path: Path, before: bool) -> None:
    path = tmp_path / "above" / "folder"
    if before:
        path.mkdir(parents=True)
        (path / "old").touch()
    with atomic_folder(path) as draft:
        (draft / "new").touch()
        assert (_names(path) if path.exists() else []) == ["old"] * before
    assert _names(path) == ["new"]
    assert _names(path.parent) == ["folder"]
    assert path.stat().st_mode == (tmp_path / "above").stat().st_mode


def test_a_folder_whose_block_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    (path / "old").touch()
    with pytest.raises(ValueError, match="x"), atomic_folder(path) as draft:  # noqa: PT012 (what fails is the block)
        (draft / "new").touch()
        raise ValueError("x")
    assert _names(path) == ["old"]
    assert _names(tmp_path) == ["folder"]


def test_the_old_folder_comes_back_when_the_new_one_cannot_be_moved(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    (path / "old").touch()
    with pytest.raises(FileNotFoundError), atomic_folder(path) as draft:
        draft.rmdir()
    assert _names(path) == ["old"]
