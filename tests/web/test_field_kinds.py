"""No form asks a person for minor units, codes, ids or JSON."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct

from haulier.app import registry
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.resources import Resource, path_fields, snake_case
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.inputs import leaves
from haulier.web.desk.places import Places
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.table import kind_of_value
from haulier.web.kinds.writing import hour_name

MACHINE_UNITS = re.compile(
    r"minor unit|millionth|hundredths of a percent|\bgrams\b|millimetres|\bmetres\b|cubic (centi|milli)metres"
    r"|in seconds\b|in minutes\b|IANA|ISO \d",
    re.IGNORECASE,
)
NOT_MEASURED = {
    "cost": "a weight of the search, not an amount",
    "dimensional_divisor": "a ratio that carriers publish in this unit",
    "region": "a province has no list of names yet",
}
NOT_PICKED = {
    "after_id": "a cursor of an export",
    "box_id": "compartments are chosen in the picture of their locker",
    "cabinet_id": "cabinets are listed within their site only",
    "from_location_id": "locations are listed within their warehouse only",
    "location_id": "locations are listed within their warehouse only",
    "location_ids": "locations are listed within their warehouse only",
    "message_id": "messages are listed within their order only",
    "owner_id": "its kind is in the field beside it",
    "refund_ids": "refunds are listed within their return only",
    "package_id": "packages are listed within their order only",
    "pre_alert_id": "has no list",
    "quote_id": "quotes are not listed",
    "staging_location_id": "locations are listed within their warehouse only",
    "stop_id": "stops are listed within their route only",
    "stop_ids": "stops are listed within their route only",
    "subject_id": "its kind is in the field beside it",
    "task_id": "tasks are listed within their wave only",
    "to_location_id": "locations are listed within their warehouse only",
}
AS_JSON = {
    "arguments": "the request of any operation",
    "filters": "written by the list that it was saved from",
    "geometry": "drawn on a map",
    "record_schema": "a JSON Schema, for developers",
    "value_schema": "a JSON Schema, for developers",
}
SHOWN_IN_THE_LABEL = {
    "area_km2",
    "density_kg_m3",
    "dimensional_divisor",
    "heading_deg",
    "size_bytes",
    "speed_mps",
    "temperature_c",
}
"""Numbers whose unit people know, behind their name."""


@pytest.fixture(scope="module")
def places() -> Places:
    """The places of all operations."""
    return Places(registry())


@pytest.fixture(scope="module")
def asked(places: Places) -> list[tuple[str, Field]]:
    """Return the fields of every form, without ids that addresses fill in."""
    return [
        (operation.name, field)
        for operation in registry()
        if places.has_page(operation)
        for field in leaves(form_of(operation.request).fields({}, "UTC"))
        if field.name not in path_fields(operation)
    ]


def test_amounts_weights_and_times_are_entered_in_common_units(asked: list[tuple[str, Field]]) -> None:
    raw = {
        field.label
        for _, field in asked
        if field.kind in {"number", "text", "lines"} and field.value_kind is None and MACHINE_UNITS.search(field.hint)
    }
    assert raw == NOT_MEASURED.keys()


def test_records_can_be_chosen_by_name(asked: list[tuple[str, Field]], places: Places) -> None:
    assert set(typed_as_numbers(asked, places)) == NOT_PICKED.keys()


def typed_as_numbers(asked: list[tuple[str, Field]], places: Places) -> Iterator[str]:
    """Yield the names of ids that no picker offers."""
    for _, field in asked:
        if field.kind in {"number", "lines"} and (field.reference is not None or re.search("_ids?$", field.label)):
            noun = noun_of(field, places)
            if noun is None or noun.parents or not noun.ids:
                yield field.label


def noun_of(field: Field, places: Places) -> Resource | None:
    """Return the noun that a field refers to."""
    key = field.reference if field.reference is not None else places.nouns.key_referred_to(field.label)
    return places.nouns.by_key.get(key or "")


def test_only_developer_documents_are_entered_as_json(asked: list[tuple[str, Field]]) -> None:
    assert {field.label for _, field in asked if field.kind == "json" and not field.value_kind} == AS_JSON.keys()


def numbers_shown(kind: Any, seen: set[type]) -> Iterator[str]:
    """Yield the names of the numbers in an answer."""
    for part in get_args(kind):
        yield from numbers_shown(part, seen)
    if isinstance(kind, type) and issubclass(kind, Struct) and kind not in seen:
        seen.add(kind)
        for name, inner in get_type_hints(kind).items():
            if {int, float} & {inner, *get_args(inner)}:
                yield name
            yield from numbers_shown(inner, seen)


def test_numbers_are_shown_in_common_units() -> None:
    words, seen = Catalogues().words("en"), set[type]()
    shown = {name for operation in registry() for name in numbers_shown(operation.answer, seen)}
    behind_the_label = {
        name
        for name in shown
        if kind_of_value(name, 1) is None and re.search(r"\(\S+\)$", words.get(f"label.{snake_case(name)}", ""))
    }
    assert behind_the_label == SHOWN_IN_THE_LABEL


@pytest.mark.parametrize(
    ("language", "hours"),
    [
        ("en", ["12 AM", "2 PM"]),
        ("de", ["00 Uhr", "14 Uhr"]),
        ("fr", ["00 h", "14 h"]),
        ("zh_Hans", ["0时", "14时"]),
    ],
)
def test_hours_are_written_by_their_language(language: str, hours: list[str]) -> None:
    assert [hour_name(number, Habits(language)) for number in (0, 14)] == hours
    assert hour_name(24, Habits(language)) is None
