"""Carrier tables are well-formed, have sources, and map to known codes."""

from datetime import date
from typing import Any

import pytest
from msgspec import ValidationError, convert
from tests.support.every_case import for_every

from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES, CarrierSheet, CarrierTable
from haulier.contexts.otep.carriers.rules.translation import known_carriers
from haulier.contexts.otep.vocabulary.rules import (
    INCIDENT_REASONS,
    PHASE_RANK,
    STATUS_CODES,
    TERMINAL_CODES,
    UNIVERSAL_PROFILE,
    phase_of_code,
)

UNIVERSAL_ROWS = {row.code: row for row in STATUS_CODES if row.profile == UNIVERSAL_PROFILE}
ASKED_FOR = {
    "ups", "fedex", "dhl", "usps", "canada_post", "purolator", "royal_mail", "dpd", "gls", "la_poste", "postnord",
    "sf_express", "cainiao", "easypost", "shippo", "aftership", "seventeentrack",
}  # fmt: skip
tables = for_every("table", CARRIER_TABLES.values())


def make_sheet(**fields: Any) -> CarrierSheet:
    """A small sound sheet, changed by fields."""
    source = {"title": "Codes", "address": "https://carrier.example/codes", "read": date(2026, 11, 21)}
    codes = {"OK": {"status": "delivered", "means": "handed over"}}
    return convert({"name": "Swift Post", "sources": [source], "codes": codes, **fields}, CarrierSheet)


def test_common_carriers_and_aggregators_have_tables() -> None:
    assert set(known_carriers()) >= ASKED_FOR
    assert list(known_carriers()) == sorted(known_carriers())


@tables
def test_every_table_names_its_sources_with_dates(table: CarrierTable) -> None:
    assert table.sheet.sources
    for document in table.sheet.sources:
        assert document.title
        assert document.address.startswith(("https://", "http://"))
        assert date(2026, 1, 1) <= document.read <= date(2030, 1, 1)


@tables
def test_every_target_is_a_universal_code_and_only_incidents_have_reasons(table: CarrierTable) -> None:
    for code, row in table.sheet.codes.items():
        target = UNIVERSAL_ROWS[row.status]
        assert row.reason is None or (target.exception and row.reason in INCIDENT_REASONS), code
        assert 0 < len(row.means) <= 80, code
    assert set(table.sheet.reasons.values()) <= set(INCIDENT_REASONS)
    assert set(table.sheet.families.values()) <= PHASE_RANK.keys()


@tables
def test_codes_are_unique_in_any_spelling(table: CarrierTable) -> None:
    assert len(table.rows) == len(table.sheet.codes)
    assert "" not in table.rows


@tables
def test_every_table_has_codes_for_in_transit_and_delivered(table: CarrierTable) -> None:
    phases = {phase_of_code(row.status) for row in table.rows.values()}
    assert phases & {"inbound", "transit"}
    assert "delivered" in phases


@tables
def test_a_refusal_is_never_final_because_the_parcel_is_returned(table: CarrierTable) -> None:
    ends = {row.status for row in table.rows.values()} & TERMINAL_CODES
    assert ends <= {"delivered", "returned", "cancelled"}
    for code, row in table.sheet.codes.items():
        if "going back" in row.means or "goes back" in row.means:
            assert row.status not in TERMINAL_CODES, code


@tables
def test_details_that_only_give_a_reason_are_not_separate_codes(table: CarrierTable) -> None:
    assert table.reasons.keys().isdisjoint(table.rows)


def test_carrier_names_are_unique() -> None:
    names = [name for table in CARRIER_TABLES.values() for name in table.names]
    assert len(names) == len(set(names))


@for_every(
    ("fields", "fault"),
    [
        ({"sources": []}, "no source"),
        ({"codes": {"OK": {"status": "handed_over", "means": "x"}}}, "unknown status handed_over"),
        ({"codes": {"R": {"status": "return_to_sender", "means": "x"}}}, "unknown status return_to_sender"),
        ({"codes": {"OK": {"status": "delivered", "means": "x", "reason": "refused"}}}, "no reason of delivered"),
        ({"codes": {"N": {"status": "delayed", "means": "x", "reason": "mood"}}}, "mood is no reason"),
        ({"families": {"A": "limbo"}}, "unknown phase limbo"),
        ({"reasons": {"A": "mood"}}, "unknown reason mood"),
    ],
)
def test_an_invalid_table_is_refused_with_its_error(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        CarrierTable("swift_post", make_sheet(**fields))


@for_every("twin", ["ok", " O-K ", "o_k", "\uff2f\uff2b"])
def test_codes_that_differ_only_in_spelling_are_refused(twin: str) -> None:
    rows = {code: {"status": "delivered", "means": "x"} for code in ("OK", twin)}
    with pytest.raises(ValueError, match="ok defined twice"):
        CarrierTable("swift_post", make_sheet(codes=rows))


def test_leading_zeros_make_duplicates_only_where_both_forms_are_sent() -> None:
    rows = {code: {"status": "delivered", "means": "x"} for code in ("01", "1")}
    assert len(CarrierTable("swift_post", make_sheet(codes=rows)).rows) == 2
    with pytest.raises(ValueError, match="1 defined twice"):
        CarrierTable("swift_post", make_sheet(codes=rows, leading_zeros=True))


def test_a_misspelled_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="statuses"):
        make_sheet(codes={"OK": {"status": "delivered", "means": "x", "statuses": "x"}})
