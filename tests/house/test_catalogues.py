"""Every catalogue is whole in every language, so that nobody is ever shown an id or a gap."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from pydantic_core import _pydantic_core
from pydantic_core.core_schema import ErrorType

from haulier.kernel.languages import LOCALES, SUPPORTED, Catalogues

SOURCE = LOCALES.parent
FOLDERS = [language.replace("-", "_") for language in SUPPORTED]
DOMAINS = sorted({path.stem for path in LOCALES.glob("*/*.po")})
CASES = [(folder, domain) for folder in FOLDERS for domain in DOMAINS]
CONTEXTS = {each["type"]: set(each["example_context"] or ()) for each in _pydantic_core.list_all_errors()}
every_catalogue = pytest.mark.parametrize(("folder", "domain"), CASES, ids=["/".join(case) for case in CASES])


@cache
def catalogue(folder: str, domain: str) -> Catalog:
    with (LOCALES / folder / f"{domain}.po").open("rb") as opened:
        return read_po(opened, abort_invalid=True)


@cache
def messages(folder: str, domain: str) -> dict[str, Message]:
    return {name(each): each for each in catalogue(folder, domain) if each.id}


def name(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def texts(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def placeholders(text: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


def test_the_folders_are_the_languages_we_speak() -> None:
    assert {path.name for path in LOCALES.iterdir() if path.is_dir()} == set(FOLDERS)


@every_catalogue
def test_a_catalogue_has_the_ids_of_its_english_twin(folder: str, domain: str) -> None:
    assert messages(folder, domain).keys() == messages("en", domain).keys()


@every_catalogue
def test_every_form_of_a_translation_has_the_placeholders_of_the_english(folder: str, domain: str) -> None:
    english = messages("en", domain)
    wrong = {
        id: text
        for id, message in messages(folder, domain).items()
        for text in texts(message)
        if placeholders(text) != placeholders(texts(english[id])[-1])
    }
    assert wrong == {}


@every_catalogue
def test_a_placeholder_is_a_plain_name(folder: str, domain: str) -> None:
    """Nothing that format() could trip over or reach into an object with: no `{0}`, `{x.y}`, `{x:d}`, `{x!r}`."""
    plain = re.compile(r"([^{}]|\{[a-z_]+\})*")
    assert [id for id, m in messages(folder, domain).items() if not all(map(plain.fullmatch, texts(m)))] == []


@every_catalogue
def test_no_translation_is_empty_fuzzy_or_short_of_a_form(folder: str, domain: str) -> None:
    entries = messages(folder, domain)
    forms = catalogue(folder, domain).num_plurals
    assert [id for id, message in entries.items() if not all(text.strip() for text in texts(message))] == []
    assert [id for id, message in entries.items() if message.fuzzy] == []
    assert [id for id, m in entries.items() if m.pluralizable and len(texts(m)) != forms] == []


@every_catalogue
def test_a_message_is_counted_in_all_languages_or_in_none(folder: str, domain: str) -> None:
    english = messages("en", domain)
    assert [i for i, m in messages(folder, domain).items() if m.pluralizable != english[i].pluralizable] == []


@every_catalogue
def test_no_id_stands_twice_in_a_file(folder: str, domain: str) -> None:
    lines = (LOCALES / folder / f"{domain}.po").read_text().splitlines()
    ids = Counter(line for line in lines if line.startswith("msgid "))
    assert [id for id, times in ids.items() if times > 1] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_id_stands_in_two_catalogues(folder: str) -> None:
    ids = Counter(id for domain in DOMAINS for id in messages(folder, domain))
    assert [id for id, times in ids.items() if times > 1] == []


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder != "en"])
@pytest.mark.parametrize("domain", ["fields", "kernel"])
def test_a_sentence_is_not_left_in_english(folder: str, domain: str) -> None:
    english = messages("en", domain)
    assert [id for id, each in messages(folder, domain).items() if texts(each) == texts(english[id])] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_fault_that_validation_can_find_has_words(folder: str) -> None:
    said = messages(folder, "fields")
    assert {f"field.{type}" for type in get_args(ErrorType)} - said.keys() == set()


@pytest.mark.parametrize("type", get_args(ErrorType))
def test_the_words_for_a_fault_use_only_what_validation_tells(type: str) -> None:
    assert placeholders(texts(messages("en", "fields")[f"field.{type}"])[-1]) <= CONTEXTS[type]


def field_codes(path: Path) -> list[str]:
    source = path.read_text()
    raised = re.findall(r'PydanticCustomError\("(\w+)"', source)
    return [*re.findall(r'"(field\.[a-z_]+)"', source), *(f"field.{code}" for code in raised)]


@pytest.mark.parametrize("language", SUPPORTED)
def test_every_fault_that_the_source_names_has_words(language: str) -> None:
    named = {code for path in SOURCE.rglob("*.py") for code in field_codes(path)}
    assert len(named) > 10
    assert sorted(named - Catalogues().words(language).keys()) == []


@pytest.mark.parametrize(("language", "least"), [("en", "At least 1 character."), ("de", "Mindestens 1 Zeichen.")])
def test_one_is_one_and_not_ones(language: str, least: str) -> None:
    assert Catalogues().say(language, "field.string_too_short", min_length=1) == least
