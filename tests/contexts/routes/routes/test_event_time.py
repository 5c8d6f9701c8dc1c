"""When something happened, as a device says it."""

from datetime import UTC, datetime, timedelta

import pytest
from haulier.contexts.routes.routes.rules.event_time import MAX_CLOCK_AHEAD, resolve_event_time

from haulier.kernel.operations.errors import OperationError

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)


def test_without_a_word_of_the_device_it_happened_now() -> None:
    assert resolve_event_time(None, NOW) == NOW


def test_work_done_without_a_network_keeps_its_time() -> None:
    assert resolve_event_time(NOW - timedelta(days=2), NOW) == NOW - timedelta(days=2)


def test_a_clock_a_little_ahead_is_taken_as_now() -> None:
    assert resolve_event_time(NOW + MAX_CLOCK_AHEAD, NOW) == NOW


def test_a_clock_far_ahead_is_refused_at_its_field() -> None:
    with pytest.raises(OperationError) as refused:
        resolve_event_time(NOW + MAX_CLOCK_AHEAD + timedelta(seconds=1), NOW)
    assert refused.value.field_errors[0].field == "occurred_at"
