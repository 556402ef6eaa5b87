"""Similar pages in many charsets, declared in each possible place, nowhere, or wrongly."""

from __future__ import annotations

import codecs

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, site
from honeyguide.proxy.answer import Answer

_HOST = "charsets.example"
_GERMAN = "Die Bäume blühen früh, und größere Vögel füttern ihre Jungen über dem schönen Fluß."
_RUSSIAN = "Весной пчёлы летят далеко над полем, и старый сад снова становится зелёным и шумным."
_JAPANESE = "春になると庭の花が咲き、鳥たちが古い木の上で静かに歌を歌います。"
_ASCII = "The plain part of the page survives."


def _page(
    text: str, encoding: str, *, header: str = "", meta: str = "", mark: bytes = b"", repeat: int = 3
) -> tuple[str, Answer]:
    declared = f'<meta charset="{meta}">' if meta else ""
    body = "".join(f"<p>{text}</p>\n" for _ in range(repeat))
    source = (
        f"<!DOCTYPE html>\n<html><head>{declared}<title>{_ASCII}</title></head>\n"
        f"<body>\n<p>{_ASCII}</p>\n{body}</body></html>\n"
    )
    content_type = f"text/html; charset={header}" if header else "text/html"
    return text, Answer(200, (("Content-Type", content_type),), mark + source.encode(encoding))


_RIGHT: dict[str, tuple[str, Answer]] = {
    "utf-8-header": _page(_RUSSIAN, "utf-8", header="utf-8"),
    "utf-8-meta": _page(_RUSSIAN, "utf-8", meta="utf-8"),
    "utf-8-bom": _page(_RUSSIAN, "utf-8", mark=codecs.BOM_UTF8),
    "utf-8-nowhere": _page(_RUSSIAN, "utf-8"),
    "latin-1-header": _page(_GERMAN, "iso-8859-1", header="ISO-8859-1"),
    "latin-1-meta": _page(_GERMAN, "iso-8859-1", meta="iso-8859-1"),
    "latin-1-nowhere": _page(_GERMAN, "iso-8859-1", repeat=20),
    "windows-1251-header": _page(_RUSSIAN, "windows-1251", header="windows-1251"),
    "windows-1251-meta": _page(_RUSSIAN, "windows-1251", meta="windows-1251"),
    "windows-1251-nowhere": _page(_RUSSIAN, "windows-1251", repeat=20),
    "shift-jis-header": _page(_JAPANESE, "shift_jis", header="Shift_JIS"),
    "shift-jis-meta": _page(_JAPANESE, "shift_jis", meta="Shift_JIS"),
    "shift-jis-nowhere": _page(_JAPANESE, "shift_jis", repeat=20),
    "utf-16-le-bom": _page(_RUSSIAN, "utf-16-le", mark=codecs.BOM_UTF16_LE),
    "utf-16-be-bom": _page(_RUSSIAN, "utf-16-be", mark=codecs.BOM_UTF16_BE),
}
_WRONG: dict[str, tuple[str, Answer]] = {
    "wrong-header": _page(_GERMAN, "iso-8859-1", header="utf-8"),
    "wrong-meta": _page(_GERMAN, "iso-8859-1", meta="utf-8"),
    "unknown-charset": _page(_GERMAN, "utf-8", header="x-no-such-charset"),
}

CORNER = Corner(
    faults=(
        *(
            Fault(
                f"charset-{name}",
                f"http://{_HOST}/{name}",
                FaultOutcome.PAGE,
                "decodes without a wrong letter",
                marker=text,
            )
            for name, (text, _) in _RIGHT.items()
        ),
        *(
            Fault(
                f"charset-{name}",
                f"http://{_HOST}/{name}",
                FaultOutcome.PAGE,
                "declared wrongly; kept all the same",
                marker=_ASCII,
            )
            for name in _WRONG
        ),
    ),
    hosts={_HOST: site({f"/{name}": answer for name, (_, answer) in (_RIGHT | _WRONG).items()})},
)
