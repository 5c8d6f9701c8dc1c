"""The steps of a registration, and who may take them.

A phone is proved, then a name and an address given; the business may want to look at it before a user comes of it.
"""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.kernel.errors import problem

CODE_WRONG = problem("code_wrong", 422)
CODE_EXPIRED = problem("code_expired", 422)
REGISTRATION_EXPIRED = problem("registration_expired", 422)
PHONE_TAKEN = problem("phone_taken", 409)
REGISTRATION_DECIDED = problem("registration_decided", 409)

TIME_TO_COMPLETE = timedelta(minutes=30)
"""From the proof of the phone to the last step."""


class Step(StrEnum):
    """How far a registration has come."""

    PROVED = "phone_verified"
    WAITING = "pending_approval"
    DONE = "completed"
    REJECTED = "rejected"


def demand_may_complete(step: str, expires_at: datetime, now: datetime) -> None:
    """A registration is completed once, in time. Raises `REGISTRATION_EXPIRED`."""
    if step != Step.PROVED or expires_at <= now:
        raise REGISTRATION_EXPIRED()


def demand_may_decide(step: str) -> None:
    """Only a registration that waits is decided, once. Raises `REGISTRATION_DECIDED`."""
    if step != Step.WAITING:
        raise REGISTRATION_DECIDED(status=step)
