"""A PIN at the door: how it is made, and how often a wrong one may be tried."""

import secrets

from haulier.kernel.operations.errors import OperationError, declare_error

PIN_DIGITS = 4
PIN_TRIES_MAX = 5
"""After so many wrong PINs none is accepted any more: of ten thousand, nobody guesses one in five tries."""
PIN_WRONG = declare_error("pin_wrong", 422, fields=("pin",))
PIN_BLOCKED = declare_error("pin_blocked", 409)


def make_pin() -> str:
    """A new PIN, as people say it: with its leading zeros."""
    return f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}}"


def check_pin(expected: str, wrong_tries: int, said: str) -> OperationError | None:
    """Why a PIN does not prove anything, or None."""
    if wrong_tries >= PIN_TRIES_MAX:
        return PIN_BLOCKED()
    return None if secrets.compare_digest(expected.encode(), said.encode()) else PIN_WRONG()
