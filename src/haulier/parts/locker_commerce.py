"""Locker commerce: sales at screens, and payable records."""

from haulier.contexts.lockers.device_orders import public as device_orders
from haulier.contexts.lockers.luggage import public as luggage
from haulier.contexts.lockers.ports import ScreenSales
from haulier.contexts.lockers.resale import public as resale
from haulier.contexts.lockers.shop import public as shop
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    return {ScreenSales: shop.ShopAtScreens()}


PART = Part(
    adapters=_adapters,
    payables={**device_orders.PAYABLES, **luggage.PAYABLES, **resale.PAYABLES, **shop.PAYABLES},
)
