"""The registry of formats, the pivots, and what holds for every projection."""

import json
import tomllib
import uuid
from itertools import permutations
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from tests.contexts.otep.projections.timeline_factories import (
    BASE_URL,
    CODES,
    UNKNOWN_CODES,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every

from haulier.contexts.otep import projections
from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.projections.rules import PIVOT_TABLE, MappingTable, name_uuid, read_mapping_table
from haulier.contexts.otep.public import FormatName
from haulier.contexts.otep.timeline.contract import Timeline
from haulier.contexts.otep.vocabulary.rules import GENERIC_CODES, STATUS_CODES, UNIVERSAL_PROFILE

NAMES = set(get_args(FormatName))
FOLDER = Path(projections.__file__).parent


def test_every_module_with_a_projection_is_registered_under_its_name() -> None:
    assert tuple(FORMATS) == get_args(FormatName)
    assert next(iter(FORMATS)) == "otep"
    assert {path.stem for path in FOLDER.glob("*.py") if "\ndef project(" in path.read_text()} == NAMES


def test_every_format_names_its_source_and_its_profiles() -> None:
    profiles = [profile for format in FORMATS.values() for profile in format.profiles]
    assert len(profiles) == len(set(profiles))
    for name, format in FORMATS.items():
        assert format.name == name
        assert format.title
        assert format.source
        assert f"otep:format:{name}" in format.profiles
    assert FORMATS["epcis"].media_type == FORMATS["onerecord"].media_type == "application/ld+json"
    assert "https://ref.gs1.org/standards/epcis/2.0.0/" in FORMATS["epcis"].profiles


def test_standard_identifiers_do_not_depend_on_the_service_address() -> None:
    timeline = make_timeline_with_incident("delivery_failed", "out_for_delivery")
    for name in ("epcis", "onerecord", "sensorthings"):
        documents = [
            msgspec.to_builtins(FORMATS[name].project(timeline, base))
            for base in ("https://one.example", "https://two.example")
        ]
        differing = {path for path, text in texts_of(documents[0]) if "one.example" in text}
        assert differing <= {"cargo:codeListReference", "metadata"}, name
        assert json.dumps(documents[0]).replace("one.example", "two.example") == json.dumps(documents[1])


def texts_of(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Every text of a document with the name of its member."""
    if isinstance(value, dict):
        return [found for key, each in value.items() for found in texts_of(each, key)]
    if isinstance(value, list):
        return [found for each in value for found in texts_of(each, name)]
    return [(name, value)] if isinstance(value, str) else []


def test_the_pivots_cover_exactly_the_universal_codes() -> None:
    mapped = set(read_mapping_table("pivots")["codes"])
    assert (
        {row.code for row in STATUS_CODES if row.profile == UNIVERSAL_PROFILE}
        <= mapped
        <= {row.code for row in STATUS_CODES}
    )


@for_every("path", sorted(FOLDER.glob("*.toml")))
def test_specific_rows_are_for_codes_of_the_codebook(path: Path) -> None:
    assert set(tomllib.loads(path.read_text()).get("codes", {})) <= {row.code for row in STATUS_CODES}


@for_every("phase", GENERIC_CODES)
def test_an_unknown_code_is_shown_as_its_phase(phase: str) -> None:
    assert PIVOT_TABLE.row_for("x-strange", phase) is PIVOT_TABLE.row_for(GENERIC_CODES[phase], phase)


def test_an_unknown_phase_is_shown_as_in_transit() -> None:
    assert PIVOT_TABLE.row_for("x-strange", "no_such_phase") is PIVOT_TABLE.pivots["in_transit"]


def test_an_incomplete_table_is_refused() -> None:
    class Row(msgspec.Struct):
        moved: bool

    sheet = read_mapping_table("pivots")
    del sheet["pivots"]["lost"]
    with pytest.raises(ValueError, match="lost"):
        MappingTable({"pivots": sheet["pivots"]}, Row)


@for_every("name", sorted(NAMES - {"otep", "sensorthings"}))
@for_every(("code", "phase"), UNKNOWN_CODES)
def test_no_projection_invents_a_status_for_an_unknown_code(name: str, code: str, phase: str) -> None:
    generic = GENERIC_CODES.get(phase, "in_transit")
    strange = json.dumps(projected_json(name, make_timeline_with_incident(code, phase))).replace(code, generic)
    plain = code.replace("_", " ")
    known = json.dumps(projected_json(name, make_timeline_with_incident(generic, phase)))
    assert _statuses(json.loads(strange.replace(plain, generic))) == _statuses(json.loads(known))


def _statuses(value: Any) -> list[Any]:
    """Every word of a document that stands under a key for statuses."""
    words = {"bizStep", "disposition", "cargo:code", "@id", "conditionCode", "status", "tag", "subtag", "eventCode"}
    if isinstance(value, dict):
        own = [v for key, v in value.items() if key in words and isinstance(v, str) and "logistics-" not in v]
        return own + [word for inner in value.values() for word in _statuses(inner)]
    return [word for inner in value for word in _statuses(inner)] if isinstance(value, list) else []


@for_every("name", sorted(NAMES))
def test_the_order_of_stored_events_does_not_matter(name: str) -> None:
    events = timeline_of_codes("picked_up", "delivery_failed", "delivered").events
    documents = [projected_json(name, make_timeline(*order)) for order in permutations(events)]
    if name == "otep":
        assert [event["event_id"] for event in documents[0]["events"]] == [event.event_id for event in events]
    else:
        assert all(document == documents[0] for document in documents)


@given(timelines())
def test_every_projection_is_pure(timeline: Timeline) -> None:
    before = msgspec.json.encode(timeline)
    for name in sorted(NAMES):
        first = msgspec.json.encode(FORMATS[name].project(timeline, BASE_URL))
        assert msgspec.json.encode(FORMATS[name].project(timeline, BASE_URL)) == first, name
        assert msgspec.json.encode(timeline) == before, name


@for_every("name", sorted(NAMES))
def test_a_document_can_be_built_from_plain_dictionaries(name: str) -> None:
    timeline = make_timeline_with_incident(*CODES[0])
    plain = msgspec.to_builtins(FORMATS[name].project(timeline, BASE_URL))
    assert json.loads(json.dumps(plain)) == projected_json(name, timeline)


def test_the_native_form_reads_back_as_the_same_timeline() -> None:
    timeline = make_timeline_with_incident("delivery_failed", "out_for_delivery")
    assert msgspec.convert(projected_json("otep", timeline), Timeline) == timeline


@pytest.mark.parametrize("name", ["", "HL7XK2M9QA", "ünïcödé/1"])
def test_names_become_version_5_uuids(name: str) -> None:
    assert name_uuid(name) == str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def test_the_subject_of_a_document_does_not_depend_on_the_service_address() -> None:
    timeline = timeline_of_codes("picked_up", "delivered")
    for name in ("epcis", "onerecord"):
        here, there = (
            msgspec.json.encode(FORMATS[name].project(timeline, base))
            .decode()
            .replace(f"{base}/api/v1/otep/codebook", "")
            for base in ("https://one.example", "https://two.example")
        )
        assert here == there
