"""Rounds: small work that every serving process does from time to time, such as forgetting what is too old to matter.

A round has no queue and no record. It may run in several processes at once, and not at all while nobody serves: it must be
safe to repeat and to miss.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from msgspec import Struct

from haulier.kernel.house import House

Go = Callable[[House], Awaitable[None]]


class Round(Struct, frozen=True):
    """One kind of such work, and how often it is due."""

    name: str
    every: timedelta
    handler: Go


def goes_round(every: timedelta) -> Callable[[Go], Round]:
    """Declare a function `async (house)` that runs about so often, for the first time so long after the start."""

    def declare(handler: Go) -> Round:
        return Round(f"{handler.__module__}.{handler.__name__}", every, handler)

    return declare
