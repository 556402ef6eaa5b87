"""Languages by their codes and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from honeyguide.errors import InputError
from honeyguide.settings import show

CODES: Final = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "chinese": "zh", "czech": "cs", "danish": "da",
    "dutch": "nl", "dutch_porter": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi",
    "french": "fr", "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga",
    "italian": "it", "japanese": "ja", "korean": "ko", "lithuanian": "lt", "nepali": "ne", "norwegian": "no",
    "persian": "fa", "polish": "pl", "porter": "en", "portuguese": "pt", "romanian": "ro", "russian": "ru",
    "serbian": "sr", "sesotho": "st", "spanish": "es", "swedish": "sv", "tamil": "ta", "thai": "th", "turkish": "tr",
    "yiddish": "yi",
}  # fmt: skip
"""The code of each language with special treatment of words, by its name in topic files."""

ALIKE: Final = {"bs": "hr", "sh": "hr", "sr": "hr", "nb": "no", "nn": "no", "ms": "id", "in": "id", "iw": "he"}
"""Languages that cannot be distinguished by their letters, or have two codes, with the one that is detected."""

# ISO 639-1, and older codes that pages still use.
_KNOWN: Final = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo
    es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja jv
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng
    nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su
    sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
# Codes of countries that are taken for those of their languages, and longer codes of languages that have a short one.
_MEANT: Final = {
    "at": "de", "au": "en", "cn": "zh", "cz": "cs", "dk": "da", "gb": "en", "gr": "el", "jp": "ja", "mx": "es",
    "ua": "uk", "us": "en", "vn": "vi",
    "ara": "ar", "ces": "cs", "chi": "zh", "cze": "cs", "dan": "da", "deu": "de", "dut": "nl", "ell": "el", "eng": "en",
    "est": "et", "fas": "fa", "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gre": "el", "heb": "he", "hin": "hi",
    "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "nld": "nl", "nor": "no", "per": "fa",
    "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru", "spa": "es", "srp": "sr", "swe": "sv", "tha": "th",
    "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip
_LONGER: Final = re.compile(r"[a-z]{3}")  # of ISO 639-2 and 639-3, of which there are thousands


def check_languages(codes: Iterable[str], place: str = "scope.languages") -> None:
    """Raise `InputError` for an invalid code of a language; `place` is its place."""
    for code in codes:
        name = code.strip().lower()
        primary = name.replace("_", "-").partition("-")[0]
        meant = CODES.get(name) or _MEANT.get(primary) or (primary if primary in _KNOWN else "")
        if code == meant or (not meant and _LONGER.fullmatch(code)):
            continue
        remedy = f'write "{meant}"' if meant else 'write codes such as "en", "de" or "ja"'
        raise InputError(place, f"{show(code)} is not the code of a language", remedy)


def is_among(code: str, wanted: Collection[str]) -> bool:
    """Whether a page in a language may be in one of those that are wanted.

    It is if none is named, if its own is unknown (""), or if it cannot be told from a wanted one.
    """
    own = ALIKE.get(code, code)
    return not code or not wanted or any(ALIKE.get(other, other) == own for other in wanted)


def language_name(code: str) -> str:
    """The name of a language in `CODES`, by its code; "" if it has none."""
    return _NAMES.get(code) or _NAMES.get(ALIKE.get(code, code), "")


_NAMES: Final = {code: name for name, code in CODES.items() if name not in {"porter", "dutch_porter"}}
