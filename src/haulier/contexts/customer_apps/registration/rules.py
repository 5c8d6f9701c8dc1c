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
    """Raise `REGISTRATION_EXPIRED` unless the registration can still be completed."""
    if step != AppRegistrationStep.PROVED or expires_at <= now:
        raise REGISTRATION_EXPIRED()


def require_decidable(step: str) -> None:
    """Raise `REGISTRATION_DECIDED` unless the registration waits for approval."""
    if step != AppRegistrationStep.WAITING:
        raise REGISTRATION_DECIDED(status=step)


def parse_phone(written: str, region: str) -> str:
    """Return a phone number for SMS in E.164 format.

    Without a country code, it belongs to the region. Raises `INVALID_REQUEST` at `phone` for an invalid number, or one
    that cannot receive SMS.
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
"""Maximum codes per hour. Many users can share a network address, but one phone needs few codes."""


def email_attempts_key(registration_id: int) -> str:
    """Return the digest for counting taken addresses tried in one registration."""
    return sha256(f"registration\n{registration_id}".encode()).hexdigest()


class CodeRequest(Struct, frozen=True):
    """An earlier code request, and what it shares with the current one."""

    at: datetime
    same_phone: bool
    same_device: bool
    same_address: bool


def seconds_until_next_code(requests: Iterable[CodeRequest], now: datetime) -> int:
    """Return the seconds until another code may be requested; 0 if now."""
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
