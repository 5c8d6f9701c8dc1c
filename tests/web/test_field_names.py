"""No field of a form, a list or a record is called by ids and abbreviations: those have words in six languages."""

import re
from collections.abc import Iterator

import pytest

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.nouns import nouns_of, snake_case
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.places import Places
from haulier.web.pages.value_formatter import humanized_name

CODED = re.compile(r"(^|_)(ids|pct|sha256|hash|refs?|urls?|lat|lng|hs|skus?|qty|cap|micros)($|_)")
CATALOGUES = Catalogues()


def _names_in(fields: list[Field]) -> Iterator[str]:
    for field in fields:
        yield snake_case(field.label)
        yield from _names_in(field.fields)


def _coded_names() -> set[str]:
    """The names of fields that people see and that are written as programs write them."""
    places = Places(registry())
    forms = (form_of(operation.request) for operation in registry() if places.has_page(operation))
    asked = {name for form in forms for name in _names_in(form.fields({}, "UTC"))}
    told = {name for noun in nouns_of(registry()) for name in noun.row.__struct_fields__}
    return {name for name in asked | told if CODED.search(name)}


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_fields_whose_names_are_codes_have_words(language: str) -> None:
    words = CATALOGUES.words(language)
    assert {name for name in _coded_names() if f"label.{name}" not in words} == set()
    assert {name for name in _coded_names() if words[f"label.{name}"] == humanized_name(name)} == set()
