"""Rules of registration.

A phone is proved, then a name and an address are entered. The business may approve it before the user is created.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.contexts.customer_apps.apps.rules import RESEND_AFTER_S
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")


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


def parse_phone(written: str, region: str) -> str:
    """A number that text messages reach, in E.164; without a country code it is taken to be of the region.

    Raises `INVALID_REQUEST` at `phone` for what is no number, or one that cannot receive text messages.
    """
    try:
        number = phonenumbers.parse(written, region)
    except phonenumbers.NumberParseException:
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_invalid")) from None
    if not phonenumbers.is_valid_number(number):
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_invalid"))
    kinds = phonenumbers.PhoneNumberType
    if phonenumbers.number_type(number) not in {kinds.MOBILE, kinds.FIXED_LINE_OR_MOBILE, kinds.PERSONAL_NUMBER}:
        raise INVALID_REQUEST.for_fields(FieldError("phone", "field.phone_unreachable"))
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


CODE_WINDOW = timedelta(hours=1)
CODES_PER_PHONE, CODES_PER_DEVICE, CODES_PER_ADDRESS = 5, 10, 30
"""Codes in an hour.

# Why: many people may share a network address, but one phone needs few codes.
"""


def email_attempts_key(registration_id: int) -> str:
    """The digest under which the taken addresses are counted that were tried in one registration."""
    return sha256(f"registration\n{registration_id}".encode()).hexdigest()


class CodeRequest(Struct, frozen=True):
    """A code that was asked for earlier, and what it has in common with the request now."""

    at: datetime
    same_phone: bool
    same_device: bool
    same_address: bool


def seconds_until_next_code(requests: Iterable[CodeRequest], now: datetime) -> int:
    """How many whole seconds until another code may be asked for; 0 when it may be now."""
    recent = sorted((earlier for earlier in requests if earlier.at > now - CODE_WINDOW), key=lambda earlier: earlier.at)
    phone = [earlier.at for earlier in recent if earlier.same_phone]
    device = [earlier.at for earlier in recent if earlier.same_device]
    address = [earlier.at for earlier in recent if earlier.same_address]
    free_at = [phone[-1] + timedelta(seconds=RESEND_AFTER_S)] if phone else []
    for times, limit in ((phone, CODES_PER_PHONE), (device, CODES_PER_DEVICE), (address, CODES_PER_ADDRESS)):
        if len(times) >= limit:
            free_at.append(times[-limit] + CODE_WINDOW)
    remaining = max(free_at, default=now) - now
    return max(0, -(-remaining // timedelta(seconds=1)))
