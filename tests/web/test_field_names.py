"""Every field that the desk shows by its name has words in six languages, and no words are the way that programs write it."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.nouns import snake_case
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.places import Places
from haulier.web.pages.value_formatter import humanized_name

CODED = re.compile(r"(^|_)(ids|pct|sha256|hash|refs?|urls?|lat|lng|hs|skus?|qty|cap|micros)($|_)")
CATALOGUES = Catalogues()


def asked_in(fields: list[Field]) -> Iterator[str]:
    """The names in a form, inner ones included."""
    for field in fields:
        yield field.label
        yield from asked_in(field.fields)


def told_in(kind: Any, seen: set[type]) -> Iterator[str]:
    """The names in an answer, inner ones included: of a record, of the rows of a list, of what an act made."""
    for part in get_args(kind):
        yield from told_in(part, seen)
    if isinstance(kind, type) and issubclass(kind, Struct) and kind not in seen:
        seen.add(kind)
        yield from kind.__struct_encode_fields__
        for inner in get_type_hints(kind).values():
            yield from told_in(inner, seen)


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """The names of all fields of forms, lists, records and answers that the desk has a page of."""
    places, seen = Places(registry()), set[type]()
    pages = [operation for operation in registry() if places.has_page(operation)]
    answers = [*(page.answer for page in pages), *(noun.row for noun in places.nouns.by_key.values())]
    asked = {name for page in pages for name in asked_in(form_of(page.request).fields({}, "UTC"))}
    told = {name for answer in answers for name in told_in(answer, seen)}
    # Why: the places of a list (`0`, `1`) and the keywords of a JSON Schema (`$id`) are shown as they are.
    return {snake_case(name) for name in asked | told if name.isidentifier()}


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_every_field_that_people_see_has_words(shown: set[str], language: str) -> None:
    words = CATALOGUES.words(language)
    assert sorted(name for name in shown if f"label.{name}" not in words) == []


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_words_are_not_ids_and_abbreviations(shown: set[str], language: str) -> None:
    words = CATALOGUES.words(language)
    assert sorted(name for name in shown if CODED.search(name) and words[f"label.{name}"] == humanized_name(name)) == []
