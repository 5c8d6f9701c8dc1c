"""Phones are read as people write them; codes may be asked for at a measured pace."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.access.registration.rules.pace import PER_ADDRESS, PER_DEVICE, PER_PHONE, WINDOW, Asked, wait_s
from haulier.contexts.access.registration.rules.phones import in_e164
from haulier.contexts.access.registration.rules.steps import (
    REGISTRATION_DECIDED,
    REGISTRATION_EXPIRED,
    Step,
    demand_may_complete,
    demand_may_decide,
)
from haulier.kernel.errors import Refusal

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)


@pytest.mark.parametrize(
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
def test_a_number_is_kept_in_one_form_however_it_is_written(written: str, region: str, number: str) -> None:
    assert in_e164(written, region) == number
    assert in_e164(number, "US") == number


@pytest.mark.parametrize(
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
def test_what_no_text_message_reaches_is_refused(written: str, code: str) -> None:
    with pytest.raises(Refusal) as info:
        in_e164(written, "CA")
    assert [(fault.field, fault.code) for fault in info.value.faults] == [("phone", code)]


def asked(seconds_ago: float, *, phone: bool = False, device: bool = False, address: bool = False) -> Asked:
    return Asked(NOW - timedelta(seconds=seconds_ago), phone, device, address)


def test_the_first_code_comes_at_once() -> None:
    assert wait_s([], NOW) == 0


def test_a_phone_gets_one_code_a_minute_and_five_an_hour() -> None:
    assert wait_s([asked(0, phone=True)], NOW) == 60
    assert wait_s([asked(59.5, phone=True)], NOW) == 1
    assert wait_s([asked(60, phone=True)], NOW) == 0
    hour = [asked(600 * n, phone=True) for n in range(1, PER_PHONE + 1)]
    assert wait_s(hour, NOW) == 600
    assert wait_s(hour[1:], NOW) == 0


def test_a_device_and_an_address_get_so_many_an_hour_for_whatever_phones() -> None:
    assert wait_s([asked(30 * n, device=True) for n in range(PER_DEVICE)], NOW) == 3600 - 30 * (PER_DEVICE - 1)
    assert wait_s([asked(30, device=True) for _ in range(PER_DEVICE - 1)], NOW) == 0
    assert wait_s([asked(30, address=True) for _ in range(PER_ADDRESS)], NOW) == 3570
    assert wait_s([asked(30, address=True) for _ in range(PER_ADDRESS - 1)], NOW) == 0


@given(st.lists(st.tuples(st.floats(0, 7200), st.booleans(), st.booleans(), st.booleans()), max_size=60))
def test_who_waits_as_long_as_told_is_let_in(past: list[tuple[float, bool, bool, bool]]) -> None:
    history = [asked(ago, phone=phone, device=device, address=address) for ago, phone, device, address in past]
    seconds = wait_s(history, NOW)
    assert 0 <= seconds <= WINDOW.total_seconds()
    assert wait_s(history, NOW + timedelta(seconds=seconds)) == 0


@pytest.mark.parametrize("step", list(Step))
def test_a_registration_is_completed_once_and_in_time(step: Step) -> None:
    if step is Step.PROVED:
        demand_may_complete(step, NOW + timedelta(seconds=1), NOW)
    else:
        with pytest.raises(Refusal) as late:
            demand_may_complete(step, NOW + timedelta(seconds=1), NOW)
        assert late.value.problem is REGISTRATION_EXPIRED
    with pytest.raises(Refusal):
        demand_may_complete(step, NOW, NOW)


@pytest.mark.parametrize("step", list(Step))
def test_only_a_registration_that_waits_is_decided(step: Step) -> None:
    if step is Step.WAITING:
        demand_may_decide(step)
        return
    with pytest.raises(Refusal) as info:
        demand_may_decide(step)
    assert info.value.problem is REGISTRATION_DECIDED
