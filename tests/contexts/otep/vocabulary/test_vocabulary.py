"""The code table of the protocol."""

from tests.support.every_case import for_every

from haulier.contexts.otep.vocabulary.rules import (
    CODE_ALIASES,
    GENERIC_CODES,
    PHASE_RANK,
    PROFILES,
    STATUS_CODES,
    TERMINAL_CODES,
    UNIVERSAL_PROFILE,
    StatusCode,
    code_address,
    is_experimental_code,
    phase_address,
    phase_of_code,
    phase_of_code_of_any_profile,
    resolve_status,
)

CODES = {row.code: row for row in STATUS_CODES}


def test_the_journey_has_six_phases_and_four_ends() -> None:
    assert list(PHASE_RANK) == ["pre_shipment", "pickup", "inbound", "transit", "out_for_delivery", "delivered"]
    universal = {row.code for row in STATUS_CODES if row.terminal and row.profile == UNIVERSAL_PROFILE}
    assert universal == {"delivered", "returned", "rejected", "cancelled"}
    assert {"collected", "unloading_completed"} == TERMINAL_CODES - universal
    assert PROFILES == ("parcel", "locker", "storage", "moving", "freight", "food")


def test_codes_are_unique_across_profiles() -> None:
    assert len(CODES) == len(STATUS_CODES)
    assert all(row.phase in PHASE_RANK for row in STATUS_CODES)


def test_no_alias_hides_a_code_and_every_alias_resolves() -> None:
    assert CODE_ALIASES.keys().isdisjoint(CODES)
    assert set(CODE_ALIASES.values()) <= CODES.keys()


@for_every("profile", PROFILES)
def test_universal_codes_belong_to_every_profile_and_others_to_one(profile: str) -> None:
    for row in STATUS_CODES:
        expected = row if row.profile in (UNIVERSAL_PROFILE, profile) else None
        assert resolve_status(row.code, profile) is expected


@for_every(("phase", "code"), GENERIC_CODES.items())
def test_every_phase_has_its_own_generic_code(phase: str, code: str) -> None:
    assert CODES[code].phase == phase
    assert CODES[code].profile == UNIVERSAL_PROFILE
    assert not CODES[code].exception
    assert GENERIC_CODES.keys() == PHASE_RANK.keys()


def test_exceptions_and_proof_codes_match_the_protocol() -> None:
    assert CODES["delivery_failed"] == StatusCode("delivery_failed", "out_for_delivery", exception=True)
    assert {row.code for row in STATUS_CODES if row.pod and row.profile == UNIVERSAL_PROFILE} == {
        "picked_up",
        "delivered",
        "returned",
    }
    assert {row.code for row in STATUS_CODES if row.terminal and row.exception} == {"returned", "rejected", "cancelled"}


def test_uris_name_the_profile_that_owns_a_code() -> None:
    assert code_address("delivered") == "otep:parcel:delivered"
    assert code_address("delivered", "locker") == "otep:parcel:delivered"
    assert code_address("deposited", "locker") == "otep:locker:deposited"
    assert code_address("return_to_sender") == "otep:parcel:returned"
    assert code_address("x-odd", "food") == "otep:food:x-odd"
    assert phase_address("pickup") == "otep:phase:pickup"


def test_a_code_determines_its_phase_without_its_profile() -> None:
    codes = ("collected", "deposited", "in_transit", "put_away", "x-odd")
    told = ["delivered", "out_for_delivery", "transit", "inbound", "transit"]
    assert [phase_of_code_of_any_profile(code) for code in codes] == told


def test_an_unregistered_code_has_no_row_and_is_in_transit() -> None:
    assert resolve_status("x-odd") is None
    assert resolve_status("") is None
    assert resolve_status("delivered", "no_such_profile") is CODES["delivered"]
    assert phase_of_code("x-odd") == "transit"
    assert [is_experimental_code(code) for code in ("x-odd", "x-", "odd", "")] == [True, False, False, False]
