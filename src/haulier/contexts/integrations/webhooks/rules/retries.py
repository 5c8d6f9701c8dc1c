"""What follows from an attempt: delivered, a retry later, or failed; and when an endpoint is paused or switched off."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

WEBHOOK_ENDPOINT_OFF = declare_error("webhook_endpoint_off", 409)

RETRY_DELAYS_S = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000)
"""Seconds before each attempt: 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h; about 28 hours in all."""
MAX_ATTEMPTS = len(RETRY_DELAYS_S)
JITTER_SHARE = 0.2
"""Delays vary by up to this share, so that deliveries that failed together are not retried together."""
MAX_RETRY_WAIT_S = 36_000
HTTP_GONE = 410
PAUSE_AFTER_FAILURES = 10
"""An endpoint with so many failures in a row is paused, so that it does not delay the others."""
PAUSE_S = 60
DISABLE_AFTER = timedelta(days=5)
"""An endpoint that accepted nothing for so long is switched off."""


class WebhookDeliveryStatus(StrEnum):
    """The state of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"


class DisableReason(StrEnum):
    """Why the application switched an endpoint off."""

    GONE = "gone"
    FAILING = "failing"
    SET_UP_ENDED = "set_up_ended"


class EndpointHealth(Struct, frozen=True, kw_only=True):
    """The health of an endpoint: failures in a row, since when, and until when it is paused."""

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
    """Whether a response accepts the message: any 2xx. A redirect does not."""
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
    """Seconds until the next attempt after attempt `tries`: the delay of the table, or longer if the receiver asked for it."""
    step = RETRY_DELAYS_S[tries] * (1 + JITTER_SHARE * jitter)
    return max(step, min(retry_after_s or 0, MAX_RETRY_WAIT_S))
