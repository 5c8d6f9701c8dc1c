"""The ladder: how long to wait, when to give up, when to leave an endpoint alone, when to switch it off."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.integrations.webhooks.rules.retrying import (
    ATTEMPTS,
    DISABLE_AFTER,
    JITTER,
    LADDER_S,
    LONGEST_WAIT_S,
    REST_AFTER,
    DeliveryStatus,
    Health,
    Verdict,
    Why,
    verdict,
    wait_s,
)

NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)
TAKEN = st.integers(200, 299)
NOT_TAKEN = st.one_of(st.none(), st.integers(100, 199), st.integers(300, 599))
JITTERS = st.floats(-1, 1)


def judged(status: int | None, *, tries: int = 1, health: Health | None = None, **words: object) -> Verdict:
    asked = {"retry_after_s": None, "now": NOW, "jitter": 0.0, **words}
    return verdict(health or Health(), tries=tries, status=status, **asked)  # type: ignore[arg-type]


@given(status=TAKEN, failures=st.integers(0, 99))
def test_any_2xx_ends_it_and_makes_the_endpoint_well(status: int, failures: int) -> None:
    found = judged(status, health=Health(failures=failures, failing_since=NOW - timedelta(days=9)))
    assert found == Verdict(status=DeliveryStatus.DELIVERED, again_at=None, health=Health())


@given(status=NOT_TAKEN, tries=st.integers(1, ATTEMPTS), jitter=JITTERS)
def test_all_else_is_tried_again_until_the_ladder_ends(status: int | None, tries: int, jitter: float) -> None:
    found = judged(status, tries=tries, jitter=jitter)
    assert found.health.failures == 1
    if tries == ATTEMPTS or status == 410:
        assert (found.status, found.again_at) == (DeliveryStatus.FAILED, None)
    else:
        assert found.again_at
        waited = (found.again_at - NOW).total_seconds()
        assert found.status is DeliveryStatus.PENDING
        assert LADDER_S[tries] * (1 - JITTER) - 1e-3 <= waited <= LADDER_S[tries] * (1 + JITTER) + 1e-3


@given(tries=st.integers(1, ATTEMPTS - 1), asked=st.one_of(st.none(), st.integers(0, 10**6)), jitter=JITTERS)
def test_a_receiver_can_ask_for_more_time_but_not_for_ever_and_not_for_less(
    tries: int, asked: int | None, jitter: float
) -> None:
    waited = wait_s(tries, asked, jitter)
    assert waited >= wait_s(tries, None, jitter)
    assert waited <= max(LONGEST_WAIT_S, wait_s(tries, None, jitter))
    assert waited >= min(asked or 0, LONGEST_WAIT_S)


def test_the_ladder_takes_a_little_more_than_a_day() -> None:
    assert (len(LADDER_S), sum(LADDER_S) / 3600) == (8, pytest.approx(27.6, abs=0.1))


def test_gone_is_believed_at_once_and_silence_after_five_days() -> None:
    assert judged(410).disable is Why.GONE
    since = NOW - DISABLE_AFTER
    assert judged(500, health=Health(failures=3, failing_since=since)).disable is Why.FAILING
    assert judged(500, health=Health(failures=3, failing_since=since + timedelta(seconds=1))).disable is None


def test_after_ten_failures_in_a_row_an_endpoint_rests() -> None:
    assert judged(500, health=Health(failures=REST_AFTER - 2, failing_since=NOW)).health.rests_until is None
    rests = judged(500, health=Health(failures=REST_AFTER - 1, failing_since=NOW)).health.rests_until
    assert rests == NOW + timedelta(seconds=60)
