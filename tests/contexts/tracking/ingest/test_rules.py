"""Identifiers, words and contexts of EPCIS, as pure functions."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.validation.rules.value_checks import check_digit
from haulier.contexts.otep.vocabulary.rules import resolve_status
from haulier.contexts.tracking.ingest.rules.epcis_event_shape import (
    BUSINESS_STEPS,
    DISPOSITIONS,
    bare_word,
    parse_epc,
    parse_gln,
    status_code_of_words,
)
from haulier.contexts.tracking.ingest.rules.epcis_events import read_terms


@for_every(
    ("epc", "number"),
    [
        ("urn:epc:id:sscc:0614141.1234567890", "106141412345678908"),
        ("https://id.gs1.org/00/106141412345678908", "106141412345678908"),
        ("urn:epc:id:sgtin:0614141.107346.2017", "(01)10614141073464(21)2017"),
        ("https://id.gs1.org/01/10614141073464/21/2017", "(01)10614141073464(21)2017"),
        ("https://brand.example/x/01/10614141073464/10/LOT/21/2017?17=290101", "(01)10614141073464(21)2017"),
        ("urn:epc:id:grai:4012345.55555.987", "(8003)04012345555554987"),
        ("https://id.gs1.org/8003/04012345555554987", "(8003)04012345555554987"),
        ("urn:epc:id:giai:4000001.12345", "(8004)400000112345"),
        ("urn:otep:subject:HL%2F1", "HL/1"),
        ("https://haulier.example/otep/subjects/HL%2F1", "HL/1"),
        ("urn:example:thing:7", "urn:example:thing:7"),
    ],
)
def test_an_object_has_one_number_in_every_notation(epc: str, number: str) -> None:
    found = parse_epc(epc)
    assert found is not None
    assert found.names == (number,)


@pytest.mark.parametrize(
    "epc",
    [
        "urn:epc:class:lgtin:4012345.012345.998877",
        "urn:epc:idpat:sgtin:4012345.044444.*",
        "https://id.gs1.org/01/10614141073464",
        "https://id.gs1.org/01/10614141073464/10/LOT",
        "urn:example:" + "x" * 200,
    ],
)
def test_a_class_of_objects_cannot_be_tracked(epc: str) -> None:
    assert parse_epc(epc) is None


@given(body=st.from_regex(r"[0-9]{17}", fullmatch=True), length=st.integers(6, 12))
def test_an_sscc_is_the_same_as_urn_and_as_link(body: str, length: int) -> None:
    number = body + check_digit(body)
    prefix, serial = body[1 : 1 + length], body[0] + body[1 + length :]
    urn, link = parse_epc(f"urn:epc:id:sscc:{prefix}.{serial}"), parse_epc(f"https://id.gs1.org/00/{number}")
    assert urn == link
    assert urn is not None
    assert (urn.names, urn.sscc) == ((number,), number)


@given(st.text())
def test_any_identifier_is_parsed_safely(text: str) -> None:
    parse_epc(text)
    parse_gln(text)


def test_a_location_is_read_from_its_urn_and_its_link() -> None:
    assert parse_gln("urn:epc:id:sgln:0614141.07346.1234") == parse_gln("https://id.gs1.org/414/0614141073467/254/1234")
    assert parse_gln("geo:1,2") is None


@pytest.mark.parametrize(
    "form",
    [
        "in_transit",
        "cbv:Disp-in_transit",
        "https://ref.gs1.org/cbv/Disp-in_transit",
        "https://ns.gs1.org/cbv/Disp-in_transit",
        "urn:epcglobal:cbv:disp:in_transit",
    ],
)
def test_a_term_is_the_same_in_every_notation(form: str) -> None:
    assert bare_word(form) == "in_transit"


def test_every_term_of_the_vocabulary_is_mapped() -> None:
    text = shared("standards/epcis/CBV.jsonld").read_text()
    for kind, words in (("BizStep", BUSINESS_STEPS), ("Disp", DISPOSITIONS)):
        named_there = {part.split('"')[0] for part in text.split(f'"cbv:{kind}-')[1:]}
        assert len(named_there) > 30
        assert named_there <= words.keys()


def test_a_term_without_a_counterpart_is_kept_as_experimental() -> None:
    assert status_code_of_words("retail_selling", "") == "x-epcis-retail-selling"
    assert status_code_of_words("https://own.example/step", "") == "x-epcis-other"
    assert status_code_of_words("", "") == "x-epcis-observed"
    assert status_code_of_words("retail_selling", "damaged") == "damaged"


@given(st.sampled_from([*BUSINESS_STEPS, ""]), st.sampled_from([*DISPOSITIONS, ""]))
def test_every_step_and_disposition_pair_has_a_status(step: str, disposition: str) -> None:
    code = status_code_of_words(step, disposition)
    assert resolve_status(code) or code.startswith("x-epcis-")


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_context_is_parsed_safely(context: object) -> None:
    read_terms(context).plain({"eventTime": 1, "otep:phase": 2})


def test_the_term_table_maps_every_term_once() -> None:
    path = Path(bare_word.__code__.co_filename).with_name("epcis_vocabulary.toml")
    sheet = tomllib.loads(path.read_text(encoding="utf-8"))
    assert sheet.keys() == {"grave", "steps", "dispositions", "reasons"}
