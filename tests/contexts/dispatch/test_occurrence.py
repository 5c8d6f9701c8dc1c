"""When something happened, as a device says it."""

from datetime import UTC, datetime, timedelta

import pytest

from haulier.contexts.dispatch.routes.rules.occurrence import AHEAD, occurred
from haulier.kernel.errors import Refusal

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)


def test_without_a_word_of_the_device_it_happened_now() -> None:
    assert occurred(None, NOW) == NOW


def test_work_done_without_a_network_keeps_its_time() -> None:
    assert occurred(NOW - timedelta(days=2), NOW) == NOW - timedelta(days=2)


def test_a_clock_a_little_ahead_is_taken_as_now() -> None:
    assert occurred(NOW + AHEAD, NOW) == NOW


def test_a_clock_far_ahead_is_refused_at_its_field() -> None:
    with pytest.raises(Refusal) as refused:
        occurred(NOW + AHEAD + timedelta(seconds=1), NOW)
    assert refused.value.faults[0].field == "occurred_at"
