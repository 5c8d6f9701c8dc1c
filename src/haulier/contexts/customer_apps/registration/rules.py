"""How often codes may be asked for: per phone, per device and per network address."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct

from haulier.contexts.customer_apps.apps.rules.verification_codes import RESEND_AFTER_S

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
