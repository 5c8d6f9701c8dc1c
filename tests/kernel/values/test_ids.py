"""Tracking numbers detect typing errors, and secrets are stored as digests."""

import hashlib
import re
from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from haulier.kernel.values.ids import (
    CROCKFORD_ALPHABET,
    check_character,
    hash_token,
    is_tracking_number,
    make_opaque_token,
    make_request_id,
    make_tracking_number,
)

BODIES = st.text(CROCKFORD_ALPHABET, min_size=12, max_size=12)
PLACES = st.integers(0, 11)
TIMES = st.datetimes(datetime(2026, 1, 1), datetime(2089, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def numbered(body: str) -> str:
    return f"HL{body}{check_character(body)}"


def put(body: str, at: int, character: str) -> str:
    return body[:at] + character + body[at + 1 :]


def test_a_tracking_number_has_fifteen_unambiguous_characters() -> None:
    assert re.fullmatch(r"HL[0-9A-HJKMNP-TV-Z]{13}", make_tracking_number())


@given(TIMES)
def test_a_generated_number_is_valid(at: datetime) -> None:
    assert is_tracking_number(make_tracking_number(at))


@given(TIMES, st.timedeltas(timedelta(minutes=1), timedelta(days=200)))
def test_a_later_minute_sorts_later(at: datetime, later: timedelta) -> None:
    assert make_tracking_number(at) < make_tracking_number(at + later)


def test_numbers_generated_at_one_instant_differ() -> None:
    noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    assert len({make_tracking_number(noon) for _ in range(100)}) == 100


@given(BODIES, PLACES, st.sampled_from(CROCKFORD_ALPHABET))
def test_one_wrong_character_is_detected(body: str, at: int, wrong: str) -> None:
    assume(body[at] != wrong)
    assert not is_tracking_number("HL" + put(body, at, wrong) + check_character(body))


def test_zero_is_not_taken_for_z() -> None:
    assert check_character("0" * 12) != check_character("Z" + "0" * 11)


@given(BODIES, PLACES, PLACES)
def test_two_swapped_characters_are_detected(body: str, one: int, other: int) -> None:
    assume(body[one] != body[other])
    swapped = put(put(body, one, body[other]), other, body[one])
    assert not is_tracking_number("HL" + swapped + check_character(body))


@given(BODIES)
def test_the_last_character_is_checked(body: str) -> None:
    assert [c for c in CROCKFORD_ALPHABET if is_tracking_number(f"HL{body}{c}")] == [check_character(body)]


@given(st.text(max_size=20) | BODIES.map(lambda body: numbered(body).lower()))
def test_other_text_is_not_a_number(text: str) -> None:
    assume(not text.startswith("HL"))
    assert not is_tracking_number(text)


@pytest.mark.parametrize(
    "text", ["", "HL", "HL0", "HLHL", numbered("0" * 12) + "0", numbered("0" * 12)[:-1], "HLIIIIIIIIIIII0"]
)
def test_too_short_too_long_and_malformed_text_is_not_a_number(text: str) -> None:
    assert not is_tracking_number(text)


@pytest.mark.parametrize("given", ["a", "req-1.2:3_4", "x" * 64])
def test_a_callers_request_id_is_kept(given: str) -> None:
    assert make_request_id(given) == given


@pytest.mark.parametrize("given", [None, "", "x" * 65, "a b", "a\n", "<b>", "ü"])
def test_a_request_id_unsafe_for_logs_is_replaced(given: str | None) -> None:
    assert re.fullmatch(r"[0-9a-f]{24}", make_request_id(given))
    assert make_request_id(given) != make_request_id(given)


def test_a_token_has_256_bits_after_a_readable_prefix() -> None:
    prefix, secret = make_opaque_token("hlapi").split("_", 1)
    assert prefix == "hlapi"
    assert len(urlsafe_b64decode(secret + "=")) == 32
    assert make_opaque_token("hlapi") != make_opaque_token("hlapi")


@pytest.mark.parametrize("prefix", ["", "x", "HL", "1a", "a_b", "a b", "x" * 17])
def test_a_prefix_indistinguishable_from_the_secret_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="cannot begin a token"):
        make_opaque_token(prefix)


def test_a_digest_is_the_sha_256_of_the_whole_token() -> None:
    assert hash_token("hlapi_ü") == hashlib.sha256(b"hlapi_\xc3\xbc").digest()
