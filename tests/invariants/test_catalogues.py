"""Every catalogue is complete in every language."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from pydantic_core import _pydantic_core
from pydantic_core.core_schema import ErrorType

from haulier.kernel.i18n.languages import LOCALES, SUPPORTED_LANGUAGES, Catalogues

SOURCE = LOCALES.parent
FOLDERS = [language.replace("-", "_") for language in SUPPORTED_LANGUAGES]
DOMAINS = sorted({path.stem for path in LOCALES.glob("*/*.po")})
CASES = [(folder, domain) for folder in FOLDERS for domain in DOMAINS]
CONTEXTS = {each["type"]: set(each["example_context"] or ()) for each in _pydantic_core.list_all_errors()}


@cache
def written(folder: str, domain: str) -> str:
    return (LOCALES / folder / f"{domain}.po").read_text()


@cache
def catalogue(folder: str, domain: str) -> Catalog:
    return read_po(BytesIO(written(folder, domain).encode()), abort_invalid=True)


@cache
def messages(folder: str, domain: str) -> dict[str, Message]:
    return {name(each): each for each in catalogue(folder, domain) if each.id}


def entries() -> Iterator[tuple[str, str, str, Message]]:
    """Yield folder, catalogue, id and text of every message."""
    for folder, domain in CASES:
        for id, message in messages(folder, domain).items():
            yield folder, domain, id, message


def name(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def texts(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def placeholders(text: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


def test_the_folders_match_the_supported_languages() -> None:
    assert {path.name for path in LOCALES.iterdir() if path.is_dir()} == set(FOLDERS)


def test_a_catalogue_has_the_ids_of_its_english_counterpart() -> None:
    assert [case for case in CASES if messages(*case).keys() != messages("en", case[1]).keys()] == []


def test_every_plural_form_has_the_placeholders_of_the_english() -> None:
    wrong = {
        (folder, id): text
        for folder, domain, id, message in entries()
        for text in texts(message)
        if placeholders(text) != placeholders(texts(messages("en", domain)[id])[-1])
    }
    assert wrong == {}


def test_placeholders_are_plain_names() -> None:
    """Reject placeholders that format() cannot fill safely, such as `{0}` or `{x.y}`."""
    plain = re.compile(r"([^{}]|\{[a-z_]+\})*")
    assert [(f, id) for f, _, id, m in entries() if not all(map(plain.fullmatch, texts(m)))] == []


def test_no_translation_is_empty_fuzzy_or_missing_a_plural_form() -> None:
    assert [(f, id) for f, _, id, m in entries() if not all(text.strip() for text in texts(m))] == []
    assert [(f, id) for f, _, id, m in entries() if m.fuzzy] == []
    forms = {case: catalogue(*case).num_plurals for case in CASES}
    assert [(f, id) for f, d, id, m in entries() if m.pluralizable and len(texts(m)) != forms[f, d]] == []


def test_a_message_has_plural_forms_in_all_languages_or_in_none() -> None:
    assert [(f, id) for f, d, id, m in entries() if m.pluralizable != messages("en", d)[id].pluralizable] == []


def test_ids_are_unique_within_a_file() -> None:
    twice = {
        case: id
        for case in CASES
        for id, times in Counter(re.findall(r"^msgid .*$", written(*case), re.MULTILINE)).items()
        if times > 1
    }
    assert twice == {}


def test_each_message_has_one_text() -> None:
    texts_of = {case: re.findall(r"^msgstr .*\n(msgstr .*)$", written(*case), re.MULTILINE) for case in CASES}
    assert {case: found for case, found in texts_of.items() if found} == {}


def test_ids_are_unique_across_catalogues() -> None:
    ids = Counter((folder, id) for folder, _, id, _ in entries())
    assert [id for id, times in ids.items() if times > 1] == []


def test_no_sentence_is_left_untranslated() -> None:
    same = [
        (folder, id)
        for folder, domain, id, message in entries()
        if folder != "en" and domain in {"fields", "kernel"} and texts(message) == texts(messages("en", domain)[id])
        if not all(re.fullmatch(r"\{\w+\}", text) for text in texts(message))  # a message that only quotes others
    ]
    assert same == []


def test_every_validation_error_has_a_message() -> None:
    kinds = {f"field.{type}" for type in get_args(ErrorType)}
    assert [(folder, kind) for folder in FOLDERS for kind in kinds - messages(folder, "fields").keys()] == []


def test_validation_messages_use_only_available_values() -> None:
    used = {type: placeholders(texts(messages("en", "fields")[f"field.{type}"])[-1]) for type in get_args(ErrorType)}
    assert {type: names - CONTEXTS[type] for type, names in used.items() if names - CONTEXTS[type]} == {}


def field_codes(path: Path) -> list[str]:
    source = path.read_text()
    raised = re.findall(r'PydanticCustomError\("(\w+)"', source)
    return [*re.findall(r'"(field\.[a-z_]+)"', source), *(f"field.{code}" for code in raised)]


def test_every_error_named_in_the_source_has_a_message() -> None:
    named = {code for path in SOURCE.rglob("*.py") for code in field_codes(path)}
    assert len(named) > 10
    missing = {language: sorted(named - Catalogues().words(language).keys()) for language in SUPPORTED_LANGUAGES}
    assert missing == {language: [] for language in SUPPORTED_LANGUAGES}


@pytest.mark.parametrize(("language", "least"), [("en", "At least 1 character."), ("de", "Mindestens 1 Zeichen.")])
def test_singular_and_plural_differ(language: str, least: str) -> None:
    assert Catalogues().translate(language, "field.string_too_short", min_length=1) == least


def test_chinese_distinguishes_stop_depot_and_site() -> None:
    shared = {"zh_Hans": ("站点", "车场"), "zh_Hant": ("站點", "車場")}
    found = [
        f"{folder}/{domain}: {name(each)}"
        for folder, domain, _, each in entries()
        for word in shared.get(folder, ())
        if any(word in text for text in texts(each))
    ]
    assert found == []
