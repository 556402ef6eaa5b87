"""A language model that may be asked whether pages are about the topic."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """The ``[teacher]`` table: a chat endpoint for `honeyguide label --machine`. Nothing is sent anywhere else."""

    url: str = setting(
        "",
        "URL of an OpenAI-compatible chat endpoint, without /chat/completions; empty = none",
        example="http://localhost:11434/v1",
    )
    model: str = setting("", "name of the language model, as the endpoint calls it")
    key_env: str = setting("", "environment variable that has the key for the endpoint; empty = no key")
    budget: int = setting(100, "maximum number of questions sent, over all runs of the crawl", minimum=0)
    timeout: float = setting(60.0, "seconds to wait for an answer", minimum=1, maximum=600)
    instructions: str = setting("", "what makes a page relevant, in your own words, in addition to the topic")
