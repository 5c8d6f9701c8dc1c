"""Carrier statuses translated into protocol codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.otep.carriers import known_carriers, translate_status
from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES
from haulier.contexts.otep.vocabulary.rules import (
    GENERIC_CODES,
    INCIDENT_REASONS,
    PHASE_RANK,
    TERMINAL_CODES,
    phase_of_code,
    resolve_status,
)

LISTED = [(key, code) for key, table in CARRIER_TABLES.items() for code in table.sheet.codes]
LISTED_CODES = st.sampled_from(LISTED)
CARRIER_NAMES = st.sampled_from(known_carriers()) | st.text(max_size=12)

SPOT_CHECKS = {
    "ups": {"011": "delivered", "M": "information_submitted", "X:48": ("delivery_failed", "recipient_absent"),
            "012": "customs_clearance", "035": "delivery_failed", "034": "returned", "161": "ready_for_collection"},
    "fedex": {"OC": "label_created", "PU": "picked_up", "OD": "out_for_delivery", "DL": "delivered",
              "HP": "ready_for_collection", "CD": "customs_held", "CA": "cancelled"},
    "dhl": {"pre-transit": "information_submitted", "transit": "in_transit", "failure": "delivery_failed", "OK": "delivered",
            "NH": ("delivery_failed", "recipient_absent"), "WC": "out_for_delivery"},
    "dhl_parcel_de": {"DLVRD": "delivered", "ZU:DLVRD:NGHBR": "delivered", "DLVRD:SERPT": "ready_for_collection",
                      "RETRN:BDADD": ("delivery_failed", "address_incorrect"), "PO:LDTMV:MVMTV": "out_for_delivery"},
    "usps": {"01": "delivered", "OF": "out_for_delivery", "07": "arrival_scan", "04": ("delivery_failed", "refused"),
             "MA": "information_submitted"},
    "canada_post": {"0174": "out_for_delivery", "1496": "delivered", "0173": ("address_issue", "address_incorrect")},
    "purolator": {"OnDelivery": "out_for_delivery", "Delivery": "delivered", "Undeliverable": "delivery_failed"},
    "royal_mail": {"EVKSP": "delivered", "EVNRF": ("delivery_failed", "refused"), "EVRTS": "returned", "EVNMI": "delayed"},
    "dpd": {"ACCEPTED": "picked_up", "AT_DELIVERY_DEPOT": "arrival_scan", "DELIVERED": "delivered"},
    "gls": {"PREADVICE": "information_submitted", "INDELIVERY": "out_for_delivery", "DELIVEREDPS": "ready_for_collection"},
    "hermes_de": {"0000": "information_submitted", "3710": ("delivery_failed", "refused"), "7500": "returned"},
    "la_poste": {"DR1": "information_submitted", "DO3": "customs_held", "MD2": "out_for_delivery", "DI1": "delivered",
                 "DI2": "returned"},
    "postnord": {"INFORMED": "information_submitted", "DELIVERY_REFUSED": ("delivery_failed", "refused"),
                 "AVAILABLE_FOR_DELIVERY_PAR_LOC": "ready_for_collection"},
    "sf_express": {"50": "picked_up", "31": "arrival_scan", "44": "out_for_delivery", "80": "delivered",
                   "606": "customs_released"},
    "cainiao": {"CC_EX_START": "customs_clearance", "LH_DEPART": "package_outbound", "GTMS_SIGNED": "delivered",
                "GTMS_STA_SIGNED": "ready_for_collection"},
    "yunda": {"GOT": "picked_up", "SENT": "out_for_delivery", "REJECTION": ("delivery_failed", "refused")},
    "kd100": {"0": "in_transit", "3": "delivered", "4": "returned", "3:304": "delivered", "501": "ready_for_collection"},
    "easypost": {"pre_transit": "information_submitted", "in_transit:departed_facility": "package_outbound",
                 "failure:refused": ("delivery_failed", "refused"), "return_to_sender:arrived_at_destination": "returned"},
    "shippo": {"TRANSIT": "in_transit", "TRANSIT:package_arrived": "arrival_scan", "RETURNED": "delivery_failed"},
    "shipengine": {"DE": "delivered", "IT:CUSTOMS_CLEARED": "customs_released", "SP": "ready_for_collection"},
    "aftership": {"InfoReceived": "information_submitted", "Exception_011": "returned", "Exception_010": "delivery_failed",
                  "AttemptFail:AttemptFail_002": ("delivery_failed", "recipient_absent")},
    "seventeentrack": {"InTransit_PickedUp": "picked_up", "Exception_Lost": "lost", "Exception_Returning": "delivery_failed"},
    "trackingmore": {"transit002": "arrival_scan", "exception010": "returned", "pending": "information_submitted"},
    "track123": {"IN_TRANSIT_03": "customs_released", "ABNORMAL_06": "returned", "DELIVERED_02": "delivered"},
    "amazon_shipping": {"PickupDone": "picked_up", "EVENT_205": "customs_released", "Rejected": ("delivery_failed", "refused"),
                        "Undeliverable:AddressNotFound": ("delivery_failed", "address_incorrect")},
}  # fmt: skip


def test_every_carrier_is_spot_checked() -> None:
    assert SPOT_CHECKS.keys() == CARRIER_TABLES.keys()


@for_every(
    ("carrier", "raw", "expected"),
    [(key, raw, want) for key, checks in SPOT_CHECKS.items() for raw, want in checks.items()],
)
def test_well_known_codes_have_their_meaning(carrier: str, raw: str, expected: str | tuple[str, str]) -> None:
    told = translate_status(carrier, raw)
    status, reason = expected if isinstance(expected, tuple) else (expected, None)
    assert (told.status_code, told.incident_reason, told.raw_status) == (status, reason, raw)
    assert told.known
    assert told.phase == phase_of_code(status)


@given(carrier=CARRIER_NAMES, raw=st.text(max_size=40), text=st.none() | st.text(max_size=40))
def test_any_input_is_translated_and_kept(carrier: str, raw: str, text: str | None) -> None:
    told = translate_status(carrier, raw, text)
    row = resolve_status(told.status_code)
    assert row is not None
    assert (told.raw_status, told.phase) == (raw, row.phase)
    assert told.incident_reason is None or (row.exception and told.incident_reason in INCIDENT_REASONS)


@given(listed=LISTED_CODES, data=st.data())
def test_case_spaces_symbols_widths_and_the_carrier_name_are_ignored(
    listed: tuple[str, str], data: st.DataObject
) -> None:
    carrier, code = listed
    expected = translate_status(carrier, code)
    form = data.draw(st.sampled_from([str.upper, str.lower, str.title, " {} ".format, (carrier + ":{}").format]))
    gap = data.draw(st.sampled_from(["_", " ", "-", "\uff3f"]))
    told = translate_status(carrier.upper().replace("_", " "), form(code).replace("_", gap))
    assert (told.status_code, told.incident_reason, told.known) == (
        expected.status_code,
        expected.incident_reason,
        True,
    )


@pytest.mark.parametrize(
    ("carrier", "raw"), [("dpd", "DPD_ACCEPTED"), ("DPD Germany", "dpd accepted"), ("UPS", "ups_011")]
)
def test_the_carrier_name_can_be_part_of_the_code(carrier: str, raw: str) -> None:
    assert translate_status(carrier, raw).known


@for_every(("carrier", "code"), LISTED)
def test_every_listed_code_is_recognized_with_its_meaning(carrier: str, code: str) -> None:
    row = CARRIER_TABLES[carrier].sheet.codes[code]
    told = translate_status(carrier, code)
    assert (told.status_code, told.incident_reason, told.known) == (row.status, row.reason, True)


@for_every(
    ("carrier", "raw", "phase"),
    [
        ("aftership", "OutForDelivery_099", "out_for_delivery"),
        ("seventeentrack", "NotFound_New", "pre_shipment"),
        ("cainiao", "SC_NEW_WORD", "inbound"),
        ("cainiao", "CUS_NEW_WORD", "transit"),
        ("la_poste", "PC9", "pickup"),
        ("gls", "SOMETHING_NEW", "transit"),
        ("no such carrier", "DELIVERED", "transit"),
        ("ups", "", "transit"),
    ],
)
def test_an_unlisted_code_maps_to_the_generic_code_of_its_familys_phase(carrier: str, raw: str, phase: str) -> None:
    told = translate_status(carrier, raw)
    assert (told.status_code, told.phase, told.known, told.raw_status) == (GENERIC_CODES[phase], phase, False, raw)


@given(carrier=CARRIER_NAMES, raw=st.text(max_size=20))
def test_an_unknown_code_never_ends_a_journey_unless_its_family_means_delivered(carrier: str, raw: str) -> None:
    told = translate_status(carrier, raw)
    if not told.known and told.status_code in TERMINAL_CODES:
        table = CARRIER_TABLES[carrier]
        words = table.words(raw)
        assert "delivered" in [table.family(word) for word in words] or any(table.row(word) for word in words)


def test_an_unknown_detail_keeps_the_general_status_and_is_reported_as_unknown() -> None:
    told = translate_status("easypost", "available_for_pickup:a_new_detail")
    assert (told.status_code, told.known) == ("ready_for_collection", False)


@pytest.mark.parametrize("raw", ["delivered:status_update", "delivered:unknown"])
def test_a_meaningless_detail_hides_no_status(raw: str) -> None:
    told = translate_status("easypost", raw)
    assert (told.status_code, told.known) == ("delivered", True)


def test_a_general_text_is_used_when_the_status_has_no_meaning() -> None:
    assert translate_status("purolator", "Other", "Delivery").status_code == "delivered"
    assert translate_status("gls", "", "delivered").status_code == "delivered"
    helped = translate_status("gls", "NEWWORD", "INDELIVERY")
    assert (helped.status_code, helped.known) == ("out_for_delivery", False)
    assert translate_status("gls", "DELIVERED", "INDELIVERY").status_code == "delivered"


def test_no_translation_contains_an_unknown_phase() -> None:
    assert {translate_status(*listed).phase for listed in LISTED} <= PHASE_RANK.keys()


def test_long_free_text_is_translated_quickly() -> None:
    assert not translate_status("cainiao", "x:" * 100_000).known
