"""Phone number normalization and rate limits for codes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.customer_apps.registration.rules import (
    CODE_WINDOW,
    CODES_PER_ADDRESS,
    CODES_PER_DEVICE,
    CODES_PER_PHONE,
    REGISTRATION_DECIDED,
    REGISTRATION_EXPIRED,
    AppRegistrationStep,
    CodeRequest,
    parse_phone,
    require_completable,
    require_decidable,
    seconds_until_next_code,
)
from haulier.kernel.operations.errors import OperationError

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)


@for_every(
    ("written", "region", "number"),
    [
        ("(416) 555-0123", "CA", "+14165550123"),
        ("+1 416 555 0123", "FR", "+14165550123"),
        ("06 12 34 56 78", "FR", "+33612345678"),
        ("0033 6 12 34 56 78", "DE", "+33612345678"),
        ("+49 1511 2345678", "CA", "+4915112345678"),
        ("１３８００１３８０００", "CN", "+8613800138000"),
    ],
)
def test_a_phone_number_is_normalized_to_one_form(written: str, region: str, number: str) -> None:
    assert parse_phone(written, region) == number
    assert parse_phone(number, "US") == number


@for_every(
    ("written", "code"),
    [
        ("", "field.phone_invalid"),
        ("hello", "field.phone_invalid"),
        ("12", "field.phone_invalid"),
        ("+999 123 456 789", "field.phone_invalid"),
        ("+1 416 555 01234 5678", "field.phone_invalid"),
        ("+1 900 555 0123", "field.phone_unreachable"),
        ("+33 1 42 68 53 00", "field.phone_unreachable"),
        ("+44 800 123 4567", "field.phone_unreachable"),
    ],
)
def test_numbers_that_cannot_receive_sms_are_refused(written: str, code: str) -> None:
    with pytest.raises(OperationError) as info:
        parse_phone(written, "CA")
    assert [(fault.field, fault.code) for fault in info.value.field_errors] == [("phone", code)]


def body(seconds_ago: float, *, phone: bool = False, device: bool = False, address: bool = False) -> CodeRequest:
    return CodeRequest(NOW - timedelta(seconds=seconds_ago), phone, device, address)


def test_the_first_code_is_sent_immediately() -> None:
    assert seconds_until_next_code([], NOW) == 0


def test_a_phone_gets_at_most_one_code_a_minute_and_five_an_hour() -> None:
    assert seconds_until_next_code([body(0, phone=True)], NOW) == 60
    assert seconds_until_next_code([body(59.5, phone=True)], NOW) == 1
    assert seconds_until_next_code([body(60, phone=True)], NOW) == 0
    hour = [body(600 * n, phone=True) for n in range(1, CODES_PER_PHONE + 1)]
    assert seconds_until_next_code(hour, NOW) == 600
    assert seconds_until_next_code(hour[1:], NOW) == 0


def test_a_device_and_an_address_have_an_hourly_limit_across_phones() -> None:
    assert seconds_until_next_code([body(30 * n, device=True) for n in range(CODES_PER_DEVICE)], NOW) == 3600 - 30 * (
        CODES_PER_DEVICE - 1
    )
    assert seconds_until_next_code([body(30, device=True) for _ in range(CODES_PER_DEVICE - 1)], NOW) == 0
    assert seconds_until_next_code([body(30, address=True) for _ in range(CODES_PER_ADDRESS)], NOW) == 3570
    assert seconds_until_next_code([body(30, address=True) for _ in range(CODES_PER_ADDRESS - 1)], NOW) == 0


@given(st.lists(st.tuples(st.floats(0, 7200), st.booleans(), st.booleans(), st.booleans()), max_size=60))
def test_waiting_for_the_stated_time_lifts_the_limit(past: list[tuple[float, bool, bool, bool]]) -> None:
    history = [body(ago, phone=phone, device=device, address=address) for ago, phone, device, address in past]
    seconds = seconds_until_next_code(history, NOW)
    assert 0 <= seconds <= CODE_WINDOW.total_seconds()
    assert seconds_until_next_code(history, NOW + timedelta(seconds=seconds)) == 0


@for_every("step", list(AppRegistrationStep))
def test_a_registration_can_be_completed_once_before_it_expires(step: AppRegistrationStep) -> None:
    if step is AppRegistrationStep.PROVED:
        require_completable(step, NOW + timedelta(seconds=1), NOW)
    else:
        with pytest.raises(OperationError) as late:
            require_completable(step, NOW + timedelta(seconds=1), NOW)
        assert late.value.error_type is REGISTRATION_EXPIRED
    with pytest.raises(OperationError):
        require_completable(step, NOW, NOW)


@for_every("step", list(AppRegistrationStep))
def test_only_a_pending_registration_can_be_decided(step: AppRegistrationStep) -> None:
    if step is AppRegistrationStep.WAITING:
        require_decidable(step)
        return
    with pytest.raises(OperationError) as info:
        require_decidable(step)
    assert info.value.error_type is REGISTRATION_DECIDED
