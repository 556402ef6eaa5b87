"""Labels for the pages of a web, by terms: topics that a recorded web comes without.

    python -m benchmarks.term_labels --web WARC --out labels.tsv databases=database,sql,relational ...

A page is about a topic if at least three of the topic's terms occur in its visible text, at least eight times in total
and as at least 0.8 % of its words. This is the rule by which the six topics of the university web uci-ics are labelled.
Terms are single words, compared in lower case, and each form of a word is a term of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from honeyguide.atomic_write import atomic_write
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.relevance.text import bare

DIFFERENT, IN_TOTAL, SHARE = 3, 8, 0.008
"""What makes a page be about a topic: terms that occur in it, how often in total, and as what share of its words."""


def is_about(terms: frozenset[str], counts: Mapping[str, int], words: int) -> bool:
    """Whether a page with so many `words`, of which some occur so often, is about the topic with these terms."""
    found = [counts[term] for term in terms if term in counts]
    return len(found) >= DIFFERENT and sum(found) >= max(IN_TOTAL, SHARE * words)


def _topic(text: str) -> tuple[str, frozenset[str]]:
    name, equals, terms = text.partition("=")
    if not equals or not name or not all(terms.split(",")):
        raise argparse.ArgumentTypeError(f"{text!r} is not TOPIC=TERM,TERM,...")
    return name, frozenset(terms.lower().split(","))


def main() -> int:
    """Label and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.term_labels")
    parser.add_argument("--web", required=True, help="a WARC file")
    parser.add_argument("--out", type=Path, required=True, help="file of labels to write, one URL and topic per line")
    parser.add_argument("topics", nargs="+", type=_topic, metavar="TOPIC=TERM,TERM,...")
    spec = parser.parse_args()
    fixture = open_plan(Plan((spec.web,), "", (), ("oracle",))).fixture
    found: Counter[str] = Counter()
    with atomic_write(spec.out) as file:
        for done, url in enumerate(fixture.graph.urls):
            words = [bare(word) for word in fixture.text(url).words]
            counts = Counter(words)
            for name, terms in spec.topics:
                if is_about(terms, counts, len(words)):
                    file.write(f"{url}\t{name}\n".encode())
                    found[name] += 1
            if done % 5000 == 0:
                print(f"{done} of {len(fixture.graph.urls)} pages", file=sys.stderr, flush=True)
    print(", ".join(f"{name}: {count} pages" for name, count in found.most_common()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
