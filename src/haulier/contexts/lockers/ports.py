"""Ports of lockers to modules that may not be loaded."""

from typing import Protocol

from haulier.kernel.call import Call


class ScreenSales(Protocol):
    """Sales at locker screens. The locker shop implements it."""

    async def sell_to_visitors(self, call: Call) -> bool:
        """Return True if visitors may buy at screens of the business."""
        ...
