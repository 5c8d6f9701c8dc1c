"""A PIN at the door: how it is made, and how often a wrong one may be tried."""

from secrets import compare_digest

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.one_time_codes import make_one_time_code

PIN_DIGITS = 4
PIN_TRIES_MAX = 5
"""Number of wrong PINs after which none is accepted: five guesses rarely hit one of ten thousand PINs."""
PIN_WRONG = declare_error("pin_wrong", 422, fields=("pin",))
PIN_BLOCKED = declare_error("pin_blocked", 409)


def make_pin(order_id: int) -> str:
    """Return a new PIN of an order. It is stored, so its nonce is not needed."""
    return make_one_time_code(f"order {order_id}", PIN_DIGITS)[0]


def check_pin(expected: str, wrong_tries: int, said: str) -> OperationError | None:
    """Why a PIN does not prove anything, or None."""
    if wrong_tries >= PIN_TRIES_MAX:
        return PIN_BLOCKED()
    return None if compare_digest(expected.encode(), said.encode()) else PIN_WRONG()
