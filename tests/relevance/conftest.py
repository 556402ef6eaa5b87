"""A small WordNet, invented, in the format of the real one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

SYNSETS: Mapping[str, tuple[str, str]] = {
    "entity": ("entity", ""),
    "thing": ("thing physical_thing", "entity"),
    "idea": ("idea", "entity"),
    "vehicle": ("vehicle", "thing"),
    "car": ("car auto", "vehicle"),
    "truck": ("truck lorry hand-cart", "vehicle"),
    "robot": ("robot", "vehicle thing"),
    "android": ("android", "robot"),
    "herbie": ("Herbie", "i:car"),
    "animal": ("animal", "thing"),
    "bee": ("bee", "animal"),
    "wasp": ("wasp", "animal"),
    "ox": ("ox", "animal"),
    "bug-animal": ("bug", "animal"),
    "law": ("law", "idea"),
    "bug-flaw": ("bug flaw", "idea"),
    "axis": ("axis", "idea"),
    "tool": ("tool", "idea"),
    "axe": ("axe", "tool"),
    "woman": ("woman", "animal"),
    "boss": ("boss", "animal"),
    "bos": ("bos", "animal"),
    "nothing": ("nihility", ""),
}
"""Synset → the words that share it, and what lies right above ("i:": it is an instance of that). With depths:

    entity (1)
        thing (2)
            vehicle (3): car/auto (4), truck/lorry (4), herbie, a car (5),
                robot (4, but also right under thing): android (5)
            animal (3): bee, wasp, ox, bug, woman, boss, bos (4)
        idea (2): law, bug or flaw, axis (3), tool (3): axe (4)
    nihility (1)
"""

LICENCE = "".join(f"  {number} Any use is free, and this line is no synset.  \n" for number in range(1, 4))
EXCEPTIONS = "axes axis axe\noxen ox\ntools bee\nunheard unhearable\n"


def write_wordnet(folder: Path, synsets: Mapping[str, tuple[str, str]] = SYNSETS) -> Path:
    """index.noun, data.noun and noun.exc as wndb(5) describes them: a synset's number is the offset of its line."""
    above = {name: [each.removeprefix("i:") for each in hypernyms.split()] for name, (_, hypernyms) in synsets.items()}

    def lines(offsets: Mapping[str, int]) -> dict[str, str]:
        written = {}
        for name, (words, hypernyms) in synsets.items():
            up = [f"{'@i' if each.startswith('i:') else '@'} {offsets[each.removeprefix('i:')]:08d} n 0000"
                  for each in hypernyms.split()]  # fmt: skip
            down = [f"~ {offsets[other]:08d} n 0000" for other, parents in above.items() if name in parents]
            pointers = [*up, *down, "+ 00001740 v 0101"]
            shown = " ".join(f"{word} 0" for word in words.split())
            written[name] = (
                f"{offsets[name]:08d} 03 n {len(words.split()):02x} {shown} {len(pointers):03d} "
                f'{" ".join(pointers)} | what | it is; "as in @ 00000000 n 0000"  \n'
            )
        return written

    offsets, place = {}, len(LICENCE)
    for name, line in lines(dict.fromkeys(synsets, 0)).items():  # a line is as long whatever the numbers in it
        offsets[name] = place
        place += len(line)
    data = LICENCE + "".join(lines(offsets).values())
    assert all(data[offset:].startswith(f"{offset:08d} ") for offset in offsets.values())
    senses = defaultdict(list)
    for name, (words, _) in synsets.items():
        for word in words.lower().split():
            senses[word].append(f"{offsets[name]:08d}")
    index = LICENCE + "".join(
        f"{word} n {len(found)} 2 @ ~ {len(found)} 0 {' '.join(found)}  \n" for word, found in sorted(senses.items())
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("index.noun", index), ("data.noun", data), ("noun.exc", EXCEPTIONS)):
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and no WordNet in any usual place."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.prefix", str(tmp_path / "prefix"))
    for name in ("HONEYGUIDE_WORDNET", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("honeyguide.relevance.semantic.find.OF_THE_SYSTEM", ())
    return tmp_path / "cache" / "honeyguide"


@pytest.fixture
def write_synsets() -> Callable[[Path, Mapping[str, tuple[str, str]]], Path]:
    """Writes other WordNets."""
    return write_wordnet


@pytest.fixture
def invented(tmp_path: Path, a_cache: Path) -> Path:
    """The folder of the invented WordNet."""
    return write_wordnet(tmp_path / "invented")
