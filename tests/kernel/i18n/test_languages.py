"""Negotiation of languages and translation of messages."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues, negotiate_language

HOUSE = Catalogues()
ASKED = {
    None: "en",
    "": "en",
    "en-GB,en;q=0.9": "en",
    "zh": "zh-Hans",
    "zh-CN": "zh-Hans",
    "zh-SG": "zh-Hans",
    "zh-TW": "zh-Hant",
    "zh-HK": "zh-Hant",
    "zh-MO": "zh-Hant",
    "ZH_tw": "zh-Hant",
    "zh-Hant": "zh-Hant",
    "zh-Hant-CN": "zh-Hant",
    "zh-Hans-TW": "zh-Hans",
    "fr-CA": "fr",
    "es-419,es;q=0.8": "es",
    "de;q=0.5,es": "es",
    "de;q=0.5,es;q=0.5": "de",
    "da, en-GB;q=0.8, fr;q=0.7": "en",
    "it,pt-BR": "en",
    "it,pt-BR;q=0.9,de;q=0.1": "de",
    "tlh, xx-YY;q=0.3": "en",
    "*": "en",
    "fr;q=0.3, *;q=0.2": "fr",
    "fr;q=0.3, *;q=0.8": "en",
    "*, en;q=0": "zh-Hans",
    "fr;q=0, de;q=0.1": "de",
    "fr-CA, fr;q=0": "en",
    "fr, fr-CA;q=0": "fr",
    "zh;q=0, zh-TW": "en",
    "zh;q=0, zh-Hant": "zh-Hant",
    "zh-Hant;q=0, zh-TW, zh-CN;q=0.1": "zh-Hans",
    "*;q=0": "en",
    "*;q=0, de": "de",
    "de ; q = 0.4 , es;q=.3": "de",
    "de;q=2, es;q=0.1": "es",
    "de;q=-1, es;q=0.1": "es",
    "de;q=nan, es;q=0.1": "es",
    "de;q=fast, es;q=0.1": "es",
    ";;;,,q=1,-,--,de-": "en",
    "français": "en",
}


@pytest.mark.parametrize(("header", "language"), ASKED.items())
def test_the_best_available_language_is_chosen(header: str | None, language: str) -> None:
    assert negotiate_language(header) == language


@given(st.text() | st.text(alphabet="zhantsfrde-_;=q.*, 0159", max_size=60))
def test_any_accept_language_header_is_handled(header: str) -> None:
    assert negotiate_language(header) in SUPPORTED_LANGUAGES


@given(st.sampled_from(SUPPORTED_LANGUAGES), st.text(alphabet="xy;=,q", max_size=20))
def test_meaningless_header_parts_are_ignored(language: str, noise: str) -> None:
    assert negotiate_language(f"{noise},{language}") == language


PLURALS = {
    "en": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "zh_Hans": "nplurals=1; plural=0;",
}


def make_catalogue(folder: Path, language: str, domain: str, entries: str) -> None:
    (folder / language).mkdir(exist_ok=True)
    plural = PLURALS.get(language, PLURALS["en"])
    header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: {plural}\\n"\n\n'
    (folder / language / f"{domain}.po").write_text(header + entries, encoding="utf-8")


def counted(*forms: str) -> str:
    lines = [f'msgstr[{at}] "{form}"' for at, form in enumerate(forms)]
    return "\n".join(['msgid "left"', 'msgid_plural "left"', *lines]) + "\n"


@pytest.fixture
def catalogues(tmp_path: Path) -> Catalogues:
    make_catalogue(
        tmp_path, "en", "tea", 'msgid "hot"\nmsgstr "{drink} is hot."\n\nmsgid "cold"\nmsgstr "It is cold."\n'
    )
    make_catalogue(tmp_path, "en", "count", counted("{cups} cup of {size} left", "{cups} cups of {size} left"))
    make_catalogue(tmp_path, "fr", "count", counted("{cups} tasse de {size}", "{cups} tasses de {size}"))
    make_catalogue(tmp_path, "zh_Hans", "count", counted("剩 {cups} 杯，每杯 {size}"))
    make_catalogue(tmp_path, "de", "tea", 'msgid "hot"\nmsgstr "{drink} ist heiß."\n\nmsgid "cold"\nmsgstr ""\n')
    return Catalogues(tmp_path)


def test_a_message_is_rendered_in_its_language(catalogues: Catalogues) -> None:
    assert catalogues.translate("de", "hot", drink="Tee") == "Tee ist heiß."


def test_all_catalogues_share_one_set_of_ids(catalogues: Catalogues) -> None:
    assert set(catalogues.words("en")) == {"hot", "cold", "left"}


@pytest.mark.parametrize("language", ["de", "es", "tlh", "../en"])
def test_english_is_the_fallback_for_a_missing_translation(catalogues: Catalogues, language: str) -> None:
    assert catalogues.translate(language, "cold") == "It is cold."


def test_an_unknown_message_is_rendered_as_its_id(catalogues: Catalogues) -> None:
    assert catalogues.translate("fr", "lukewarm", drink="thé") == "lukewarm"


def test_a_missing_parameter_shows_its_name(catalogues: Catalogues) -> None:
    assert catalogues.translate("en", "hot") == "{drink} is hot."


def test_braces_in_a_parameter_are_plain_text(catalogues: Catalogues) -> None:
    assert catalogues.translate("en", "hot", drink="{drink.__class__}") == "{drink.__class__} is hot."


@pytest.mark.parametrize(
    ("language", "cups", "said"),
    [
        ("en", 0, "0 cups of 9 left"),
        ("en", 1, "1 cup of 9 left"),
        ("en", 2, "2 cups of 9 left"),
        ("fr", 0, "0 tasse de 9"),
        ("fr", 1, "1 tasse de 9"),
        ("fr", 2, "2 tasses de 9"),
        ("zh-Hans", 1, "剩 1 杯，每杯 9"),
        ("en", "some", "some cups of 9 left"),
    ],
)
def test_the_first_number_of_a_message_selects_the_plural_form(
    catalogues: Catalogues, language: str, cups: object, said: str
) -> None:
    assert catalogues.translate(language, "left", cups=cups, size=9) == said


def test_the_parameter_n_takes_precedence_for_the_plural_form(catalogues: Catalogues) -> None:
    assert catalogues.translate("en", "left", n=1, cups=5, size=9) == "5 cup of 9 left"


@given(
    st.dictionaries(st.sampled_from(["n", "cups", "size", "self", "language", "message_id"]), st.integers() | st.text())
)
def test_no_parameter_value_breaks_a_message(params: dict[str, object]) -> None:
    assert HOUSE.translate("fr", "field.string_too_long", **params)
