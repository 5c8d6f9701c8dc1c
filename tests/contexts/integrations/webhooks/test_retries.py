"""Retry schedule: delays, giving up, pausing and disabling endpoints."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.integrations.webhooks.rules import (
    DISABLE_AFTER,
    JITTER_SHARE,
    MAX_ATTEMPTS,
    MAX_RETRY_WAIT_S,
    PAUSE_AFTER_FAILURES,
    RETRY_DELAYS_S,
    AttemptOutcome,
    DisableReason,
    EndpointHealth,
    WebhookDeliveryStatus,
    evaluate_attempt,
    retry_wait_s,
)

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)
TAKEN = st.integers(200, 299)
NOT_TAKEN = st.one_of(st.none(), st.integers(100, 199), st.integers(300, 599))
JITTERS = st.floats(-1, 1)


def judged(
    status: int | None, *, tries: int = 1, health: EndpointHealth | None = None, **words: object
) -> AttemptOutcome:
    asked = {"retry_after_s": None, "now": NOW, "jitter": 0.0, **words}
    return evaluate_attempt(health or EndpointHealth(), tries=tries, status=status, **asked)  # type: ignore[arg-type]


@given(status=TAKEN, failures=st.integers(0, 99))
def test_any_2xx_ends_the_retries_and_marks_the_endpoint_healthy(status: int, failures: int) -> None:
    found = judged(status, health=EndpointHealth(failures=failures, failing_since=NOW - timedelta(days=9)))
    assert found == AttemptOutcome(status=WebhookDeliveryStatus.DELIVERED, retry_at=None, health=EndpointHealth())


@given(status=NOT_TAKEN, tries=st.integers(1, MAX_ATTEMPTS), jitter=JITTERS)
def test_any_other_status_is_retried_to_the_end_of_the_schedule(status: int | None, tries: int, jitter: float) -> None:
    found = judged(status, tries=tries, jitter=jitter)
    assert found.health.failures == 1
    if tries == MAX_ATTEMPTS or status == 410:
        assert (found.status, found.retry_at) == (WebhookDeliveryStatus.FAILED, None)
    else:
        assert found.retry_at
        waited = (found.retry_at - NOW).total_seconds()
        assert found.status is WebhookDeliveryStatus.PENDING
        assert (
            RETRY_DELAYS_S[tries] * (1 - JITTER_SHARE) - 1e-3
            <= waited
            <= RETRY_DELAYS_S[tries] * (1 + JITTER_SHARE) + 1e-3
        )


@given(tries=st.integers(1, MAX_ATTEMPTS - 1), asked=st.one_of(st.none(), st.integers(0, 10**6)), jitter=JITTERS)
def test_a_receiver_can_request_a_longer_limited_delay(tries: int, asked: int | None, jitter: float) -> None:
    waited = retry_wait_s(tries, asked, jitter)
    assert waited >= retry_wait_s(tries, None, jitter)
    assert waited <= max(MAX_RETRY_WAIT_S, retry_wait_s(tries, None, jitter))
    assert waited >= min(asked or 0, MAX_RETRY_WAIT_S)


def test_the_retry_schedule_lasts_a_little_over_a_day() -> None:
    assert (len(RETRY_DELAYS_S), sum(RETRY_DELAYS_S) / 3600) == (8, pytest.approx(27.6, abs=0.1))


def test_status_410_disables_immediately_and_silence_after_five_days() -> None:
    assert judged(410).disable is DisableReason.GONE
    since = NOW - DISABLE_AFTER
    assert judged(500, health=EndpointHealth(failures=3, failing_since=since)).disable is DisableReason.FAILING
    assert judged(500, health=EndpointHealth(failures=3, failing_since=since + timedelta(seconds=1))).disable is None


def test_after_ten_consecutive_failures_an_endpoint_pauses() -> None:
    assert (
        judged(500, health=EndpointHealth(failures=PAUSE_AFTER_FAILURES - 2, failing_since=NOW)).health.rests_until
        is None
    )
    rests = judged(500, health=EndpointHealth(failures=PAUSE_AFTER_FAILURES - 1, failing_since=NOW)).health.rests_until
    assert rests == NOW + timedelta(seconds=60)
