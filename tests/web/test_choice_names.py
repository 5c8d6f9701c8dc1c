"""Choices in forms have translated names, not codes (`operations_ai_agent`)."""

import re
from collections.abc import Iterator

from haulier.app import registry
from haulier.kernel.i18n.choices import choice_name
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.places import declarations

CATALOGUES = Catalogues()
NAMES_THEMSELVES = {
    *("A", "B", "C", "*"),
    *("EXW", "FCA", "CPT", "CIP", "DAP", "DPU", "DDP", "FAS", "FOB", "CFR", "CIF"),  # Incoterms 2020
    *("GET", "POST", "PUT", "PATCH", "DELETE"),
    *("csv", "xlsx", "json", "geojson", "html", "pdf", "zpl", "png", "svg"),
    *("otep", "epcis", "onerecord", "uncefact", "otlp", "sensorthings"),
    *("aftership", "shopify", "amazon", "walmart", "bigcommerce", "magento", "woocommerce", "etsy", "ebay"),
    *(
        "50",
        "55",
        "60",
        "65",
        "70",
        "77.5",
        "85",
        "92.5",
        "100",
        "110",
        "125",
        "150",
        "175",
        "200",
        "250",
        "300",
        "400",
    ),
    *("500", "I", "II", "III"),  # freight classes, packing groups
    *("easypost", "shipengine", "twilio", "vonage", "smpp", "ios", "android"),
}
"""Letters, standards, formats and brands: they are called so in every language."""
OF_THE_INTERFACE = re.compile(r"[a-z_]+[.:/][a-z0-9_.+-]+")
"""Events (`order.created`), scopes (`orders:read`) and media types: developers look for them by these names."""


def fields_of(fields: list[Field]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from fields_of(field.fields)


def visible_choices() -> set[str]:
    """Return the choices in the forms of the desk."""
    declared = declarations()
    elsewhere = declared.pages.keys() | declared.not_for_people.keys()
    requests = [operation.request for operation in registry() if operation.name not in elsewhere]
    fields = (field for request in requests for field in fields_of(form_of(request).fields({}, "UTC")))
    return {option for field in fields for option in field.options}


def test_every_choice_in_a_form_has_a_name_in_every_language() -> None:
    asked = {each for each in visible_choices() - NAMES_THEMSELVES if not OF_THE_INTERFACE.fullmatch(each)}
    missing = {
        language: sorted(each for each in asked if choice_name(CATALOGUES, language, each) is None)
        for language in SUPPORTED_LANGUAGES
    }
    assert missing == {language: [] for language in SUPPORTED_LANGUAGES}, "name these in locales/*/choices.po"


def test_choices_with_shared_names_are_still_offered() -> None:
    assert sorted(NAMES_THEMSELVES - visible_choices()) == []


def test_choice_names_are_not_codes() -> None:
    codes = re.compile(r"[A-Z]+_[A-Z_]+|[a-z]+(_[a-z]+)+")
    for language in SUPPORTED_LANGUAGES:
        names = {id: str(text) for id, text in CATALOGUES.words(language).items() if id.startswith("choice.")}
        assert {id: name for id, name in names.items() if codes.search(name)} == {}
