"""The topic files in examples/topics: the term lists of 002, ready to use."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.relevance.base import whole
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

FOLDER = Path(__file__).parents[2] / "examples" / "topics"

SYLLABUS = """
    Course syllabus: databases. Instructor, credits, prerequisites, objectives and description. Topics: data model,
    relational model, relational algebra, SQL, normalization, functional dependencies, query optimization, concurrency
    control. Grading, exams, required text and textbooks, tentative schedule.
"""
TUTORIAL = "A database tutorial: the relational model, relational algebra, SQL queries and query optimization."


@pytest.mark.parametrize(
    ("name", "genre", "content", "threshold"),
    [  # as in tables 1 and 2 and figure 5; table 2 has up to three content terms less than table 1 counts
        ("data-structures-syllabi", 16, 14, 0.54),
        ("databases-syllabi", 16, 21, 0.47),
        ("information-retrieval-syllabi", 16, 21, 0.50),
        ("computing-jobs", 24, 23, 0.40),
        ("computer-sales", 24, 48, 0.37),
    ],
)
def test_the_lists_are_those_of_the_paper(name: str, genre: int, content: int, threshold: float) -> None:
    topic = Topic.load(FOLDER / f"{name}.toml")
    terms = topic.terms
    assert (len(set(terms.genre)), len(set(terms.content)), topic.relevance.threshold) == (genre, content, threshold)


def test_a_syllabus_is_told_from_a_tutorial() -> None:
    model = make_model(material_of(Topic.load(FOLDER / "databases-syllabi.toml"), ()))
    scores = [float(model.score(text, whole(text))[0]) for text in (Text.of(SYLLABUS), Text.of(TUTORIAL))]
    assert scores[0] > model.threshold > scores[1] > 0


def test_all_files_are_known_here() -> None:
    assert len(list(FOLDER.iterdir())) == 5
