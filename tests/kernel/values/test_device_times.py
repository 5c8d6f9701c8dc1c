"""Event times are derived from device time, clock offset and receipt."""

from datetime import UTC, datetime, timedelta

import pytest

from haulier.kernel.values.device_times import CLOCK_TOLERANCE, DeviceClock

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)


def test_without_a_send_time_a_past_time_is_kept() -> None:
    time = DeviceClock(received_at=NOW).read_time(NOW - timedelta(days=2))
    assert (time.at, time.clock_corrected, time.stored_device_at) == (NOW - timedelta(days=2), False, None)


def test_without_a_send_time_a_future_time_becomes_the_receipt_time() -> None:
    time = DeviceClock(received_at=NOW).read_time(NOW + timedelta(hours=2))
    assert (time.at, time.clock_corrected, time.ahead_s) == (NOW, True, 7200)


@pytest.mark.parametrize("hours", [2, -2])
def test_a_known_offset_is_subtracted(hours: int) -> None:
    offset = timedelta(hours=hours)
    time = DeviceClock(received_at=NOW, sent_at=NOW + offset).read_time(NOW - timedelta(hours=1) + offset)
    assert (time.at, time.clock_corrected) == (NOW - timedelta(hours=1), True)


def test_an_offset_within_the_tolerance_is_not_corrected() -> None:
    time = DeviceClock(received_at=NOW, sent_at=NOW + CLOCK_TOLERANCE).read_time(NOW + CLOCK_TOLERANCE)
    assert (time.at, time.clock_corrected) == (NOW, False)


def test_an_offset_beyond_the_calendar_gives_the_receipt_time() -> None:
    clock = DeviceClock(received_at=NOW, sent_at=datetime(9998, 1, 1, tzinfo=UTC))
    assert clock.read_time(datetime(2, 1, 1, tzinfo=UTC)).at == NOW
