"""Periodic tasks: small work that every serving process does from time to time, such as deleting old rows.

A periodic task has no queue and no record. It may run in several processes at once, and not at all while nobody serves: it
must be safe to repeat and to miss.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from msgspec import Struct

PeriodicFunction = Callable[[Any], Awaitable[None]]
"""`async (app: Application)`; not typed so, because an application holds its periodic tasks."""


class PeriodicTask(Struct, frozen=True):
    """One kind of such work, and how often it is due."""

    name: str
    every: timedelta
    handler: PeriodicFunction


def periodic(every: timedelta) -> Callable[[PeriodicFunction], PeriodicTask]:
    """Declare a function `async (app)` that runs about so often, for the first time so long after the start."""

    def declare(handler: PeriodicFunction) -> PeriodicTask:
        return PeriodicTask(f"{handler.__module__}.{handler.__name__}", every, handler)

    return declare
