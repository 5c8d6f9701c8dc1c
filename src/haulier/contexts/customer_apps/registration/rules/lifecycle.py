"""The steps of a registration, and who may take them.

A phone is proved, then a name and an address are entered. The business may approve it before the user is created.
"""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

CODE_WRONG = declare_error("code_wrong", 422, fields=("code",))
CODE_EXPIRED = declare_error("code_expired", 422, fields=("code",))
REGISTRATION_EXPIRED = declare_error("registration_expired", 422, fields=("registration_token",))
PHONE_TAKEN = declare_error("phone_taken", 409)
REGISTRATION_DECIDED = declare_error("registration_decided", 409)

TIME_TO_COMPLETE = timedelta(minutes=30)
"""From the proof of the phone to the last step."""


class AppRegistrationStep(StrEnum):
    """The status of a registration."""

    PROVED = "phone_verified"
    WAITING = "pending_approval"
    DONE = "completed"
    REJECTED = "rejected"


def require_completable(step: str, expires_at: datetime, now: datetime) -> None:
    """A registration is completed once, before it expires. Raises `REGISTRATION_EXPIRED`."""
    if step != AppRegistrationStep.PROVED or expires_at <= now:
        raise REGISTRATION_EXPIRED()


def require_decidable(step: str) -> None:
    """Only a registration that waits for approval is decided, once. Raises `REGISTRATION_DECIDED`."""
    if step != AppRegistrationStep.WAITING:
        raise REGISTRATION_DECIDED(status=step)
