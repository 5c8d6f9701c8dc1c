"""The one table of the protocol."""

import pytest

from haulier.contexts.tracking.otep.vocabulary import (
    ALIASES,
    GENERIC,
    PROFILES,
    RANK,
    TABLE,
    TERMINAL,
    UNIVERSAL,
    StatusCode,
    address,
    is_experimental,
    is_terminal,
    phase_address,
    phase_of,
    resolve,
)

CODES = {row.code: row for row in TABLE}


def test_the_journey_has_six_phases_and_four_ends() -> None:
    assert list(RANK) == ["pre_shipment", "pickup", "inbound", "transit", "out_for_delivery", "delivered"]
    assert {"delivered", "returned", "rejected", "cancelled"} == TERMINAL
    assert PROFILES == ("parcel", "locker", "storage", "moving", "freight", "food")


def test_no_code_stands_twice_so_that_a_code_has_one_meaning_everywhere() -> None:
    assert len(CODES) == len(TABLE)
    assert all(row.phase in RANK for row in TABLE)


def test_no_alias_hides_a_code_and_every_alias_leads_to_one() -> None:
    assert ALIASES.keys().isdisjoint(CODES)
    assert set(ALIASES.values()) <= CODES.keys()


@pytest.mark.parametrize("profile", PROFILES)
def test_universal_codes_belong_to_every_profile_and_others_to_their_own(profile: str) -> None:
    for row in TABLE:
        expected = row if row.profile in (UNIVERSAL, profile) else None
        assert resolve(row.code, profile) is expected


@pytest.mark.parametrize(("phase", "code"), GENERIC.items())
def test_every_phase_has_a_generic_code_of_its_own(phase: str, code: str) -> None:
    assert CODES[code].phase == phase
    assert CODES[code].profile == UNIVERSAL
    assert not CODES[code].exception
    assert GENERIC.keys() == RANK.keys()


def test_exceptions_and_proofs_are_where_the_protocol_says() -> None:
    assert CODES["delivery_failed"] == StatusCode("delivery_failed", "out_for_delivery", exception=True)
    assert {row.code for row in TABLE if row.pod and row.profile == UNIVERSAL} == {"picked_up", "delivered", "returned"}
    assert {row.code for row in TABLE if row.terminal and row.exception} == TERMINAL - {"delivered"}


def test_addresses_name_the_profile_that_owns_a_code() -> None:
    assert address("delivered") == "otep:parcel:delivered"
    assert address("delivered", "locker") == "otep:parcel:delivered"
    assert address("deposited", "locker") == "otep:locker:deposited"
    assert address("return_to_sender") == "otep:parcel:returned"
    assert address("x-odd", "food") == "otep:food:x-odd"
    assert phase_address("pickup") == "otep:phase:pickup"


def test_a_word_that_nobody_registered_has_no_row_and_is_in_transit() -> None:
    assert resolve("x-odd") is None
    assert resolve("") is None
    assert resolve("delivered", "no_such_profile") is CODES["delivered"]
    assert phase_of("x-odd") == "transit"
    assert not is_terminal("x-odd")
    assert [is_experimental(code) for code in ("x-odd", "x-", "odd", "")] == [True, False, False, False]
