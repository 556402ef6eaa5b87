"""A crawl in Japanese, which is written without spaces between words."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from .kit import Command
from .webs import html, serve, write_topic

PAGES = {
    "/": html(
        "養蜂とは",
        "養蜂とは、蜜や蜜蝋、花粉を採るためにミツバチを飼うことである。日本では江戸時代から行われており、現在ではセイヨウミツバチを使う養蜂が"
        "主流となっている。養蜂家は春になると巣箱を花の多い土地へ運び、ミツバチの群れが大きくなるのを待つ。",
        ("/bunpou", "ミツバチの分蜂について"),
        (f"/{quote('養蜂家')}", "ある一日"),
        ("/densha", "保存鉄道の時刻表"),
    ),
    "/bunpou": html(
        "分蜂",
        "分蜂は、ひとつの群れがふたつに分かれることをいう。五月ごろ、古い女王蜂は働き蜂の半分をつれて巣を離れ、ニホンミツバチの場合は木の枝に"
        "集まる。ミツバチを飼う人は、その群れを新しい巣箱に移す。養蜂の仕事のうちで最も忙しい時期である。",
    ),
    f"/{quote('養蜂家')}": html(
        "山の養蜂家",
        "山の養蜂家は朝早く起き、巣箱をひとつずつ開けて、ミツバチの様子を見る。養蜂を始めて三十年になるが、天気の悪い年には蜂蜜がほとんど採れ"
        "ないという。秋にはスズメバチからミツバチを守らなければならない。",
    ),
    "/densha": html(
        "時刻表",
        "保存鉄道の列車は五月から十月までの毎週日曜日に走る。切符は車内でのみ買うことができ、自転車は荷物車に無料で載せられる。蒸気機関車は山の"
        "駅で水を補給するため、二十分ほど停車する。ベンチのあるホームからは川が見える。",
        ("/english", "In English"),
    ),
    "/english": html(
        "ミツバチ",
        "The word ミツバチ means honey bee, and 養蜂 is what those do who keep them in a hive. Both are common in the "
        "books that a visitor will find in the small shops of the mountains, next to the jars of 養蜂 and ミツバチ, in "
        "which the honey of the last summer is sold to those who have come by train.",
    ),
}


def test_from_keywords_to_the_report(honeyguide: Command, tmp_path: Path) -> None:
    with serve(PAGES) as site:
        write_topic(tmp_path / "bees.toml", site, ["ミツバチ", "養蜂"], "[scope]\nlanguages = ['ja']\n")
        said = honeyguide("crawl", "bees.toml", "--quiet", "--workers", "0")
        assert said.code == 0, said.err
    assert honeyguide("export", "crawls/bees", "--format", "jsonl", "--out", "bees.jsonl", "--all").code == 0
    rows = [json.loads(line) for line in Path("bees.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {row["url"].removeprefix(site): row for row in rows}
    assert {path for path, row in found.items() if row["relevant"]} == {"/", "/bunpou", f"/{quote('養蜂家')}"}
    assert {row["language"] for path, row in found.items() if path != "/english"} == {"ja"}
    assert found["/densha"]["relevance"] == 0.0  # no word of it is a part of one of the topic's
    assert found["/english"]["relevance"] == 0.0
    assert "セイヨウミツバチを使う養蜂" in found["/"]["text"]
    assert honeyguide("report", "crawls/bees", "--format", "md").code == 0
    report = Path("crawls/bees/report.md").read_text(encoding="utf-8")
    assert "**ミツバチ**" in report
    assert "**養蜂**" in report
    why = honeyguide("why", "crawls/bees", f"{site}/english").out
    assert "Its language is en, and only pages in ja count as relevant" in why
