"""What follows from how a receiver answered: done, again later, or never again."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

WEBHOOK_ENDPOINT_OFF = declare_error("webhook_endpoint_off", 409)

RETRY_DELAYS_S = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000)
"""How long each attempt waits after the one before: at once, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h; some 28 hours in all."""
MAX_ATTEMPTS = len(RETRY_DELAYS_S)
JITTER_SHARE = 0.2
"""Waits are up to this share longer or shorter, so that what failed together does not come back together."""
MAX_RETRY_WAIT_S = 36_000
HTTP_GONE = 410
PAUSE_AFTER_FAILURES = 10
"""So many failures in a row, and an endpoint is left alone for a while, so that it does not hold up the others."""
PAUSE_S = 60
DISABLE_AFTER = timedelta(days=5)
"""An endpoint that failed for so long, and took nothing meanwhile, is switched off."""


class WebhookDeliveryStatus(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisableReason(StrEnum):
    """Why an endpoint was switched off without anybody asking for it."""

    GONE = "gone"
    FAILING = "failing"


class EndpointHealth(Struct, frozen=True, kw_only=True):
    """How an endpoint fares: failures in a row, since when, and until when it is left alone."""

    failures: int = 0
    failing_since: datetime | None = None
    rests_until: datetime | None = None


class AttemptOutcome(Struct, frozen=True, kw_only=True):
    """What follows from one attempt."""

    status: WebhookDeliveryStatus
    retry_at: datetime | None
    health: EndpointHealth
    disable: DisableReason | None = None


def is_accepted_status(status: int | None) -> bool:
    """Whether an answer says that the message was taken: any 2xx. A redirect does not."""
    return status is not None and 200 <= status < 300


def evaluate_attempt(
    health: EndpointHealth,
    *,
    tries: int,
    status: int | None,
    retry_after_s: int | None,
    now: datetime,
    jitter: float,
) -> AttemptOutcome:
    """What follows from the attempt number `tries`, from 1; `jitter` is between -1 and 1."""
    if is_accepted_status(status):
        return AttemptOutcome(status=WebhookDeliveryStatus.DELIVERED, retry_at=None, health=EndpointHealth())
    since = health.failing_since or now
    failures = health.failures + 1
    rests = now + timedelta(seconds=PAUSE_S) if failures >= PAUSE_AFTER_FAILURES else None
    disable = (
        DisableReason.GONE if status == HTTP_GONE else DisableReason.FAILING if now - since >= DISABLE_AFTER else None
    )
    over = disable is not None or tries >= MAX_ATTEMPTS
    return AttemptOutcome(
        status=WebhookDeliveryStatus.FAILED if over else WebhookDeliveryStatus.PENDING,
        retry_at=None if over else now + timedelta(seconds=retry_wait_s(tries, retry_after_s, jitter)),
        health=EndpointHealth(failures=failures, failing_since=since, rests_until=rests),
        disable=disable,
    )


def retry_wait_s(tries: int, retry_after_s: int | None, jitter: float) -> float:
    """How long to wait after the attempt number `tries`: the ladder's step, or longer where the receiver asked for it."""
    step = RETRY_DELAYS_S[tries] * (1 + JITTER_SHARE * jitter)
    return max(step, min(retry_after_s or 0, MAX_RETRY_WAIT_S))
