"""Rules of redelivery: number of attempts, and days that can be promised."""

from datetime import date, datetime

from msgspec import Struct

from haulier.kernel.operations.errors import FieldError, OperationError, declare_error

ATTEMPTS_USED_UP = declare_error("attempts_used_up", 409)
REDELIVERY_USED_UP = declare_error("redelivery_used_up", 409)
ALREADY_SCHEDULED = declare_error("already_scheduled", 409)
STILL_OUT_TODAY = declare_error("still_out_today", 409)
USED_UP_NOTE = "attempts_used_up"
"""The reason of a hold when an order came back from its last attempt."""


class RedeliveryPolicy(Struct, frozen=True, kw_only=True):
    """A client's rules for orders that could not be delivered."""

    max_attempts: int = 3


class Attempts(Struct, frozen=True):
    """Failed attempts of an order, and their limit.

    The limit is the order's own, or else the client's.
    """

    made: int
    own_limit: int | None = None

    def left(self, policy: RedeliveryPolicy) -> int:
        """Return the number of attempts left."""
        return max(0, (self.own_limit or policy.max_attempts) - self.made)


def check_attempts(attempts: Attempts, policy: RedeliveryPolicy) -> OperationError | None:
    """Return the error if no attempt is left, or None.

    The first attempt is always allowed.
    """
    if attempts.made and not attempts.left(policy):
        return ATTEMPTS_USED_UP(attempts=attempts.made)
    return None


def find_promise_faults(
    day: date | None, window: tuple[datetime, datetime] | None, local_now: datetime
) -> list[FieldError]:
    """Return the validation errors of a promised day and window.

    `local_now` is in the business's time zone.
    """
    faults: list[FieldError] = []
    if day and day < local_now.date():
        faults.append(FieldError("scheduled_date", "field.day_past"))
    if window and window[1] <= local_now:
        faults.append(FieldError("window_end", "field.window_past"))
    if day and window:
        opens, closes = (end.astimezone(local_now.tzinfo).date() for end in window)
        if not opens <= day <= closes:
            faults.append(FieldError("scheduled_date", "field.day_outside_window"))
    return faults
