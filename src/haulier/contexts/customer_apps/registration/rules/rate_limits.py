"""How often codes may be asked for: per phone, per device and per network address, whether or not anyone knows the phone.
And how many e-mail addresses may be tried that others have."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct

from haulier.contexts.customer_apps.apps.rules.verification_codes import RESEND_AFTER_S

CODE_WINDOW = timedelta(hours=1)
CODES_PER_PHONE, CODES_PER_DEVICE, CODES_PER_ADDRESS = 5, 10, 30
"""Codes in an hour. Many people may share an address; nobody needs many codes on one phone."""


def email_attempts_key(registration_id: int) -> str:
    """Under which digest addresses are counted that were tried with one proof of a phone."""
    return sha256(f"registration\n{registration_id}".encode()).hexdigest()


class CodeRequest(Struct, frozen=True):
    """A code that was asked for, and what it has in common with the one that is asked for now."""

    at: datetime
    same_phone: bool
    same_device: bool
    same_address: bool


def seconds_until_next_code(asked: Iterable[CodeRequest], now: datetime) -> int:
    """How many whole seconds until another code may be asked for; 0 when it may be now."""
    recent = sorted((each for each in asked if each.at > now - CODE_WINDOW), key=lambda each: each.at)
    phone = [each.at for each in recent if each.same_phone]
    device = [each.at for each in recent if each.same_device]
    address = [each.at for each in recent if each.same_address]
    free_at = [phone[-1] + timedelta(seconds=RESEND_AFTER_S)] if phone else []
    for times, most in ((phone, CODES_PER_PHONE), (device, CODES_PER_DEVICE), (address, CODES_PER_ADDRESS)):
        if len(times) >= most:
            free_at.append(times[-most] + CODE_WINDOW)
    left = max(free_at, default=now) - now
    return max(0, -(-left // timedelta(seconds=1)))
