"""How often codes may be asked for: per phone, per device and per network address, whether or not anyone knows the phone."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.access.apps.rules.codes import RESEND_AFTER_S

WINDOW = timedelta(hours=1)
PER_PHONE, PER_DEVICE, PER_ADDRESS = 5, 10, 30
"""Codes in an hour. Many people may share an address; nobody needs many codes on one phone."""


class Asked(Struct, frozen=True):
    """A code that was asked for, and what it has in common with the one that is asked for now."""

    at: datetime
    same_phone: bool
    same_device: bool
    same_address: bool


def wait_s(asked: Iterable[Asked], now: datetime) -> int:
    """How many whole seconds until another code may be asked for; 0 when it may be now."""
    recent = sorted((each for each in asked if each.at > now - WINDOW), key=lambda each: each.at)
    phone = [each.at for each in recent if each.same_phone]
    device = [each.at for each in recent if each.same_device]
    address = [each.at for each in recent if each.same_address]
    free_at = [phone[-1] + timedelta(seconds=RESEND_AFTER_S)] if phone else []
    for times, most in ((phone, PER_PHONE), (device, PER_DEVICE), (address, PER_ADDRESS)):
        if len(times) >= most:
            free_at.append(times[-most] + WINDOW)
    left = max(free_at, default=now) - now
    return max(0, -(-left // timedelta(seconds=1)))
