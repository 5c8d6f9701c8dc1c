"""Every field shown at the desk has a translated name that is not an identifier."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.resources import snake_case
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.places import Places, declarations
from haulier.web.pages.value_formatter import humanized_name

CODED = re.compile(r"(^|_)(ids|pct|sha256|hash|refs?|urls?|lat|lng|hs|skus?|qty|cap|micros)($|_)")
CATALOGUES = Catalogues()


def asked_in(fields: list[Field]) -> Iterator[str]:
    """The names in a form, inner ones included."""
    for field in fields:
        yield field.label
        yield from asked_in(field.fields)


def visible_fields(kind: Any, seen: set[type]) -> Iterator[str]:
    """Return the names in a response, including nested ones."""
    for part in get_args(kind):
        yield from visible_fields(part, seen)
    if isinstance(kind, type) and issubclass(kind, Struct) and kind not in seen:
        seen.add(kind)
        yield from kind.__struct_encode_fields__
        for inner in get_type_hints(kind).values():
            yield from visible_fields(inner, seen)


@pytest.fixture(scope="module")
def shown() -> set[str]:
    """Return all field names of forms, lists, records and responses of the desk."""
    places, seen = Places(registry()), set[type]()
    pages = [operation for operation in registry() if places.has_page(operation)]
    answers = [*(page.answer for page in pages), *(noun.row for noun in places.nouns.by_key.values())]
    asked = {name for page in pages for name in asked_in(form_of(page.request).fields({}, "UTC"))}
    told = {name for answer in answers for name in visible_fields(answer, seen)}
    # List indexes (`0`, `1`) and JSON Schema keywords (`$id`) are shown unchanged.
    return {snake_case(name) for name in asked | told if name.isidentifier()}


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_every_visible_field_has_a_label(shown: set[str], language: str) -> None:
    words = CATALOGUES.words(language)
    assert sorted(name for name in shown if f"label.{name}" not in words) == []


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_labels_contain_no_ids_or_abbreviations(shown: set[str], language: str) -> None:
    words = CATALOGUES.words(language)
    assert sorted(name for name in shown if CODED.search(name) and words[f"label.{name}"] == humanized_name(name)) == []


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_every_designed_page_of_a_section_has_a_title(language: str) -> None:
    words = CATALOGUES.words(language)
    assert [name for name in declarations().further_pages if f"desk.page_{name}" not in words] == []
