from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.page.decode import decode

RUSSIAN = "Медоуказчик ведёт людей к мёду, и люди делятся воском. "
JAPANESE = "ミツオシエは人を蜂の巣へ導く鳥です。"
FRENCH = "L\u2019indicateur mène à la forêt, où le miel coûte peu — dit-on. "


def html(text: str, declared: str = "") -> str:
    meta = f'<meta charset="{declared}">' if declared else ""
    return f"<!doctype html><html><head>{meta}<title>x</title></head><body><p>{text * 5}</p></body></html>"


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("utf-8", RUSSIAN + JAPANESE + FRENCH + "🐝"),
        ("windows-1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("shift_jis", JAPANESE),
        ("euc-jp", JAPANESE),
        ("iso-2022-jp", JAPANESE),
        ("gb18030", "蜂蜜向导鸟"),
        ("big5", "蜂蜜嚮導鳥"),
        ("euc-kr", "꿀잡이새는 사람을 벌집으로"),
        ("windows-1252", FRENCH),
        ("iso-8859-2", "Zażółć gęślą jaźń"),
    ],
)
def test_declared_in_header_or_meta(codec: str, text: str) -> None:
    assert decode(html(text).encode(codec), f"text/html; charset={codec}") == html(text)
    assert decode(html(text).encode(codec), f'text/html;Charset = "{codec.upper()}"; x=y') == html(text)
    assert decode(html(text, codec).encode(codec)) == html(text, codec)
    old_style = f"<META HTTP-EQUIV=content-type CONTENT='text/html; charset={codec}'>" + html(text)
    assert decode(old_style.encode(codec)) == old_style


def test_declared_in_an_xml_declaration() -> None:
    text = '<?xml version="1.0" encoding="windows-1251"?>\n' + html(RUSSIAN)
    assert decode(text.encode("windows-1251")) == text


@pytest.mark.parametrize("codec", ["utf-8", "windows-1251", "shift_jis", "windows-1252"])
def test_declared_nowhere(codec: str) -> None:
    text = {"windows-1251": RUSSIAN, "shift_jis": JAPANESE}.get(codec, FRENCH)
    assert decode(html(text).encode(codec)) == html(text)


def test_header_before_meta() -> None:
    body = html(RUSSIAN, "koi8-r").encode("windows-1251")
    assert decode(body, "text/html; charset=windows-1251") == html(RUSSIAN, "koi8-r")


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_overrules_everything(codec: str) -> None:
    mark = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}[codec]
    text = html(JAPANESE, "windows-1251")
    assert decode(mark + text.encode(codec), "text/html; charset=koi8-r") == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_mark(codec: str) -> None:
    text = html(FRENCH)
    assert decode(text.encode(codec)) == text
    assert decode(text.encode(codec), "text/html; charset=utf-16") == text


def test_what_only_calls_itself_utf_16_is_not() -> None:
    text = html(FRENCH, "utf-16")
    assert decode(text.encode()) == text
    assert decode(html(FRENCH).encode(), "text/html; charset=utf-16") == html(FRENCH)


@pytest.mark.parametrize("label", ["iso-8859-1", "windows-1252", "us-ascii"])
def test_western_by_default_does_not_overrule_utf_8(label: str) -> None:
    assert decode(html(FRENCH).encode(), f"text/html; charset={label}") == html(FRENCH)
    assert decode(html(FRENCH).encode("windows-1252"), f"text/html; charset={label}") == html(FRENCH)


def test_a_wrong_declaration_gives_way_to_the_next_one() -> None:
    text = html(RUSSIAN, "windows-1251")
    assert decode(text.encode("windows-1251"), "text/html; charset=utf-8") == text
    assert decode(html(JAPANESE, "utf-8").encode("shift_jis")) == html(JAPANESE, "utf-8")
    assert decode(html(FRENCH, "utf-8").encode("windows-1252")) == html(FRENCH, "utf-8")


@pytest.mark.parametrize("label", ["", "nonsense", "x-user-defined", "replacement", "hex", "rot13", "utf-7", "\xff"])
def test_labels_that_mean_nothing(label: str) -> None:
    assert decode(html(RUSSIAN).encode(), f"text/html; charset={label}") == html(RUSSIAN)


def test_damage_is_not_another_encoding() -> None:
    body = html(FRENCH * 10).encode()
    broken = body[:200] + b"\xff\xfe" + body[200:]
    for found in (decode(broken), decode(broken, "text/html; charset=utf-8")):
        assert "forêt" in found
        assert found.count("\ufffd") == 2
    korean = html("꿀잡이새는 사람을 벌집으로 " * 20)
    assert decode(korean.encode("euc-kr") + b"\xff", "text/html; charset=euc-kr") == korean + "\ufffd"
    cut_short = html(RUSSIAN).encode()[: -len("</p></body></html>") - 2]
    assert decode(cut_short).rstrip("\ufffd") == cut_short.decode(errors="ignore")


def test_wider_than_its_name() -> None:
    assert decode("①髙".encode("cp932"), "text/html; charset=shift_jis") == "①髙"
    assert decode("똠방".encode("cp949"), "text/html; charset=euc-kr") == "똠방"
    assert decode("囧镕".encode("gb18030"), "text/html; charset=gb2312") == "囧镕"


def test_a_meta_tag_far_down_is_text() -> None:
    text = "<p>" + "x" * 5000 + '<meta charset="koi8-r">' + FRENCH
    assert decode(text.encode()) == text


def test_nothing() -> None:
    assert decode(b"") == ""
    assert decode(b"", "text/html; charset=utf-16") == ""


LABELS = st.sampled_from(["", "utf-8", "utf-16", "latin1", "shift_jis", "big5", "gbk", "iso-2022-jp", "koi8-r", "?"])
BODIES = st.binary(max_size=200) | st.builds(
    lambda label, rest: b"<meta charset=" + label.encode() + b">" + rest, LABELS, st.binary(max_size=200)
)


@given(BODIES, LABELS | st.text(max_size=20))
@example(b"\xff\xfe\x00", "")
@example(b"\x00", "utf-16")
@example(b"\x00\xd8\x00\x00", "utf-16be")
def test_never_raises(body: bytes, label: str) -> None:
    text = decode(body, f"text/html; charset={label}")
    assert text.encode(errors="strict") is not None  # no lone surrogates: it can be written and parsed


@given(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).filter(lambda text: text[:1] != "\ufeff")
)
def test_utf_8_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode(), "text/html; charset=utf-8") == text
