"""Ports of the driver's app to modules that may not be loaded."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Protocol

from haulier.kernel.call import Call

if TYPE_CHECKING:  # Queries of hand-overs import this port.
    from haulier.contexts.driver_app.handovers.contract import HandoverLocker
    from haulier.contexts.routes.public import StopRow


class LockerHandovers(Protocol):
    """Hand-overs into lockers. The family of locker stops implements it."""

    async def load(self, call: Call, stops: "Sequence[tuple[StopRow, date]]") -> "Mapping[int, HandoverLocker]":
        """The lockers of stops on a day, by the id of the stop. One statement."""
        ...

    async def was_put_in(self, call: Call, order_id: int) -> bool:
        """Return True if the parcel of an order is in a locker."""
        ...


async def was_put_in_locker(call: Call, order_id: int) -> bool:
    """Return True if the parcel of an order is in a locker.

    False if the module of lockers is not loaded.
    """
    handovers = call.app.find_adapter(LockerHandovers)
    return handovers is not None and await handovers.was_put_in(call, order_id)
