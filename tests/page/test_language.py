# ruff: noqa: E501, RUF001 (texts in other scripts)
from __future__ import annotations

import pytest

from honeyguide.page.language import language_of

TEXTS = {
    "en": "The bees of a hive gather nectar from flowers within a few miles, and turn it into honey, which they keep in "
    "cells of wax. In winter they live on what they have stored, and keep the queen warm in the middle of the cluster.",
    "de": "Die Bienen eines Volkes sammeln den Nektar der Blüten in der näheren Umgebung und machen daraus Honig, den sie "
    "in Zellen aus Wachs lagern. Im Winter leben sie von ihren Vorräten und halten die Königin in ihrer Mitte warm.",
    "fr": "Les abeilles d'une ruche récoltent le nectar des fleurs dans un rayon de quelques kilomètres et en font du "
    "miel, qu'elles conservent dans des alvéoles de cire. En hiver, elles vivent de leurs réserves autour de la reine.",
    "es": "Las abejas de una colmena recogen el néctar de las flores en un radio de pocos kilómetros y lo convierten en "
    "miel, que guardan en celdas de cera. En invierno viven de lo que han almacenado y mantienen caliente a la reina.",
    "ru": "Пчёлы одного улья собирают нектар с цветов в радиусе нескольких километров и превращают его в мёд, который "
    "хранят в восковых ячейках. Зимой они живут тем, что запасли, и согревают матку в середине клуба.",
    "ja": "ミツバチは巣から数キロメートル以内の花から蜜を集め、それを蜂蜜に変えて蝋でできた小部屋に蓄えます。冬の間は"
    "蓄えたものを食べて暮らし、群れの真ん中で女王蜂を温めます。春になると働き蜂は再び外に出て花を訪れ、花粉と蜜を巣に持ち帰り"
    "ます。養蜂家は夏の終わりに余った蜂蜜を採り、冬に備えて砂糖水を与えることもあります。巣箱は日当たりのよい場所に置かれます。"
    "また、病気やダニから蜂を守るために、定期的に巣の中の様子を確かめることが大切です。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_page_that_declares_none_is_in_the_language_of_its_text(language: str) -> None:
    assert language_of(TEXTS[language], "") == language


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("declared", ["en", "cy"])
def test_a_wrong_declaration_is_corrected(language: str, declared: str) -> None:
    assert language_of(TEXTS[language], declared) == language


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("de", "Contact"),
        (
            "fi",
            "Anna Baker, Boris Clark, Carol Dunn, David Evans, Emma Foster, Frank Green, Grace Hill, Henry Irving, "
            * 3,
        ),
        (
            "nb",
            "Biene samler nektar fra blomster i nærheten og lager honning av den, som de oppbevarer i celler av voks. "
            * 3,
        ),
        ("sr", "Pčele skupljaju nektar sa cveća u okolini i od njega prave med, koji čuvaju u ćelijama od voska. " * 3),
        ("tlh", TEXTS["en"]),  # no text could confirm or refute what the detector does not know
    ],
)
def test_a_declaration_stands_unless_the_text_is_clearly_in_another_language(declared: str, text: str) -> None:
    assert language_of(text, declared) == declared


@pytest.mark.parametrize("text", ["", "Contact", "2024 " * 100])
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    assert language_of(text, "") == ""


def test_menus_and_small_print_do_not_decide() -> None:
    menu = "Home Products About us Contact Privacy policy Terms of use Sign in Search Help\0" * 6
    assert language_of(menu + TEXTS["de"] * 5 + menu, "en") == "de"
