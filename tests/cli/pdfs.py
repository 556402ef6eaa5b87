"""PDF documents, written out by hand."""

from __future__ import annotations

from collections.abc import Sequence

_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_LINE = 14  # points


def pdf(
    pages: Sequence[Sequence[str]], links: Sequence[tuple[int, int, str]] = (), title: str = "", extra: str = ""
) -> bytes:
    """A document with some lines on each page, and links: page, line and URL, whose anchors are the lines.

    `extra` goes into its trailer.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", _FONT]

    def add(content: str) -> int:
        objects.append(content)
        return len(objects)

    kids = []
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T*\n" for line in lines)
        text = add(_stream(f"BT /F1 12 Tf 72 720 Td {_LINE} TL\n{shown}ET"))
        notes = [
            add(
                f"<< /Type /Annot /Subtype /Link /Rect [70 {717 - _LINE * line} 560 {730 - _LINE * line}] "
                f"/A << /S /URI /URI ({url}) >> >>"
            )
            for page, line, url in links
            if page == number
        ]
        kids.append(
            add(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {text} 0 R "
                f"/Resources << /Font << /F1 3 0 R >> >> /Annots [{_references(notes)}] >>"
            )
        )
    objects[1] = f"<< /Type /Pages /Kids [{_references(kids)}] /Count {len(kids)} >>"
    about = add(f"<< /Title ({title}) /Author (A. Keeper) /CreationDate (D:20240501120000Z) >>")
    return assembled(objects, f"/Info {about} 0 R {extra}")


def forms(levels: int) -> bytes:
    """A page that draws a form twice, which draws another twice, and so on: twice as much text with each level."""
    first = 5
    drawing = f"<< /XObject << /X {first + 1} 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        _FONT,
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources {drawing} >>",
        _stream("/X Do /X Do"),
    ]
    for level in range(levels):
        form = "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources"
        inner = f"<< /XObject << /X {first + level + 2} 0 R >> >>"
        objects.append(_stream("/X Do /X Do", f"{form} {inner}"))
    text = "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
    objects.append(_stream("BT /F1 12 Tf 72 720 Td (honey) Tj ET", text))
    return assembled(objects)


def assembled(objects: Sequence[str], trailer: str = "") -> bytes:
    """A document of some objects, of which the first is its root."""
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return data + (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R {trailer}>>\n"
        f"startxref\n{len(data)}\n%%EOF"
    ).encode("latin-1")


def _stream(content: str, about: str = "") -> str:
    return f"<< {about} /Length {len(content)} >>\nstream\n{content}\nendstream"


def _references(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)
