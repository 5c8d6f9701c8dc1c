"""What follows from how a receiver answered: done, again later, or never again."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.errors import problem

WEBHOOK_ENDPOINT_OFF = problem("webhook_endpoint_off", 409)

LADDER_S = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000)
"""How long each attempt waits after the one before: at once, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h; some 28 hours in all."""
ATTEMPTS = len(LADDER_S)
JITTER = 0.2
"""Waits are up to this share longer or shorter, so that what failed together does not come back together."""
LONGEST_WAIT_S = 36_000
GONE = 410
REST_AFTER = 10
"""So many failures in a row, and an endpoint is left alone for a while, so that it does not hold up the others."""
REST_S = 60
DISABLE_AFTER = timedelta(days=5)
"""An endpoint that failed for so long, and took nothing meanwhile, is switched off."""


class DeliveryStatus(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"


class Why(StrEnum):
    """Why an endpoint was switched off without anybody asking for it."""

    GONE = "gone"
    FAILING = "failing"


class Health(Struct, frozen=True, kw_only=True):
    """How an endpoint fares: failures in a row, since when, and until when it is left alone."""

    failures: int = 0
    failing_since: datetime | None = None
    rests_until: datetime | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """What follows from one attempt."""

    status: DeliveryStatus
    again_at: datetime | None
    health: Health
    disable: Why | None = None


def took_it(status: int | None) -> bool:
    """Whether an answer says that the message was taken: any 2xx. A redirect does not."""
    return status is not None and 200 <= status < 300


def verdict(
    health: Health,
    *,
    tries: int,
    status: int | None,
    retry_after_s: int | None,
    now: datetime,
    jitter: float,
) -> Verdict:
    """What follows from the attempt number `tries`, from 1; `jitter` is between -1 and 1."""
    if took_it(status):
        return Verdict(status=DeliveryStatus.DELIVERED, again_at=None, health=Health())
    since = health.failing_since or now
    failures = health.failures + 1
    rests = now + timedelta(seconds=REST_S) if failures >= REST_AFTER else None
    disable = Why.GONE if status == GONE else Why.FAILING if now - since >= DISABLE_AFTER else None
    over = disable is not None or tries >= ATTEMPTS
    return Verdict(
        status=DeliveryStatus.FAILED if over else DeliveryStatus.PENDING,
        again_at=None if over else now + timedelta(seconds=wait_s(tries, retry_after_s, jitter)),
        health=Health(failures=failures, failing_since=since, rests_until=rests),
        disable=disable,
    )


def wait_s(tries: int, retry_after_s: int | None, jitter: float) -> float:
    """How long to wait after the attempt number `tries`: the ladder's step, or longer where the receiver asked for it."""
    step = LADDER_S[tries] * (1 + JITTER * jitter)
    return max(step, min(retry_after_s or 0, LONGEST_WAIT_S))
